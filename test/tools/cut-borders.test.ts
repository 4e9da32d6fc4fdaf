// Invariant 8 where a tool cuts what it shows: whatever lies across a border of it, no part of a secret is left.
import { expect, test } from 'vitest';
import { redactorOf } from '../../src/shared/secrets/redactor.js';
import { entryTool } from '../../src/tools/entry-tool.js';
import { type House, house } from './house.js';

const VALUE = 'kestrel-7Qm9Zt2LbWq+k';
const secrets = redactorOf([{ name: 'KEY', value: VALUE }]);
const FORMS = [VALUE, Buffer.from(VALUE).toString('hex'), Buffer.from(VALUE).toString('base64url')];

/** Longest part of a form that may be left. */
const LEFT = 4;

/** A text in which a form lies so far across a border. */
const across = (border: number, form: string, over: number): string =>
  `${'.'.repeat(border - over)}${form}${'.'.repeat(200)}`;

function expectNothingLeft(text: string, form: string): void {
  for (let at = 0; at + LEFT < form.length; at++) expect(text).not.toContain(form.slice(at, at + LEFT + 1));
}

async function everyPlace(
  at: House,
  { border, step, ask }: { border: number; step: number; ask: (path: string) => Promise<{ text: string }> },
): Promise<void> {
  for (const [name, form] of FORMS.entries()) {
    for (let over = 1; over < form.length; over += step) {
      const path = `f-${border}-${name}-${over}.txt`;
      await at.put(path, across(border, form, over));
      const { text } = await ask(path);
      expect(text).toContain('....');
      expectNothingLeft(text, form);
    }
  }
}

test('a long line, as it is read and as it is found', async () => {
  const at = await house({ secrets });
  const ask = (path: string) => at.call('fs_read_file', { path });
  await everyPlace(at, { border: 2_000, step: 1, ask });
  const find = (path: string) => at.call('fs_grep', { pattern: '^[.]', glob: path });
  await everyPlace(at, { border: 300, step: 1, ask: find });
});

test('what a program prints, where its head ends and where its tail begins', async () => {
  const at = await house({ secrets });
  const shell = (path: string) =>
    at.call('shell_exec', { command: `cat ${path}; head -c 40000 /dev/zero | tr '\\0' .` });
  await everyPlace(at, { border: 8 * 1024, step: 7, ask: shell });
  const tail = (path: string) =>
    at.call('shell_exec', { command: `head -c 20000 /dev/zero | tr '\\0' .; cat ${path}` });
  for (const form of FORMS) {
    for (let over = 1; over < form.length; over += 7) {
      await at.put('tail.txt', `${form}${'.'.repeat(24 * 1024 - form.length + over)}`);
      expectNothingLeft((await tail('tail.txt')).text, form);
    }
  }
});

test('what a tool of an entry prints', async () => {
  const at = await house({ secrets });
  const ask = async (path: string) => {
    const run = ['sh', '-c', `cat ${path}; head -c 40000 /dev/zero | tr '\\0' .`];
    const definition = {
      name: 'shown',
      description: 'Shows.',
      parameters: { type: 'object' },
      run,
      class: 'read',
    } as const;
    const made = entryTool(definition, at.parts.shell);
    if (made.kind === 'unusable') throw new Error(made.why);
    const prepared = await made.tool.prepare({});
    if (prepared.kind === 'refused') throw new Error(prepared.text);
    return made.tool.run(prepared.arguments, new AbortController().signal);
  };
  await everyPlace(at, { border: 8 * 1024, step: 9, ask });
});
