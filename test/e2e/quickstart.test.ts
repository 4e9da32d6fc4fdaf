/** The built-in team as a newcomer runs it: one command, no network, no key, no flag, stdin closed. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Fact, type FactOf, type FactType, fact } from '../../src/events/event.js';
import { type TranscriptEntry, transcriptEntry } from '../../src/events/transcript-entry.js';
import { type BnerdOptions, type BnerdPlace, type BnerdRun, bnerd, bnerdPlace } from '../helpers/bnerd.js';
import { engine } from '../helpers/engines.js';
import { putFiles } from '../helpers/repository.js';

const NO_NETWORK = join(import.meta.dirname, '../fixtures/programs/no-network.js');

/** A directory whose third document lies further down, with things that are no documents. */
const FILES: Readonly<Record<string, string>> = {
  'README.md': '# Lighthouse\n\nA lighthouse that blinks in the rhythm of the tide.\n\nMore follows.\n',
  'notes.txt': '\n\nlamp\n  The lamp is changed every second winter.\n',
  'docs/keeper.md': 'Keepers sleep by day.\n',
  'src/lamp.js': 'export const lamp = true;\n',
  'picture.png': '\u0089PNG\u0000\u0000',
};

async function directory(files: Readonly<Record<string, string>>): Promise<BnerdPlace> {
  const place = await bnerdPlace();
  await putFiles(place.work, files);
  return place;
}

function quickstart(flags: readonly string[], options: BnerdOptions): Promise<BnerdRun> {
  return bnerd(['team', 'run', 'quickstart', ...flags], options);
}

/** What a stream with `--json-events=all` tells. */
class Told {
  readonly facts: readonly (Fact & { readonly n: number })[];
  readonly #lines: BnerdRun['lines'];

  constructor(run: BnerdRun) {
    this.#lines = run.lines;
    this.facts = run.lines.flatMap((line) =>
      'n' in line ? [{ ...fact.parse(line), n: Number(line['n']) }] : [],
    );
  }

  of<Type extends FactType>(type: Type): (FactOf<Type> & { readonly n: number })[] {
    return this.facts.filter((one): one is FactOf<Type> & { readonly n: number } => one.type === type);
  }

  one<Type extends FactType>(type: Type): FactOf<Type> & { readonly n: number } {
    const [only, ...more] = this.of(type);
    if (only === undefined || more.length > 0) throw new Error(`${more.length + 1} or no ${type}`);
    return only;
  }

  /** Results of a tool that went well, with the arguments of the calls, in order. */
  results(tool: string): { member: string; arguments: unknown; text: string }[] {
    const calls = new Map<string, Extract<TranscriptEntry, { kind: 'reply' }>['calls'][number]>();
    const found: { member: string; arguments: unknown; text: string }[] = [];
    for (const line of this.#lines) {
      if (line['type'] !== 'transcript.appended') continue;
      const member = String(line['member']);
      const entry = transcriptEntry.parse(line['entry']);
      if (entry.kind === 'reply') for (const call of entry.calls) calls.set(`${member}/${call.place}`, call);
      if (entry.kind !== 'result' || entry.outcome !== 'ok') continue;
      const call = calls.get(`${member}/${entry.place}`);
      if (call?.tool === tool) found.push({ member, arguments: call.arguments, text: entry.text });
    }
    return found;
  }

  get workspace(): string {
    return this.one('run.started').workspace.path;
  }

  report(): Promise<string> {
    return readFile(join(this.workspace, 'report.md'), 'utf8');
  }
}

