/**
 * Findings as a SARIF 2.1.0 log, for code scanning.
 *
 *  1. Each code is one rule; a result names it by id and index.
 *  2. A file inside the root is named relative to it, with forward slashes and percent-encoding; one outside by a
 *     `file:` URI. What is no file of the tree (a flag, the settings file) is a notification of the run.
 *  3. Text of files is plain text: braces are doubled and links broken up, as the format has meanings for both.
 */

import { sep } from 'node:path';
import type { Finding, Severity } from '../../shared/findings.js';
import { stripControls } from '../../shared/terminal-text.js';
import { type FilePlace, fileOf, type ReportFolders } from './place.js';

const LEVELS: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  error: 'error',
  warning: 'warning',
  info: 'note',
};

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/** What a relative URI is relative to: the consumer knows where the sources lie. */
const SOURCE_ROOT = '%SRCROOT%';

/** The log of one run of one command, as a plain value. */
export function sarifLog(findings: readonly Finding[], folders: ReportFolders, version: string): object {
  const placed = findings.map((finding) => ({ finding, file: fileOf(finding.path, folders) }));
  const ofFiles = placed.flatMap(({ finding, file }) => (file === null ? [] : [{ finding, file }]));
  const ofRun = placed.flatMap(({ finding, file }) => (file === null ? [finding] : []));
  const codes = [...new Set(ofFiles.map(({ finding }) => finding.code))];
  return {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'bnerd',
            version,
            semanticVersion: version,
            rules: codes.map((code) => ruleOf(code, findings)),
            notifications: [...new Set(ofRun.map(({ code }) => code))].map((code) => ruleOf(code, findings)),
          },
        },
        invocations: [
          {
            executionSuccessful: !ofRun.some(({ severity }) => severity === 'error'),
            toolConfigurationNotifications: ofRun.map((finding) => ({
              descriptor: { id: finding.code },
              level: LEVELS[finding.severity],
              message: { text: plainText(`${finding.path}: ${finding.message} (${finding.remedy})`) },
            })),
          },
        ],
        results: ofFiles.map(({ finding, file }) => ({
          ruleId: finding.code,
          ruleIndex: codes.indexOf(finding.code),
          level: LEVELS[finding.severity],
          message: { text: plainText(`${finding.message} (${finding.remedy})`) },
          locations: [{ physicalLocation: { artifactLocation: locationOf(file), ...regionOf(finding) } }],
        })),
      },
    ],
  };
}

function ruleOf(code: string, findings: readonly Finding[]): object {
  const severity = findings.find((finding) => finding.code === code)?.severity ?? 'warning';
  const words = code.replaceAll('-', ' ');
  return {
    id: code,
    shortDescription: { text: `${words.charAt(0).toUpperCase()}${words.slice(1)}` },
    fullDescription: { text: `Findings of the kind ${code}. Each says what was found and what is allowed.` },
    help: { text: 'What to do stands in parentheses at the end of each finding.' },
    defaultConfiguration: { level: LEVELS[severity] },
  };
}

function locationOf(file: FilePlace): object {
  const uri = file.path.split(sep).map(encoded).join('/');
  return file.kind === 'inside' ? { uri, uriBaseId: SOURCE_ROOT } : { uri: `file://${uri}` };
}

/** Half of a surrogate pair has no encoding. */
function encoded(segment: string): string {
  return encodeURIComponent(segment.replace(/\p{Surrogate}/gu, '\ufffd'));
}

function regionOf({ line }: Finding): object {
  return line === undefined ? {} : { region: { startLine: line } };
}

/** `{0}` would be a placeholder and `[text](target)` a link. */
function plainText(text: string): string {
  return stripControls(text).replaceAll('{', '{{').replaceAll('}', '}}').replaceAll('](', '] (');
}
