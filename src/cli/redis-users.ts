/** `bnerd doctor --acl`: the users of a prefix as a file on stdout, what to know of them on stderr. */

import type { AclConfig } from '../config/acl-config.js';
import {
  missingPassword,
  REDIS_ROLES,
  type RedisRole,
  redisUsers,
  usersFile,
} from '../runtime/doctor/redis-users.js';
import { DEFAULT_REDIS_PREFIX, redisNames } from '../shared/redis-names.js';
import { jsonDocument } from '../shared/terminal-text.js';
import { houseOf } from './build-house.js';
import { type Call, isGiven } from './call.js';
import { refuse } from './refusal.js';

/** Writes them; nothing is asked of any server. Exit code. */
export async function writeUsers(call: Call, { form, passwords }: AclConfig<RedisRole>): Promise<number> {
  const { program } = call;
  const { results, notes } = program.output;
  const house = await houseOf(call, 'records');
  if (house.kind === 'refused') return refuse(program, house.findings);
  const { redis } = house.value;
  const prefix = program.environment.variables.get('BNERD_REDIS_PREFIX') ?? DEFAULT_REDIS_PREFIX;
  const wanted = { form, passwords, names: redis?.names ?? redisNames(prefix) };
  const users = redisUsers({ ...wanted, database: redis?.address.database ?? 0 });
  if (isGiven(call, 'json')) {
    results.write(jsonDocument({ v: 1, prefix, form, users }));
    return 0;
  }
  results.write(usersFile(users));
  const missing = REDIS_ROLES.filter((role) => !passwords.has(role)).map(missingPassword);
  const lines = [
    'this is a file for the setting aclfile of the server, as it stands; one line for the default user is enough',
    'of a server that runs: ACL SETUSER <name> and what stands behind the name in its line',
    ...(missing.length === 0 ? [] : [`without a password, and refused by the server: ${missing.join(', ')}`]),
    ...(form === '6.2'
      ? ['Redis 6.2 cannot tell reading from writing: what is only read may be written']
      : []),
    'operator and worker can list the names of the keys of other prefixes in the same database, and read none of them',
  ];
  for (const line of lines) notes.write(`${line}\n`);
  return 0;
}
