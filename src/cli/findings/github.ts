/**
 * Findings as workflow commands of GitHub Actions: one line each, `::error file=…,line=…,title=…::…`. A line that is
 * one of these is read as nothing else, so no text of a file can become a command of its own.
 */

import type { Finding, Severity } from '../../shared/findings.js';
import { stripControls } from '../../shared/terminal-text.js';
import { fileOf, type ReportFolders } from './place.js';

const COMMANDS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'notice' };

/** A line per finding. What is no file of the tree is named in the text, since the runner can point nowhere. */
export function githubText(findings: readonly Finding[], folders: ReportFolders): string {
  return findings.map((finding) => `${command(finding, folders)}\n`).join('');
}

function command({ code, severity, path, line, message, remedy }: Finding, folders: ReportFolders): string {
  const file = fileOf(path, folders);
  const properties = [
    ...(file === null ? [] : [`file=${property(file.path)}`]),
    ...(file === null || line === undefined ? [] : [`line=${line}`]),
    `title=${property(code)}`,
  ];
  const text = `${file === null ? `${path}: ` : ''}${message} (${remedy})`;
  return `::${COMMANDS[severity]} ${properties.join(',')}::${data(text)}`;
}

/** The runner turns exactly these back; `%` first, or the others would be escaped twice. */
function data(text: string): string {
  return stripControls(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
