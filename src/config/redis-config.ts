/**
 * Where the Redis of the Redis engine is, when one is meant at all (spec/engine.md §1, §3): a flag beats the variable, and
 * nothing is dialled where nobody has said so. An address with a password comes by a variable or a file and never stands in
 * a command line, where every user of the machine can read it.
 */

import { readFile } from 'node:fs/promises';
import { systemCode } from '../shared/errors.js';
import type { Finding } from '../shared/findings.js';
import { DEFAULT_REDIS_PREFIX, isRedisPrefix, REDIS_PREFIX_RULE } from '../shared/redis-names.js';
import { isTls, type RedisTls, resolveRedisTls } from './redis-tls.js';
import { NO_SETTINGS, type Settings } from './settings.js';
import { DURABILITIES } from './settings-keys.js';
import { type Reading, readChoice, readDuration, readYesNo, ValueReader } from './values.js';
import { badValue, type Layers, type Resolved, type Written, writtenValue } from './written.js';

export interface RedisConfig {
  /** As written; whether it is an address is found out by whoever opens it. May hold a password. */
  readonly url: string;
  /** `--redis`, `BNERD_REDIS_URL`, or the file it was read from. */
  readonly place: string;
  readonly tls: RedisTls;
  readonly prefix: string;
  /** The flag, whatever it points to, or the variable. */
  readonly saidBy: 'flag' | 'variable';
  /** Whether a process that runs a team takes turns as well. */
  readonly takesTurns: boolean;
  /** The name of this machine among the others; null: the one that its system has. */
  readonly host: string | null;
  /** Teams have to be signed on this machine's own Redis as well. */
  readonly signed: boolean;
  /** What has to have an entry before somebody acts on it: the server alone, or a replica of it too. */
  readonly durability: (typeof DURABILITIES)[number];
  /** In milliseconds (spec/engine.md §2 "Fences"). */
  readonly leaseMs: number;
  readonly beatMs: number;
  readonly graceMs: number;
}

const FORMS = 'redis://host:port, env:<variable> or file:<path>';

const LEASE_MS = 60_000;
const BEAT_MS = 10_000;
const GRACE_MS = 5_000;

/**
 * Null: no Redis is meant, teams are kept in files.
 * @param workingDirectory for paths that are relative
 */
export async function resolveRedisConfig(
  layers: Layers,
  { signatures, redis }: Pick<Settings, 'signatures' | 'redis'> = NO_SETTINGS,
  workingDirectory = '.',
): Promise<Resolved<RedisConfig | null>> {
  const address = await addressOf(layers);
  if (address === null) return { kind: 'resolved', value: null };
  if ('code' in address) return { kind: 'refused', findings: [address] };
  const reader = new ValueReader();
  const variable = (name: string): Written | undefined => {
    const text = layers.environment.variables.get(name);
    return text === undefined ? undefined : { text, place: name };
  };
  const duration = (name: string, fallback: number): number =>
    reader.valueOr(variable(name), fallback, (written) => readDuration(written, 100));
  const tls = await resolveRedisTls(layers, redis, address.url, workingDirectory);
  const prefix = reader.valueOr<string>(variable('BNERD_REDIS_PREFIX'), DEFAULT_REDIS_PREFIX, (written) =>
    isRedisPrefix(written.text)
      ? { kind: 'read', value: written.text }
      : { kind: 'refused', finding: badValue(written, REDIS_PREFIX_RULE, 'choose another name') },
  );
  const host = reader.valueOr<string | null>(variable('BNERD_HOST'), null, readHost);
  const durability = reader.valueOr<RedisConfig['durability']>(
    variable('BNERD_DURABILITY'),
    redis.durability ?? 'server',
    (written) => readChoice(written, DURABILITIES),
  );
  const saidBy: RedisConfig['saidBy'] = layers.flags.has('redis') ? 'flag' : 'variable';
  const takesTurns = !reader.valueOr(writtenValue(layers, 'no-worker'), false, readYesNo);
  const signed = reader.valueOr(
    variable('BNERD_REQUIRE_SIGNATURES'),
    signatures.required ?? false,
    readYesNo,
  );
  const leaseMs = duration('BNERD_LEASE', LEASE_MS);
  const beatMs = duration('BNERD_BEAT', Math.min(BEAT_MS, Math.floor(leaseMs / 6)));
  const graceMs = duration('BNERD_LEASE_GRACE', Math.min(GRACE_MS, Math.floor(leaseMs / 6)));
  if (leaseMs - graceMs <= beatMs) {
    const text = `lease ${leaseMs}ms, beat ${beatMs}ms, grace ${graceMs}ms`;
    const allowed = 'a beat that fits between the grace and the end of a lease';
    reader.findings.push(badValue({ text, place: 'BNERD_BEAT' }, allowed, 'make the beat shorter'));
  }
  if (tls.kind === 'refused') return { kind: 'refused', findings: [...reader.findings, ...tls.findings] };
  if (reader.findings.length > 0) return { kind: 'refused', findings: reader.findings };
  const times = { host, durability, leaseMs, beatMs, graceMs };
  const value = { ...address, tls: tls.value, saidBy, prefix, takesTurns, signed, ...times };
  return { kind: 'resolved', value };
}

/** Whether the address that was written, if any can be read, is one with TLS. */
export async function isReachedByTls(layers: Layers): Promise<boolean> {
  const address = await addressOf(layers);
  return address !== null && !('code' in address) && isTls(address.url);
}

/** It stands in the name of a queue. */
function readHost(written: Written): Reading<string> {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(written.text)) return { kind: 'read', value: written.text };
  const allowed = 'a name of up to 128 letters, digits, dots, hyphens and underscores';
  return { kind: 'refused', finding: badValue(written, allowed, 'write for example BNERD_HOST=vm-1') };
}

async function addressOf(
  layers: Layers,
): Promise<{ readonly url: string; readonly place: string } | Finding | null> {
  const written = writtenValue(layers, 'redis');
  if (written === undefined) return null;
  const { text: typed, place } = written;
  if (typed.startsWith('env:')) {
    const name = typed.slice('env:'.length);
    const url = layers.environment.named([name]).get(name);
    return url === undefined
      ? badValue(written, FORMS, `set ${name}, or name another variable`)
      : { url, place: name };
  }
  if (typed.startsWith('file:')) return ofFile(written, typed.slice('file:'.length));
  if (place === '--redis' && /^[a-z]+:\/\/[^/]*@/i.test(typed)) {
    const remedy = 'put the address into BNERD_REDIS_URL, or give env:<variable> or file:<path>';
    return badValue(written, `${FORMS}; no user and no password, which others could read`, remedy);
  }
  return { url: typed, place };
}

async function ofFile(
  written: Written,
  path: string,
): Promise<{ readonly url: string; readonly place: string } | Finding> {
  try {
    return { url: (await readFile(path, 'utf8')).trim(), place: path };
  } catch (error) {
    return badValue(written, FORMS, `the file cannot be read: ${systemCode(error) ?? 'failed'}`);
  }
}