describe('quickstart in a directory with three documents', () => {
  test('ends done with exit 0, and stdout is the result and nothing else', async () => {
    const place = await directory(FILES);
    const node = engine().traits.has('offline') ? ['--import', NO_NETWORK] : [];
    const run = await quickstart([], { place, node });
    expect(run.stderr).toMatch(/^done \(exit 0\)$/m);
    expect(run.exit).toBe(0);
    expect(run.stdout).toBe(
      [
        'Three files of this directory, and what each of them says:',
        '',
        '1. README.md',
        '   > A lighthouse that blinks in the rhythm of the tide.',
        '   Line 3 of 5.',
        '',
        '2. notes.txt',
        '   > The lamp is changed every second winter.',
        '   Line 4 of 4.',
        '',
        '3. docs/keeper.md',
        '   > Keepers sleep by day.',
        '   Line 1 of 1.',
        '',
        'Check: all three quotations stand in their sources, word for word.',
        'The whole report is report.md in the workspace of this run.',
        '',
      ].join('\n'),
    );
    const id = /run-quickstart-[0-9A-Z]{26}/.exec(run.stderr)?.[0] ?? '';
    expect((await bnerd(['team', 'result', id], { place })).stdout).toBe(run.stdout);
    expect((await bnerd(['team', 'verify', id], { place })).exit).toBe(0);
  });

  test('shows a lead, two members, four tasks in their order, mail both ways and one confirmation', async () => {
    const run = await quickstart(['--json-events=all'], { place: await directory(FILES) });
    expect(run.exit).toBe(0);
    const told = new Told(run);
    expect(told.facts[0]?.type).toBe('run.started');
    expect(told.facts.at(-1)).toMatchObject({
      type: 'run.ended',
      reason: 'done',
      exit: 0,
      closed_by: 'lead',
    });

    const seats = told.of('member.spawned').map(({ seat }) => seat);
    expect(seats.map(({ member, lead }) => [member, lead])).toEqual([
      ['guide', true],
      ['scout', false],
      ['scribe', false],
    ]);
    expect(seats.flatMap(({ entries }) => entries.map(({ kind, name }) => `${kind} ${name}`))).toEqual([
      'rule evidence-first',
      'skill leading-a-team',
      'rule evidence-first',
      'skill reading-a-codebase',
      'rule evidence-first',
      'skill writing-a-report',
    ]);

    const created = told.of('task.created');
    expect(created.map(({ task, by, spec }) => [task, by, spec.role, spec.blocked_by])).toEqual([
      ['#1', 'recipe', 'scout', []],
      ['#2', 'recipe', 'scout', ['#1']],
      ['#3', 'recipe', 'scribe', ['#2']],
      ['#4', 'guide', 'scout', ['#3']],
    ]);
    const completed = new Map(told.of('task.completed').map(({ task, n }) => [task, n]));
    expect([...completed.keys()]).toEqual(['#1', '#2', '#3', '#4']);
    const offered = new Map(
      told.of('mail.sent').flatMap(({ kind, task, n }) => (kind === 'offer' ? [[task, n]] : [])),
    );
    for (const { task, spec } of created) {
      for (const before of spec.blocked_by) {
        expect(offered.get(task)).toBeGreaterThan(completed.get(before) ?? Number.POSITIVE_INFINITY);
      }
    }

    const delivered = new Map(
      told.of('mail.delivered').flatMap(({ member, messages }) => messages.map(({ id }) => [id, member])),
    );
    const mail = told.of('mail.sent').filter(({ kind }) => kind === 'mail');
    expect(mail.map(({ from, to }) => [from, ...to])).toEqual([
      ['guide', 'scout'],
      ['scout', 'guide'],
    ]);
    expect(mail.map(({ id }) => delivered.get(id))).toEqual(['scout', 'guide']);
    expect(told.of('mail.expired')).toEqual([]);

    expect(told.one('request.opened')).toMatchObject({
      kind: 'confirmation',
      member: 'scribe',
      tool: 'fs_write_file',
      class: 'write',
    });
    expect(told.one('request.decided')).toMatchObject({
      decision: 'approve',
      by: { kind: 'policy', name: 'rule of recipe: allow fs_write_file report.md' },
    });
    expect(told.one('tool.started')).toMatchObject({ member: 'scribe', tool: 'fs_write_file' });
  });

  test('reads three files that a listing has shown, and quotes them in report.md in a fresh workspace', async () => {
    const place = await directory(FILES);
    const run = await quickstart(['--json-events=all'], { place });
    const told = new Told(run);
    const listed = told.results('fs_glob').flatMap(({ text }) => text.split('\n'));
    const reads = told.results('fs_read_file');
    const paths = [...new Set(reads.map(({ text }) => /^(\S+): lines/.exec(text)?.[1]))];
    const read = paths.filter((path) => path?.startsWith('reads:1/') === true);
    expect(read).toEqual(['reads:1/README.md', 'reads:1/notes.txt', 'reads:1/docs/keeper.md']);
    expect(listed).toEqual(expect.arrayContaining(read));
    expect(told.one('run.started')).toMatchObject({ workspace: { kind: 'temp' }, reads: [place.work] });
    expect(told.workspace.startsWith(place.work)).toBe(false);
    expect(told.one('run.ended').artifacts).toEqual(['report.md']);

    const report = await told.report();
    const quotes = report.split('\n').filter((line) => line.startsWith('> '));
    expect(quotes).toEqual([
      '> A lighthouse that blinks in the rhythm of the tide.',
      '> The lamp is changed every second winter.',
      '> Keepers sleep by day.',
    ]);
    const texts = reads.filter(({ member }) => member === 'scribe').map(({ text }) => text);
    for (const quote of quotes) expect(texts.join('\n')).toContain(quote.slice(2));
  });

  test('tells another report and another result when a quoted line was changed, and the same when not', async () => {
    const place = await directory(FILES);
    const first = new Told(await quickstart(['--json-events=all'], { place }));
    const again = new Told(await quickstart(['--json-events=all'], { place }));
    expect(await again.report()).toBe(await first.report());
    expect(again.one('run.ended').result).toBe(first.one('run.ended').result);
    expect(again.workspace).not.toBe(first.workspace);

    await putFiles(place.work, { 'docs/keeper.md': 'Keepers $& sleep {{name1}} \\d+ at (noon).\n' });
    const changed = new Told(await quickstart(['--json-events=all'], { place }));
    expect((await changed.report()).replace('$& sleep {{name1}} \\d+ at (noon)', () => 'sleep by day')).toBe(
      await first.report(),
    );
    expect(changed.one('run.ended')).toMatchObject({
      reason: 'done',
      result: expect.stringContaining('> Keepers $& sleep {{name1}} \\d+ at (noon).'),
    });
  });

  test('ends the same when only one member works at a time', async () => {
    const place = await directory(FILES);
    const one = new Told(await quickstart(['--json-events=all', '--limit', 'concurrency=1'], { place }));
    const four = new Told(await quickstart(['--json-events=all'], { place }));
    expect(one.one('run.ended')).toMatchObject({ reason: 'done', result: four.one('run.ended').result });
    expect(await one.report()).toBe(await four.report());
    expect(one.of('mail.expired')).toEqual([]);
  });

  test('gives each member a prompt of the same bytes in another directory, home, zone, language and name', async () => {
    const zones = [
      { TZ: 'Pacific/Auckland', LANG: 'de_DE.UTF-8', LC_ALL: 'de_DE.UTF-8', USER: 'ada', LOGNAME: 'ada' },
      { TZ: 'America/St_Johns', LANG: 'C', LC_ALL: 'C', USER: 'grace', LOGNAME: 'grace' },
    ];
    const prompts: unknown[] = [];
    const teams = new Set<string>();
    for (const env of zones) {
      const place = await directory(env.USER === 'ada' ? FILES : { ...FILES, 'README.md': 'Other words.\n' });
      const told = new Told(await quickstart(['--json-events=all'], { place, env }));
      teams.add(told.workspace);
      prompts.push(
        told
          .of('member.spawned')
          .map(({ seat }) => [seat.member, seat.prompt_sha256, seat.prompt_bytes, seat.parts, seat.entries]),
      );
    }
    expect(teams.size).toBe(2);
    expect(prompts[0]).toEqual(prompts[1]);
    expect(prompts[0]).toHaveLength(3);
  });
});

