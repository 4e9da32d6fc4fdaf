/**
 * The text of the settings file → `Settings`. Keys at the top that are not ours are left alone; inside our own
 * sections a key in another spelling is refused with the right one, and a key that is in effect is checked.
 */

import { isMap, isScalar } from 'yaml';
import { z } from 'zod';
import { nameRemedy } from '../shared/did-you-mean.js';
import { errorText } from '../shared/errors.js';
import type { Finding } from '../shared/findings.js';
import { shownPath, valueAt } from '../shared/key-path.js';
import { looksLikeKey, NOT_SHOWN } from '../shared/secret-text.js';
import { offsetOf, readYaml } from '../shared/yaml-document.js';
import { refusalFinding, YAML_REMEDY, yamlFindings } from '../shared/yaml-problems.js';
import { NO_SETTINGS, SETTINGS_PATH, type Settings } from './settings.js';
import { keysAt, misspelled, PROVIDER_KEYS, RUN_KEYS } from './settings-keys.js';
import { MODEL_SECTIONS, modelSettings } from './settings-models.js';
import { REDIS_SECTION, redisSettings } from './settings-redis.js';
import { RUNNER_SECTION, runnerSettings } from './settings-runner.js';
import { SECRET_SECTION, secretSettings } from './settings-secrets.js';
import { SHELL_SECTION, shellSettings } from './settings-shell.js';
import { SIGNATURE_SECTION, signatureSettings } from './settings-signatures.js';
import { SKILL_SECTIONS, skillSettings } from './settings-skills.js';
import { WEB_SECTION, webSettings } from './settings-web.js';
import { WORKER_SECTION, workerSettings } from './settings-worker.js';
import type { Resolved, Written } from './written.js';

const text = z.string().trim().min(1);
const word = z.union([z.string(), z.number(), z.boolean()]);

/** Only what is in effect here; a strict mapping knows all its keys. */
const settingsFile = z.object({
  'mission-repo': text.optional(),
  model: text.optional(),
  ...MODEL_SECTIONS,
  ...SKILL_SECTIONS,
  ...WEB_SECTION,
  ...SHELL_SECTION,
  ...SIGNATURE_SECTION,
  ...REDIS_SECTION,
  ...SECRET_SECTION,
  ...WORKER_SECTION,
  ...RUNNER_SECTION,
  permissions: z
    .array(z.strictObject({ tool: text, match: text.optional(), decision: z.enum(['allow', 'ask', 'deny']) }))
    .optional(),
  run: z.strictObject(Object.fromEntries(RUN_KEYS.map((key) => [key, word.optional()]))).optional(),
});

/** Their values may be keys. */
const VARIABLES_OF_ENGINEERS = /^runner\.engineers\.[^.]+\.env\b/;

/** Total: every text gives settings or findings with the line. */
export function parseSettings(source: string): Resolved<Settings> {
  try {
    return fromYaml(source);
  } catch (error) {
    // The parser throws for too many aliases and for nesting deeper than its stack.
    return refused([finding('yaml-error', 1, `cannot be read: ${errorText(error)}`, YAML_REMEDY)]);
  }
}

function fromYaml(source: string): Resolved<Settings> {
  const yaml = readYaml(source);
  if (yaml.kind === 'refused') return refused([refusalFinding(SETTINGS_PATH, yaml.reason, yaml.line)]);
  const { document, problems, lineOf: lineAt } = yaml;
  if (problems.length > 0) return refused(yamlFindings(SETTINGS_PATH, problems, lineAt));
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) {
    return { kind: 'resolved', value: NO_SETTINGS };
  }
  if (!isMap(contents)) {
    const remedy = 'write "key: value" lines';
    return refused([finding('not-a-mapping', 1, 'the file is no mapping of keys to values', remedy)]);
  }
  return shaped(document.toJS({ maxAliasCount: 50 }), (path) => lineAt(offsetOf(document, path)));
}

