// Invariant 12 over everything at once: a team with rules, skills, a process, a page, text of strangers in front of its
// first messages and with its tasks, and a tool of an entry. Every body of a request that a loopback server in the place
// of the provider received is searched for every planted text: what is found is named in the record with version, digest,
// origin and trust, its digest is that of its text, and nothing else is found anywhere.
import { describe, expect, test } from 'vitest';
import type { LoadedEntry } from '../../src/events/facts/frozen.js';
import { sha256 } from '../../src/shared/digest.js';
import { entryDigest } from '../../src/skills/digest.js';
import { renderForSystem, renderInMessage } from '../../src/skills/render.js';
import { readStoredText, storedName } from '../../src/skills/stored-text.js';
import { engine } from '../helpers/engines.js';
import { farSide } from '../helpers/provider-team.js';
import { calls, says } from '../helpers/providers/deeds.js';
import type { Respond, Seen, Wire } from '../helpers/providers/far-side.js';
import { MODEL_NAMES } from '../helpers/providers/open-far.js';
import { putFiles } from '../helpers/repository.js';
import { anEntry } from '../skills/entries.js';
import { stranger } from './stranger.js';

/** Where the text of an entry reaches a member. */
type Way = 'system' | 'block' | 'rider' | 'shown';

/** A file with a word in its body that stands nowhere else. */
interface Planted {
  readonly name: string;
  readonly word: string;
  readonly kind: 'rule' | 'skill';
  readonly version: string | null;
  readonly text: string;
  /** By member; who is not there is never sent it. */
  readonly reaches: Readonly<Record<string, Way>>;
}

function planted(
  name: string,
  word: string,
  reaches: Planted['reaches'],
  {
    kind = 'skill',
    version = null,
    more = [],
    body = '',
  }: {
    readonly kind?: Planted['kind'];
    readonly version?: string | null;
    readonly more?: readonly string[];
    readonly body?: string;
  } = {},
): Planted {
  const head = [`name: ${name}`, `description: About ${word}-things.`, `kind: ${kind}`, ...more];
  if (version !== null) head.push(`version: ${version}`);
  return {
    name,
    word,
    kind,
    version,
    reaches,
    text: `---\n${head.join('\n')}\n---\nThe word is ${word}.\n${body}`,
  };
}

const SAY = [
  'tools:',
  '  - {name: say, description: Says it, run: [cat], class: read, parameters: {type: object}}',
];

/** The operator's own, which instruct. */
const OWN: Readonly<Record<string, Planted>> = {
  'rules/tone.md': planted(
    'tone',
    'wren',
    { boss: 'system', worker: 'system' },
    { kind: 'rule', version: '2.0.0' },
  ),
  'skills/craft/SKILL.md': planted('craft', 'kestrel', { worker: 'system' }, { version: '1.2.3', more: SAY }),
  'skills/steps/SKILL.md': planted(
    'steps',
    'goshawk',
    { boss: 'system' },
    { more: ['process: true', 'page: optional'] },
  ),
  'skills/guide/SKILL.md': planted('guide', 'osprey', { worker: 'rider' }, { version: '0.1.0' }),
  'skills/idle/SKILL.md': planted('idle', 'hobby', {}),
  'skills/off/SKILL.md': planted('off', 'buzzard', {}),
};

/** Those of strangers: what a role or task names is shown. */
const THEIRS: Readonly<Record<string, Planted>> = {
  '.bnerd/skills/news/SKILL.md': planted('news', 'merlin', { worker: 'block' }, { version: '9.9.9' }),
  '.claude/skills/lore/SKILL.md': planted('lore', 'harrier', { worker: 'shown' }),
  '.bnerd/skills/long/SKILL.md': planted('long', 'condor', {}, { body: 'More of it.\n'.repeat(3_000) }),
  '.bnerd/skills/craft/SKILL.md': planted('craft', 'vulture', {}),
  '.bnerd/skills/guide/SKILL.md': planted('guide', 'falcon', {}),
  '.bnerd/skills/any/SKILL.md': planted(
    'any',
    'eagle',
    {},
    { more: ['always_on: true', 'keywords: [task]'] },
  ),
  'orchestrator/rules/order.md': planted('order', 'kite', {}, { kind: 'rule' }),
};

