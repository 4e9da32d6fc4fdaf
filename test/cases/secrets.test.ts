// Cases about secrets: what is known to be one stands nowhere (invariant 8; K218, K220, K221, K223).
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { verifyTeam } from '../../src/runtime/verify-team.js';
import { redactorOf } from '../../src/shared/secrets/redactor.js';
import { cleanBytes } from '../../src/tools/files/clean-bytes.js';
import { foundIn } from '../shared/secrets/encodings.js';
import { playAmongSecrets, playInTheOpen, SECRETS, sinksOf } from './secret-team.js';

const redactor = redactorOf(SECRETS);

/** The sinks of a run that hold something of every kind of text that a team makes. */
const SINKS = ['log.jsonl', 'transcripts', 'blobs', 'requests', 'told', 'result'];

describe('a team among secrets', () => {
  test('K218, K221, K223: nothing of a secret stands in any sink, in any encoding; where nobody knows them it stands in all', async () => {
    const open = await sinksOf(await playInTheOpen());
    for (const sink of SINKS) {
      const found = SECRETS.filter(({ value }) => foundIn(open.get(sink) ?? '', value).length > 0);
      expect(
        found.map(({ name }) => name),
        sink,
      ).not.toEqual([]);
    }

    const played = await playAmongSecrets(redactor);
    const sinks = await sinksOf(played);
    expect([...sinks.keys()]).toEqual(expect.arrayContaining(SINKS));
    for (const [sink, text] of sinks) {
      for (const { name, value } of SECRETS) expect(foundIn(text, value), `${name} in ${sink}`).toEqual([]);
    }
    for (const sink of SINKS) expect(sinks.get(sink), sink).toContain('[secret:');
    // The operator is told that their word was not passed on as it was.
    expect(played.told).toContain('what is secret in it was not passed on');
    // What is folded is what is recorded.
    expect(await verifyTeam(played.at.house, played.team.live.id)).toMatchObject({ kind: 'found' });
    expect(await played.team.ended()).toMatchObject({ reason: 'done' });

    // A write that holds a placeholder is refused, whatever form the value had.
    const refused = played.team
      .results('worker')
      .filter((text) => text.includes('was not run: its arguments hold'));
    expect(refused).toHaveLength(2);
    for (const file of ['stolen.txt', 'stolen.hex']) {
      await expect(access(join(played.at.workspace, file))).rejects.toThrow();
    }
    // The environment of a tool is an allow-list (K221).
    const env = played.team.results('worker').find((text) => text.includes('BNERD_MEMBER=worker'));
    expect(env).not.toMatch(/ANTHROPIC|DB_PASSWORD/);
  }, 120_000);
});

test('K220: a secret split over chunks at every byte offset never appears', () => {
  for (const { name, value } of SECRETS) {
    const bytes = Buffer.from(`head ${value} tail`);
    for (let at = 0; at <= bytes.length; at++) {
      const clean = cleanBytes(redactor);
      const out = Buffer.concat([
        clean.push(bytes.subarray(0, at)),
        clean.push(bytes.subarray(at)),
        clean.end(),
      ]).toString();
      expect(out).toBe(`head [secret:${name}] tail`);
    }
  }
});