function shaped(value: unknown, lineOf: (path: readonly PropertyKey[]) => number): Resolved<Settings> {
  const spelling = misspelled(value).map(({ path, found, right }) =>
    finding('key-spelling', lineOf(path), `"${found}" is no key; allowed: "${right}"`, `write ${right}`),
  );
  const parsed = settingsFile.safeParse(value);
  if (!parsed.success) {
    const known = new Set(spelling.map(({ line }) => line));
    const others = parsed.error.issues.flatMap((issue) => issueFindings(issue, value, lineOf));
    return refused([...spelling, ...others.filter(({ line }) => !known.has(line))]);
  }
  if (spelling.length > 0) return refused(spelling);
  const { data } = parsed;
  const at = (path: readonly PropertyKey[], words: string): Written => ({
    text: words,
    place: SETTINGS_PATH,
    line: lineOf(path),
  });
  const run = Object.entries(data.run ?? {}).flatMap(([key, words]): [string, Written][] =>
    words === undefined ? [] : [[key, at(['run', key], String(words))]],
  );
  const skills = skillSettings(data, lineOf);
  return {
    kind: 'resolved',
    value: {
      missionRepository:
        data['mission-repo'] === undefined ? null : at(['mission-repo'], data['mission-repo']),
      model: data.model ?? null,
      ...modelSettings(data),
      permissions: (data.permissions ?? []).map((rule) => ({ ...rule, match: rule.match ?? null })),
      skills: skills.value,
      web: webSettings(data),
      shell: shellSettings(data),
      signatures: signatureSettings(data),
      redis: redisSettings(data, at),
      secrets: secretSettings(data, at),
      worker: workerSettings(data, at),
      runner: runnerSettings(data, at),
      run: new Map(run),
      written: Object.keys(settingsFile.shape)
        .flatMap((section) => leaves(value, [section], at))
        .map((one) => (VARIABLES_OF_ENGINEERS.test(one.name) ? { ...one, text: NOT_SHOWN } : one)),
      findings: skills.findings,
    },
  };
}

/** The values at and below a path; an empty list is one. A mapping without anything in it says nothing. */
function leaves(
  value: unknown,
  path: readonly PropertyKey[],
  at: (path: readonly PropertyKey[], words: string) => Written,
): Settings['written'] {
  const found = valueAt(value, path);
  if (found === undefined || found === null) return [];
  if (typeof found !== 'object') return [{ name: shownPath(path), ...at(path, String(found)) }];
  if (Array.isArray(found) && found.length === 0) return [{ name: shownPath(path), ...at(path, '[]') }];
  const steps = Array.isArray(found) ? found.map((_, place) => place) : Object.keys(found);
  return steps.flatMap((step) => leaves(value, [...path, step], at));
}

function issueFindings(
  issue: z.core.$ZodIssue,
  value: unknown,
  lineOf: (path: readonly PropertyKey[]) => number,
): Finding[] {
  const name = shownPath(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(issue.path);
    return issue.keys.map((key) =>
      finding(
        'unknown-key',
        lineOf([...issue.path, key]),
        `${shownValue(key)} is no key of ${name}; allowed: ${known.join(', ')}`,
        nameRemedy(key, known),
      ),
    );
  }
  if (issue.code === 'invalid_key') {
    const allowed = `<provider>/<model>, the provider one of ${PROVIDER_KEYS.join(', ')}`;
    const message = `${name}: not a name that may stand here; expected ${allowed}`;
    return [finding('bad-value', lineOf(issue.path), message, 'write the provider before the name')];
  }
  const found = valueAt(value, issue.path);
  const message =
    found === undefined
      ? `${name} is missing; expected ${expectation(issue)}`
      : `${name} is ${secretPlace(issue.path) ? 'not that' : shownValue(found)}; expected ${expectation(issue)}`;
  const code = found === undefined ? 'missing-field' : 'bad-value';
  return [finding(code, lineOf(issue.path), message, 'change the value, or remove the key')];
}

/** Where people put a key or a password by mistake: what stands there is not echoed. */
function secretPlace(path: readonly PropertyKey[]): boolean {
  return path[0] === 'providers' || (path[0] === 'web' && path[1] === 'proxy') || path.includes('env');
}

function shownValue(found: unknown): string {
  const shown = JSON.stringify(found);
  return looksLikeKey(shown) ? NOT_SHOWN : shown;
}

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value') return `one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'too_small') {
    return issue.origin === 'string' ? 'text that is not empty' : `a number of at least ${issue.minimum}`;
  }
  if (issue.code === 'invalid_union') return 'text, a number, true or false';
  if (issue.code !== 'invalid_type') return issue.message;
  const words: Readonly<Record<string, string>> = {
    string: 'text',
    array: 'a list',
    object: 'a mapping',
    record: 'a mapping',
    number: 'a number',
    int: 'a whole number',
  };
  return words[issue.expected] ?? issue.expected;
}

function refused(findings: readonly Finding[]): Resolved<never> {
  return { kind: 'refused', findings };
}

function finding(code: string, line: number, message: string, remedy: string): Finding {
  return { code, severity: 'error', path: SETTINGS_PATH, line, message, remedy };
}
