// Logs: JSON lines with a fixed message, ids in fields, and no secret in any of them (spec/engine.md §3 "Logs").
import { expect, test } from 'vitest';
import { type LogLevel, openLog, SILENT_LOG } from '../../src/shared/log.js';
import { NO_SECRETS, redactorOf } from '../../src/shared/secrets/redactor.js';

async function logOf(level: LogLevel, secrets = NO_SECRETS) {
  const lines: string[] = [];
  const write = (line: string): void => {
    lines.push(line);
  };
  const clock = { wallMs: () => Date.UTC(2026, 0, 2, 3, 4, 5, 6) };
  return { lines, log: await openLog({ level, write, secrets, clock, fields: { pid: 7 } }) };
}

test('a line is one JSON object: level by name, time, what the owner says of itself, what the line and its kin say, message', async () => {
  const { lines, log } = await logOf('info');
  log.child({ team: 'one' }).info({ member: 'lead', turn: 3, outcome: null }, 'turn.ended');
  expect(lines).toEqual([
    '{"level":"info","time":"2026-01-02T03:04:05.006Z","pid":7,"team":"one","member":"lead","turn":3,"outcome":null,"msg":"turn.ended"}\n',
  ]);
});

test.each<[LogLevel, readonly string[]]>([
  ['silent', []],
  ['error', ['error']],
  ['warn', ['error', 'warn']],
  ['info', ['error', 'warn', 'info']],
  ['debug', ['error', 'warn', 'info', 'debug']],
])('at %s these are said: %j', async (level, said) => {
  const { lines, log } = await logOf(level);
  for (const name of ['error', 'warn', 'info', 'debug'] as const) log[name]({}, name);
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(said);
  if (level === 'silent') expect(log).toBe(SILENT_LOG);
});

test('whoever writes a secret into a field, of a child or of a line, as it is or encoded: it is not in the line', async () => {
  const value = 'not-for-"anybody"-to-see';
  const { lines, log } = await logOf('info', redactorOf([{ name: 'API_TOKEN', value }]));
  log
    .child({ detail: value })
    .warn({ detail: `it said ${value}`, other: encodeURIComponent(value) }, 'trouble');
  const [line = ''] = lines;
  expect(line).not.toContain('anybody');
  expect(JSON.parse(line)).toMatchObject({ detail: 'it said [secret:API_TOKEN]', msg: 'trouble' });
});