const PLANTED = [...Object.values(OWN), ...Object.values(THEIRS)];

const files = (of: Readonly<Record<string, Planted>>): Record<string, string> =>
  Object.fromEntries(Object.entries(of).map(([path, { text }]) => [path, text]));

/** The lead passes on what the worker passes on of what the tool of its skill has read. */
const atWork: Respond = (seen) => {
  const all = seen.messages.map(({ text }) => text).join('\n');
  const told = /the tool read (\w+)/.exec(all)?.[1];
  if (memberOf(seen) === 'boss')
    return told === undefined
      ? says('I wait.')
      : calls('team_finish', { outcome: 'done', result: `It was ${told}.` });
  if (!all.includes('Task #1 is ready')) return says('Ready.');
  if (!all.includes('is yours, attempt')) return calls('team_task_claim', { task: '#1' });
  const read = /\{"word":"(\w+)"\}/.exec(all)?.[1];
  if (read === undefined) return calls('say', { word: 'petrel' });
  const reported = seen.messages.some(
    (message) =>
      message.role === 'assistant' && message.calls.some(({ tool }) => tool === 'team_task_complete'),
  );
  return reported
    ? says('Done.')
    : calls('team_task_complete', { task: '#1', summary: `the tool read ${read}` });
};

function memberOf({ system }: Seen): string {
  return /You are (boss|worker)\./.exec(system.join('\n'))?.[1] ?? 'nobody';
}

const WIRES: readonly Wire[] = ['anthropic', 'openai-compatible'];

