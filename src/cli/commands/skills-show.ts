/** `bnerd skills show`: one entry, as a page for people, as JSON, or exactly as a system prompt holds it. */

import { resourcesOf, type ShownEntry, showEntry } from '../../runtime/skills/show-entry.js';
import type { Finding } from '../../shared/findings.js';
import { jsonDocument, stripControls } from '../../shared/terminal-text.js';
import { standingText } from '../../skills/inventory/standing.js';
import type { Resources } from '../../skills/read/resources.js';
import { houseOf } from '../build-house.js';
import { argument, type Call, isGiven } from '../call.js';
import { refuse, writeFindings } from '../refusal.js';
import { entryJson, fieldsJson, standingJson } from '../texts/entry-json.js';
import { entryText, resourcesText } from '../texts/entry-text.js';
import { controlsNote } from '../texts/prompt-parts.js';
import { oneOfTwo } from '../usage.js';

/** The entry is there, and it is not what was asked for: it holds none, or no system prompt ever holds it. */
const NO = 1;

export async function run(call: Call): Promise<number> {
  const { program } = call;
  const house = await houseOf(call, 'catalogue');
  if (house.kind === 'refused') return refuse(program, house.findings);
  const found = await showEntry(house.value, argument(call, 'name'));
  if (found.kind === 'refused') return refuse(program, found.findings);
  const { value } = found;
  if (isGiven(call, 'rendered') && isGiven(call, 'resources'))
    return refuse(program, [oneOfTwo('--rendered', '--resources')]);
  const resources = isGiven(call, 'resources') ? await resourcesOf(value) : null;
  const exit = value.entry === null ? NO : 0;
  if (isGiven(call, 'json')) {
    program.output.results.write(jsonDocument(documentOf(value, resources)));
    return exit;
  }
  writeFindings(program, value.said);
  if (isGiven(call, 'rendered')) return writeRendered(call, value);
  if (resources !== null) {
    program.output.results.write(resourcesText(resources));
    writeFindings(program, resources.findings);
    return exit;
  }
  program.output.results.write(entryText(value, house.value.workingDirectory));
  return exit;
}

/** Stdout holds the text, not a byte more, so that its digest is that of the record. */
function writeRendered({ program }: Call, shown: ShownEntry): number {
  const { rendered } = shown;
  if (rendered === null) {
    writeFindings(program, [neverRendered(shown)]);
    return NO;
  }
  program.output.results.write(stripControls(rendered.text));
  const notes = [`${rendered.bytes} bytes, SHA-256 ${rendered.sha256}`, ...controlsNote(rendered.text)];
  program.output.notes.write(`\n${notes.map((line) => `${line}\n`).join('')}`);
  return 0;
}

function neverRendered({ shown }: ShownEntry): Finding {
  const { file, kind, name, standing } = shown;
  return {
    code: 'not-rendered',
    severity: 'error',
    path: file.path,
    message: `no system prompt holds the ${kind} ${name}: it is ${standingText(standing, (path) => path)}`,
    remedy: 'bnerd skills show <name> says all that is known of it',
  };
}

function documentOf(
  { shown, entry, rendered, others, findings }: ShownEntry,
  resources: Resources | null,
): object {
  return {
    v: 1,
    ...entryJson(shown),
    ...(entry === null ? {} : fieldsJson(entry)),
    ...standingJson(shown.standing),
    rendered,
    others: others.map(entryJson),
    findings,
    ...(resources === null ? {} : { resources: resources.resources, not_listed: resources.findings }),
  };
}
