/** What it costs to look for twenty secrets, in every encoding, in what a tool has printed. */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const built = new URL('../../../dist/', import.meta.url);
const redactor = new URL('shared/secrets/redactor.js', built);
const top = new URL('../../../', import.meta.url);

const BYTES = 2 ** 20;
const SECRETS = 20;

/** Source, a lock file and prose, as a tool prints them. */
const FILES = ['src/cli/live/progress.ts', 'package-lock.json', 'README.md'];

export const row = {
  name: 'redaction',
  measures: `1 MiB of source, JSON and prose, looked through for ${SECRETS} secrets`,
  reference: 'JSON.stringify of the same text, which every record does',
  goal: 4,
  floor: 8,
  rounds: 51,
  warmup: 10,
  cpu: 'self',
  missing: () =>
    existsSync(redactor)
      ? undefined
      : `${fileURLToPath(redactor)} is not there: build it with "npm run build"`,
  ours: {
    async prepare() {
      const { redactorOf } = await import(redactor.href);
      const secrets = Array.from({ length: SECRETS }, (_, at) => ({
        name: `SERVICE_${at}_TOKEN`,
        value: `tk-${String((at + 1) * 2_654_435_761).padStart(14, 'x')}-${at}`,
      }));
      return { secrets: redactorOf(secrets), text: await aText() };
    },
    run: ({ secrets, text }) => secrets.text(text),
  },
  theirs: { prepare: aText, run: (text) => JSON.stringify(text) },
};

async function aText() {
  const texts = await Promise.all(FILES.map((file) => readFile(new URL(file, top), 'utf8')));
  const one = texts.join('\n');
  return Buffer.from(one.repeat(Math.ceil(BYTES / one.length)).slice(0, BYTES)).toString('utf8');
}
