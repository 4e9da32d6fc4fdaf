// `web_fetch` in a team: who is asked, what answers, and what the settings and rules of hosts make of it.
import { expect, test } from 'vitest';
import { lintCatalogue } from '../../src/runtime/lint.js';
import { does } from '../cases/play.js';
import { startJob, type TestHouse, type WatchedTeam, writeMission } from '../helpers/team.js';
import { type FarSide, webServer } from '../tools/web/far-side.js';

interface Wish {
  readonly autoApprove?: 'never' | 'safe' | 'all';
  readonly permissions?: readonly object[];
  readonly tools?: readonly string[];
  /** What the member has to hear before it finishes. */
  readonly hears?: string;
  readonly allowPrivate?: readonly string[];
  readonly host?: string;
}

/** A lead that fetches a page and finishes with the word that it read there. */
async function fetching(word: string, wish: Wish): Promise<{ team: WatchedTeam; far: FarSide }> {
  const far = await webServer((_, response) =>
    response.setHeader('content-type', 'text/html').end(`<body><p>the word is <b>${word}</b>`),
  );
  const url = `http://${wish.host ?? '127.0.0.1'}:${far.port}/page`;
  const finish = { tool: 'team_finish', args: { outcome: 'done', result: 'The end: {{word}}' } };
  const captured = { capture: { word: wish.hears ?? 'the word is (\\w+)' }, ...does(finish) };
  const at = await writeMission({
    recipe: { safety: 'read-only', permissions: wish.permissions ?? [] },
    roles: { boss: { base: 'read', ...(wish.tools === undefined ? {} : { tools: wish.tools }) } },
    script: { boss: { turns: [{ steps: [does({ tool: 'web_fetch', args: { url } }), captured] }] } },
  });
  const house: TestHouse['house'] = {
    ...at.house,
    web: { proxy: null, allowPrivate: wish.allowPrivate ?? ['127.0.0.1'] },
  };
  const team = await startJob({ ...at, house }, { autoApprove: wish.autoApprove ?? 'safe' });
  return { team, far };
}

test.each(['never', 'safe'] as const)(
  'under --auto-approve %s it is asked about, and nothing is fetched',
  async (autoApprove) => {
    const { team, far } = await fetching('kestrel', { autoApprove });
    expect(await team.ended()).toMatchObject({ reason: 'needs_human' });
    expect(team.of('request.opened')).toHaveLength(1);
    expect(JSON.stringify(team.of('request.opened'))).toContain(`fetch http://127.0.0.1:${far.port}/page`);
    expect(far.connections()).toBe(0);
  },
);

test.each(['kestrel', 'merlin'])(
  'a rule that allows its host answers, and the page is read: %s',
  async (word) => {
    const permissions = [{ tool: 'web_fetch', match: '127.0.0.1', decision: 'allow' }];
    const { team, far } = await fetching(word, { permissions });
    expect(await team.ended()).toMatchObject({ reason: 'done', result: `The end: ${word}` });
    expect(far.heard).toHaveLength(1);
  },
);

test('--auto-approve all answers what the safety floor admits, and a rule that denies the host beats it', async () => {
  const { team, far } = await fetching('kestrel', {
    autoApprove: 'all',
    permissions: [{ tool: 'web_fetch', match: '127.0.*', decision: 'deny' }],
    hears: '(deny web_fetch 127\\.0\\.\\*)',
  });
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  expect(far.connections()).toBe(0);
  const allowed = await fetching('merlin', { autoApprove: 'all' });
  expect(await allowed.team.ended()).toMatchObject({ result: 'The end: merlin' });
});

test('an approval opens no address that the settings do not name', async () => {
  for (const [host, allowPrivate] of [
    ['127.0.0.1', ['10.0.0.0/8']],
    ['2130706433', []],
    ['localhost', ['docs.internal']],
  ] as const) {
    const { team, far } = await fetching('kestrel', {
      autoApprove: 'all',
      allowPrivate,
      host,
      hears: '(a loopback address)',
    });
    expect(await team.ended()).toMatchObject({ result: 'The end: a loopback address' });
    expect(far.connections()).toBe(0);
  }
});

test('WebFetch of an agent file is in effect, its pattern for a host as well', async () => {
  const whole = await fetching('kestrel', { autoApprove: 'all', tools: ['WebFetch'] });
  expect(await whole.team.ended()).toMatchObject({ result: 'The end: kestrel' });
  const { team, far } = await fetching('merlin', {
    autoApprove: 'all',
    tools: ['WebFetch(domain:docs.example.org)'],
    hears: '(only domain:docs\\.example\\.org)',
  });
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  expect(far.connections()).toBe(0);
});

test.each([
  ['https://example.org/*', true],
  ['domain:example.org', true],
  ['example.org:443', true],
  ['me@example.org', true],
  ['example.org.', true],
  ['', true],
  ['*.example.org', false],
  ['example.org', false],
  ['10.1.*', false],
  ['[fd00:*]', false],
])('a rule on %j is about no host: %s', async (match, refused) => {
  const at = await writeMission({
    recipe: { permissions: [{ tool: 'web_fetch', match, decision: 'deny' }] },
    roles: { boss: {} },
    script: { boss: { turns: [{ steps: [{ text: 'x' }] }] } },
  });
  const errors = (await lintCatalogue(at.house, ['job'])).findings.filter(
    ({ severity }) => severity === 'error',
  );
  expect(errors.some(({ message }) => message.includes('permissions'))).toBe(refused);
});
