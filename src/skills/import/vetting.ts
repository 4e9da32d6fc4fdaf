/**
 * What the reviewers of an import have to answer, as Markdown for the pull request (spec/skills.md §9). Pure.
 *
 * Always true: what comes from the text stands in code spans that it cannot leave, on one line: it can add no item, no
 * link, no mark-up and no mention.
 */

import { oneLine } from '../../shared/terminal-text.js';
import { overridePhrases } from '../guards/override-phrases.js';
import type { ImportedSkill } from './import-skill.js';

/** The checklist; ends with a line break. */
export function vettingChecklist(skill: ImportedSkill): string {
  const { entry, license, upstream, file, replaces, dropped } = skill;
  const facts: readonly (readonly [string, string])[] = [
    ['description', code(entry.description)],
    ['licence', code(license)],
    ['upstream', code(upstream)],
    ['file', code(file)],
    ['digest', code(entry.digest)],
    ['replaces', replaces === null ? 'nothing' : `${code(replaces.version)} of ${code(replaces.upstream)}`],
  ];
  const lines = [
    `## Vetting: ${code(entry.name)} ${code(entry.version ?? '')}`,
    '',
    '| | |',
    '|---|---|',
    // A bar would end the cell, also inside a code span.
    ...facts.map(([name, value]) => `| ${name} | ${value.replaceAll('|', '\\|')} |`),
    '',
    ...section('What it asks for', asks(skill)),
    ...section(
      'Left out of the upstream text',
      dropped.map(({ key, value }) => `${code(key)}: ${code(value)}`),
    ),
    ...section('Phrases that read like orders to override others', phrases(skill)),
    '### To be answered before it is merged',
    '',
    `- [ ] The licence ${code(license)} is compatible with how this repository is used and passed on.`,
    '- [ ] No exfiltration: nothing in it sends secrets, files or conversations anywhere.',
    '- [ ] No destruction: nothing in it deletes, overwrites or changes what is not part of its task.',
    '- [ ] No prompt injection: nothing in it tries to override other instructions, hide what is done or widen rights.',
    '- [ ] It was soaked outside of production.',
    `- [ ] Reviewer and date stand in its frontmatter: ${code('vetted: reviewed by <name> <date>')}.`,
    '',
  ];
  return lines.join('\n');
}

function section(title: string, items: readonly string[]): readonly string[] {
  if (items.length === 0) return [];
  return [`### ${title}`, '', ...items.map((item) => `- ${item}`), ''];
}

/** Everything by which it reaches more prompts, or says something of tools. */
function asks({ entry }: ImportedSkill): readonly string[] {
  const list = (items: readonly string[]): string =>
    items.length === 0 ? 'none' : items.map(code).join(', ');
  return [
    ...(entry.kind === 'rule' ? ['it is a rule, not a skill'] : []),
    ...(entry.alwaysOn ? ['it is always on'] : []),
    ...(entry.process ? ['it is a process: it governs the order of steps of a whole run'] : []),
    ...(entry.keywords.length > 0 ? [`it becomes active in a chat by: ${list(entry.keywords)}`] : []),
    ...(entry.appliesTo === null ? [] : [`it applies to: ${list(entry.appliesTo)}`]),
    ...(entry.requires.length > 0 ? [`it needs: ${list(entry.requires)}`] : []),
    ...(entry.allowedTools === null ? [] : [`it allows the tools: ${list(entry.allowedTools)}`]),
    ...(entry.support === 'partial' ? ['it refers to files or tools that do not come with it'] : []),
  ];
}

function phrases({ entry }: ImportedSkill): readonly string[] {
  const found = overridePhrases(`${entry.description}\n\n${entry.body}`);
  return found.map(
    ({ phrase, line }) =>
      `${code(phrase)}${line > 2 ? `, line ${line - 2} of its body` : ', in its description'}`,
  );
}

/** A code span that holds this text whatever is in it: its fence is longer than any run of backticks inside. */
function code(text: string): string {
  const inner = oneLine(text, 400);
  const runs = [...inner.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = '`'.repeat(Math.max(0, ...runs) + 1);
  const padded = inner === '' || /^[` ]|[` ]$/.test(inner) ? ` ${inner} ` : inner;
  return `${fence}${padded}${fence}`;
}
