/**
 * Judges a test run: `node judge.mjs <report of vitest's JSON reporter> <exit code of the test command>`.
 *
 * Prints what is wrong, then `N passed, N failed`; exits 0 only when nothing is. Counted as failed beside failed
 * tests: files that did not load, skipped tests (but those that say they need the corpus), and a test command
 * that failed for another reason, such as lint, or without a single test.
 */

import { readFileSync } from 'node:fs';

const MAY_BE_SKIPPED = /needs the corpus/;

const [reportPath, status] = process.argv.slice(2);
const files = readReport(reportPath);
const tests = files.flatMap((file) => file.assertionResults);
const passed = tests.filter((test) => test.status === 'passed').length;

const remarks = [
  ...tests.filter((test) => test.status === 'failed').map((test) => `failed: ${test.fullName}`),
  ...files.filter(isBroken).map((file) => `did not load: ${file.name}: ${file.message}`),
  ...tests.filter(isRefusedSkip).map((test) => `skipped, which is refused here: ${test.fullName}`),
];
if (remarks.length === 0 && status !== '0') {
  remarks.push(`the test command ended with ${status}, though no test failed: see what it printed`);
}
if (remarks.length === 0 && passed === 0) remarks.push('no test passed: none was run');

for (const remark of remarks) console.log(remark);
console.log(`${passed} passed, ${remarks.length} failed`);
process.exitCode = remarks.length === 0 ? 0 : 1;

/** The results by file; none when the report was never written, as when lint failed before the tests. */
function readReport(path) {
  const text = readFileSync(path, 'utf8');
  return text === '' ? [] : JSON.parse(text).testResults;
}

function isBroken(file) {
  return file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed');
}

function isRefusedSkip(test) {
  return test.status !== 'passed' && test.status !== 'failed' && !MAY_BE_SKIPPED.test(test.fullName);
}
