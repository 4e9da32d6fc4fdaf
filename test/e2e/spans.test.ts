// OpenTelemetry of the queue: a span for each turn, whose parent is whoever made it due, in another process; no text of
// anybody; and nothing at all where nobody has asked (spec/engine.md §2 "BullMQ").
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { does, shell } from '../cases/play.js';
import { bnerd } from '../helpers/bnerd.js';
import { describeRedis, redisForTests } from '../helpers/redis.js';
import { spanCollector } from '../helpers/span-collector.js';
import { job } from './job.js';
import { oneTask } from './missions.js';
import { OnRedis } from './on-redis.js';

const NONCE = 'nonce-7f3a9';
const SECRET = 'sk-nobody-has-this-key-42';

const fixture = (name: string): string =>
  `--import=${pathToFileURL(join(import.meta.dirname, '../fixtures/spans', name)).href}`;

const mission = () =>
  oneTask([does(shell(`echo ${NONCE} > hello`)), does(shell(`cat hello; echo ${NONCE} >&2; exit 3`))], {
    recipe: { safety: 'full' },
  });

describeRedis('spans of the queue', () => {
  const redis = redisForTests();

  test('each turn of the record has one, below that of who asked for it in another process', async () => {
    const collector = await spanCollector();
    const at = new OnRedis(await job(mission()), redis(), {
      BNERD_OTEL: 'yes',
      NODE_OPTIONS: fixture('register.js'),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
      OPENAI_API_KEY: SECRET,
    });
    const worker = await at.worker();
    const coordinator = await at.run(['--no-worker', `${NONCE}: say hello`]);
    expect((await coordinator.ended).exit).toBe(0);
    worker.signal('SIGTERM');
    expect((await worker.ended).exit).toBe(0);
    const spans = collector.spans();
    const started = (await at.facts()).flatMap((fact, place) =>
      fact.type === 'turn.started' ? [{ number: place + 1, member: fact.member, cause: fact.cause }] : [],
    );
    const outcomes = (await at.of('turn.ended')).map(({ member, outcome }) => [member, outcome]);
    const turns = spans.filter(({ attributes }) => 'bnerd.turn' in attributes);
    expect(
      turns.map(({ attributes }) => attributes['bnerd.turn']).sort((a, b) => Number(a) - Number(b)),
    ).toEqual(started.map(({ number }) => number));
    for (const { number, member, cause } of started) {
      const turn = turns.find(({ attributes }) => attributes['bnerd.turn'] === number);
      expect(turn).toMatchObject({
        kind: 'consumer',
        attributes: { 'bnerd.team': 'one', 'bnerd.member': member },
      });
      expect(turn?.attributes).toMatchObject({ 'bnerd.cause': cause, 'bnerd.role': member });
      const asked = spans.find(({ id }) => id === turn?.parent);
      expect(asked).toMatchObject({ kind: 'producer', trace: turn?.trace });
      expect(asked?.attributes).toMatchObject({
        'bnerd.team': 'one',
        'bnerd.member': member,
        'bnerd.cause': cause,
      });
    }
    expect(
      turns.map(({ attributes }) => [attributes['bnerd.member'], attributes['bnerd.outcome']]).sort(),
    ).toEqual([...outcomes].sort());
    // Two processes have sent them, and neither tells of its idle hours, nor of what anybody said.
    expect(collector.bodies.length).toBeGreaterThan(1);
    expect(spans.filter(({ kind }) => kind === 'other')).toEqual([]);
    const sent = collector.bodies.join('\n');
    for (const text of [NONCE, SECRET, 'Do one', 'echo']) expect(sent).not.toContain(text);
  });

  test('where nobody has asked nothing is sent and nothing is loaded, whatever is registered', async () => {
    const collector = await spanCollector();
    const at = new OnRedis(await job(mission()), redis(), {
      NODE_OPTIONS: fixture('register.js'),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
    });
    const quiet = await at.worker([], { NODE_OPTIONS: fixture('absent.js') });
    expect((await (await at.run(['--no-worker'])).ended).exit).toBe(0);
    quiet.signal('SIGTERM');
    expect((await quiet.ended).stderr).not.toContain('asked for');
    expect(collector.bodies).toEqual([]);
  });

  test.each([
    [
      'without the packages',
      { NODE_OPTIONS: fixture('absent.js') },
      /tracing-not-installed.*npm install bullmq-otel/,
    ],
    ['without an SDK', {}, /tracing-without-sdk.*NODE_OPTIONS/],
    ['in other words', { BNERD_OTEL: 'perhaps' }, /"perhaps" is not allowed here/],
  ])('asked for %s it is refused, with what to do', async (_, env, words) => {
    const asked = { BNERD_REDIS_URL: redis().url, BNERD_OTEL: 'yes', ...env };
    const { exit, stderr } = await bnerd(['worker'], { env: asked });
    expect(exit).toBe(2);
    expect(stderr).toMatch(words);
    expect(stderr).toContain('BNERD_OTEL');
  });
});
