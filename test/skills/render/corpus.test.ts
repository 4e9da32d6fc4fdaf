// Real texts: what strangers wrote for others is rendered, reads back, and is all but untouched.
import { describe, expect, test } from 'vitest';
import { parseOpen } from '../../../src/skills/parse/open.js';
import { renderForSystem, renderInMessage } from '../../../src/skills/render.js';
import { replaceReferences } from '../../../src/skills/support.js';
import { corpusSkills, hasSkillCorpus } from '../../helpers/skill-corpus.js';
import { anEntry } from '../entries.js';
import { codeBlocks } from './code-blocks.js';
import { entriesOf } from './read-back.js';

describe.skipIf(!hasSkillCorpus)('the corpus of skills by strangers (needs ../shared)', () => {
  const entries = (hasSkillCorpus ? corpusSkills() : []).flatMap(({ path, text, directory }) => {
    const parsed = parseOpen(text, {
      path,
      tier: 'global',
      tree: 'agents',
      layout: 'directory',
      expectedName: directory,
      kind: 'skill',
    });
    return parsed.kind === 'refused' ? [] : [anEntry(parsed.entry)];
  });

  test('reads back, all of it in one prompt', () => {
    expect(entries.length).toBeGreaterThan(1_000);
    const read = entriesOf(entries.map((entry) => renderForSystem(entry)).join('\n\n'));
    expect(read.map(({ name }) => name)).toEqual(entries.map(({ name }) => name));
    for (const [index, { name, description, body, support }] of entries.entries()) {
      const shown = support === 'partial' ? replaceReferences(body) : body;
      expect(read[index]).toMatchObject({ name, description, body: shown });
    }
  });

  test('keeps its fenced code where it was, also when its bundle is in reach', () => {
    for (const entry of entries) {
      for (const bundle of [null, 'skills/s']) {
        const body = renderInMessage(entry, bundle).replace(/^.*\n/, '');
        expect([entry.path, codeBlocks(body)]).toEqual([entry.path, codeBlocks(entry.body)]);
      }
    }
  });

  test('is taken for an imitation in no more than one text of five hundred', () => {
    const broken = entries.filter((entry) => renderForSystem(entry).includes('⧵'));
    expect(broken.length).toBeLessThan(entries.length / 500);
  });
});