describe.each(WIRES)('%s', (wire) => {
  test('every text of an entry that reached a model is in the record, and nothing else reached one', async () => {
    const far = await farSide(wire, atWork);
    const at = await stranger({ '.bnerd/context.md': '# A mission\n', ...files(THEIRS) });
    const role = (name: string, more: string): string =>
      `---\nname: ${name}\ndescription: The ${name}\n${more}---\nYou are ${name}.\n`;
    await putFiles(at.place.state, {
      ...files(OWN),
      'teams/job/team.md': [
        '---',
        'name: job',
        'description: A job',
        'lead: boss',
        'roles: [boss, worker]',
        'process: steps',
        'page: https://example.org/page',
        'tasks: [{id: look, subject: Look around, role: worker, skills: [guide, lore, craft]}]',
        '---',
        'Work together.',
        '',
      ].join('\n'),
      'roles/boss.md': role('boss', 'tools: []\n'),
      'roles/worker.md': role('worker', 'tools: [Read, say]\nskills: [craft, news, long]\n'),
    });
    const base = far.url.replace(wire === 'anthropic' ? /\/v1$/ : /\/$/, '');
    await putFiles(at.place.home, {
      '.bnerd.yaml': `providers: {${wire}: {base-url: "${base}"}}\nmodels: {${wire}/${MODEL_NAMES[wire]}: {context: 200000}}\nskills: {disabled: [off]}\n`,
    });
    const env = { ANTHROPIC_API_KEY: 'k', OPENAI_COMPATIBLE_API_KEY: 'k' };
    const order = ['--model', `${wire}/${MODEL_NAMES[wire]}`, '--auto-approve', 'all'];
    const run = await at.bnerd(['team', 'run', 'job', 'Look.', ...order], { env });
    expect(run.exit, run.stderr).toBe(0);
    expect(run.stdout.trim()).toBe('It was petrel.');
    const id = /run-job-[0-9A-Z]+/.exec(run.stderr)?.[0] ?? '';

    const view = engine().record(at.place, id);
    const facts = (await view.log()).entries.flatMap((entry) => [...entry.facts]);
    const given = (member: string): readonly LoadedEntry[] =>
      facts.flatMap((fact) => {
        if (fact.type === 'member.spawned' && fact.seat.member === member) return fact.seat.entries;
        if (fact.type !== 'task.created') return [];
        return fact.spec.skills
          .filter(({ members }) => members.includes(member))
          .flatMap(({ entries }) => entries);
      });

    const members = ['boss', 'worker'];
    expect(new Set(far.seen.map(memberOf))).toEqual(new Set(members));
    for (const { name, word, kind, version, reaches } of PLANTED) {
      for (const member of members) {
        const bodies = far.seen.filter((seen) => memberOf(seen) === member);
        const found = bodies.filter((seen) => JSON.stringify(seen.body).includes(word));
        const way = reaches[member];
        const what = `${name} (${word}) to ${member}`;
        if (way === undefined) {
          expect(found.length, what).toBe(0);
          continue;
        }
        expect(found.length, what).toBeGreaterThan(0);
        const instructs = way === 'system' || way === 'rider';
        const [entry, ...others] = given(member).filter((one) => one.name === name);
        expect(others, what).toEqual([]);
        expect(entry, what).toMatchObject({
          kind,
          version,
          origin: null,
          trust: instructs ? 'instruction' : 'reference',
          tier: instructs ? 'global' : 'project',
          level: way === 'rider' || way === 'shown' ? 'task' : name === 'steps' ? 'process' : 'role',
        });
        // The digest is that of the stored text, the stored text says the word, and what was sent is made of it.
        const stored = await view.blob(storedName(entry?.digest ?? ''));
        expect(stored, what).toContain(`The word is ${word}.`);
        const fields = readStoredText(stored ?? '');
        if (fields === undefined) throw new Error(`${what}: no stored text`);
        expect(entryDigest(fields), what).toBe(entry?.digest);
        const whole = { ...anEntry(), ...fields };
        const rendered = way === 'rider' ? renderInMessage(whole) : renderForSystem(whole);
        expect(sha256(rendered), what).toBe(entry?.rendered_sha256);
        for (const seen of found) {
          const system = seen.system.join('\n\n');
          const messages = seen.messages.map(({ text }) => text).join('\n\n');
          expect(system.split(word).length - 1, what).toBe(
            way === 'system' ? occurrences(rendered, word) : 0,
          );
          expect(messages.split(word).length - 1, what).toBe(
            way === 'system' ? 0 : occurrences(rendered, word),
          );
          expect(way === 'system' ? system : messages, what).toContain(rendered);
          expect(JSON.stringify(seen.tools), what).not.toContain(word);
        }
        if (way === 'system') expect(found, what).toHaveLength(bodies.length);
      }
    }

    // Every header of an entry in a prompt, those of the built-in ones too, is that of an entry of the record.
    for (const seen of far.seen) {
      const member = memberOf(seen);
      const headers = seen.system.join('\n\n').match(/^\[(?:Skill|Rule): [^\]]+\]/gmu) ?? [];
      const named = given(member).filter(({ level, trust }) => level !== 'task' && trust === 'instruction');
      expect(headers.sort()).toEqual(
        named.map((one) => `[${one.kind === 'rule' ? 'Rule' : 'Skill'}: ${one.name}]`).sort(),
      );
      expect(seen.tools.some(({ name }) => name === 'say')).toBe(member === 'worker');
    }

    expect(await at.bnerd(['team', 'verify', id])).toMatchObject({ exit: 0 });
    const audit = await at.bnerd(['skills', 'audit', id, '--format', 'json']);
    expect(audit.exit, audit.stderr).toBe(0);
    const { members: audited } = JSON.parse(audit.stdout) as {
      members: {
        member: string;
        entries: (LoadedEntry & { task: string | null })[];
        withheld: { entry: string }[];
      }[];
    };
    for (const { member, entries, withheld } of audited) {
      const expected = PLANTED.filter(({ reaches }) => reaches[member] !== undefined).map(({ name }) => name);
      const own = entries.filter(({ tier }) => tier !== 'builtin');
      expect(own.map(({ name }) => name).sort(), member).toEqual(expected.sort());
      for (const entry of own)
        expect(given(member)).toContainEqual(expect.objectContaining({ digest: entry.digest }));
      expect(
        withheld.map(({ entry }) => entry),
        member,
      ).toEqual(member === 'worker' ? ['long'] : []);
    }
  });
});

function occurrences(text: string, word: string): number {
  return text.split(word).length - 1;
}