describe('quickstart elsewhere', () => {
  test('begins with what introduces the directory, and looks no further than it must', async () => {
    const files = { 'a note.md': 'Of no use.\n', 'b.txt': 'Nor this.\n', 'README.rst': 'Begin here.\n' };
    const run = await quickstart(['--json-events=all'], {
      place: await directory({ ...files, 'README.pdf': '%PDF', 'c.md': 'Never read.\n' }),
    });
    const told = new Told(run);
    expect(told.one('run.ended')).toMatchObject({ exit: 0 });
    expect(
      told
        .of('task.completed')
        .filter(({ task }) => task === '#1')
        .map(({ summary }) => summary),
    ).toEqual(['Three files to begin with:\n1. README.rst\n2. a note.md\n3. b.txt']);
    expect(told.results('fs_list').map(({ arguments: args }) => args)).toEqual([{ path: 'reads:1' }]);
    expect(told.results('fs_glob')).toEqual([]);
  });

  test('takes source and other text files where there are not three documents', async () => {
    const run = await quickstart([], {
      place: await directory({
        'a.py': 'x = 1\n',
        'b/Makefile': 'all:\n',
        LICENSE: 'Free as in free beer.\n',
      }),
    });
    expect(run.exit).toBe(0);
    expect(run.stdout.match(/^(?:\d\. .+\n {3}> .+)$/gm)).toEqual([
      '1. LICENSE\n   > Free as in free beer.',
      '2. a.py\n   > x = 1',
      '3. b/Makefile\n   > all:',
    ]);
  });

  test('goes on over files that are empty or no text, and says that there is nothing to quote', async () => {
    const run = await quickstart([], {
      place: await directory({ 'a.md': '', 'b.md': '\u0000\u0001', 'c.md': 'Something at last.\n' }),
    });
    expect(run.exit).toBe(0);
    expect(run.stdout).toContain('1. a.md\n   > (nothing that could be quoted)\n');
    expect(run.stdout).toContain('2. b.md\n   > (nothing that could be quoted)\n');
    expect(run.stdout).toContain('3. c.md\n   > Something at last.\n');
    expect(run.stdout).toContain('Check: not every quotation stands in its source');
  });

  test('says what is missing where there are fewer than three files to read', async () => {
    const run = await quickstart([], { place: await directory({ 'a.md': 'One.\n', 'b.js': '2;\n' }) });
    expect(run.exit).toBe(1);
    expect(run.stdout).toBe(
      'There is no report. This directory has fewer than three text files that could be read (documents, source, ' +
        'configuration): 2 found. Run quickstart in a directory that has three, for instance a source tree.\n',
    );
    expect(run.stderr).toMatch(/^failed \(exit 1\)/m);
  });

  test('says that it may not write under --safety read-only, and writes nothing', async () => {
    const run = await quickstart(['--safety', 'read-only', '--json-events=all'], {
      place: await directory(FILES),
    });
    expect(run.exit).toBe(1);
    const told = new Told(run);
    expect(told.of('tool.started')).toEqual([]);
    expect(told.one('run.ended')).toMatchObject({
      reason: 'failed',
      result: expect.stringMatching(/^There is no report\. .*cannot be written: .*fs_write_file/),
    });
    await expect(told.report()).rejects.toThrow('ENOENT');
  });

  test('asks nobody else: an operator whose settings forbid the write is obeyed', async () => {
    const place = await directory(FILES);
    await writeFile(
      join(place.home, '.bnerd.yaml'),
      'permissions:\n  - { tool: fs_write_file, decision: deny }\n',
    );
    const run = await quickstart([], { place });
    expect(run.exit).toBe(1);
    expect(run.stdout).toMatch(
      /^There is no report\. .*denied, not run: rule of settings: deny fs_write_file/,
    );
  });

  test('has no findings of its own', async () => {
    const run = await bnerd(['team', 'lint', 'quickstart', '--strict'], {});
    expect(run.stderr + run.stdout).toContain('0 errors, 0 warnings, 0 remarks');
    expect(run.exit).toBe(0);
  });
});
