/** What the safety of composition costs: escaping, stripping, order, against putting the same strings together. */

import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const built = new URL('../../../dist/', import.meta.url);
const skills = new URL('../../../skills/', import.meta.url);
const renderer = new URL('skills/render.js', built);

const ENTRIES = 50;

export const row = {
  name: 'compose-entries',
  measures: `${ENTRIES} entries, every fifth of them partial and every tenth accented, as the parts of a system prompt, to the bytes of the joined prompt`,
  reference: 'their headers, descriptions and bodies concatenated as they stand, to bytes',
  goal: 5,
  floor: 8,
  rounds: 51,
  warmup: 10,
  cpu: 'self',
  missing: () =>
    existsSync(renderer)
      ? undefined
      : `${fileURLToPath(renderer)} is not there: build it with "npm run build"`,
  ours: {
    async prepare() {
      const { renderForSystem } = await import(renderer.href);
      const { inOrder } = await import(new URL('skills/composition-order.js', built).href);
      return { renderForSystem, inOrder, entries: await someEntries() };
    },
    run({ renderForSystem, inOrder, entries }) {
      const parts = inOrder(entries).map((entry) => renderForSystem(entry));
      return Buffer.from(parts.join('\n\n'));
    },
  },
  theirs: {
    prepare: someEntries,
    run(entries) {
      const parts = entries.map(
        ({ name, version, description, body }) => `[Skill: ${name}] v${version}\n${description}\n\n${body}`,
      );
      return Buffer.from(parts.join('\n\n'));
    },
  },
};

/** The built-in skills over and over under names of their own, in no order; new strings each time. */
async function someEntries() {
  const bodies = [];
  for (const name of (await readdir(skills)).sort()) {
    const file = new URL(`${name}/SKILL.md`, skills);
    if (existsSync(file))
      bodies.push((await readFile(file, 'utf8')).replace(/^---[\s\S]*?\n---\n/, '').trim());
  }
  return Array.from({ length: ENTRIES }, (_, index) => {
    const partial = index % 5 === 0;
    const body = [
      bodies[index % bodies.length],
      ...(partial ? ['Run `scripts/check.sh` and read references/why.md.'] : []),
      ...(index % 10 === 1 ? ['Größe, Maß und Prüfung: à vérifier.'] : []),
    ].join('\n\n');
    return {
      kind: 'skill',
      name: `skill-${(index * 37) % 101}`,
      version: '1.0.0',
      description: `What number ${index} is for, and when to reach for it.`,
      body,
      support: partial ? 'partial' : 'full',
      digest: `1:${String(index).padStart(64, '0')}`,
    };
  });
}
