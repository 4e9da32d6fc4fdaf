/**
 * The commands that a team's turns send to Redis, taken down where the client library sends them, so that others can be
 * measured who send the same. What the program asks of the queue library is not among them, since that library is the
 * reference and sends its own.
 */

/** Not on the way of a turn: the copy on disk, which the process keeps beside it. */
const BESIDE = (name, args) =>
  ['hkeys', 'hget'].includes(name) || (name === 'xrange' && (args.at(-1) === '50' || args.length === 3));

/** Streams that are played on grow no longer than this. */
const LONGEST = 1_000;

/**
 * The scripts of the record with all that they do on the server (`src/events/redis/append-script.ts`, `guarded-script.ts`), but
 * what they compare: what is played is added whatever stands before it.
 */
const SCRIPTS = {
  append: `
for other = 2, #KEYS do redis.call('XLEN', KEYS[other]) end
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if newest and newest[1] == ARGV[1] and string.sub(newest[2][2], 1, 64) == ARGV[2] then return {now} end
redis.call('XADD', KEYS[1], 'MAXLEN', '~', ${LONGEST}, '*', 'h', ARGV[4], 'e', ARGV[5])
return now`,
  guarded: `
local seen = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if seen and string.sub(seen[2][2], 1, 64) == ARGV[2] then return {'lost', 0} end
if redis.call('XLEN', KEYS[3]) == -1 then return {'other', 0} end
redis.call('XADD', KEYS[3], 'MAXLEN', '~', ${LONGEST}, '*', unpack(ARGV, 8))
redis.call('HINCRBY', KEYS[2], ARGV[4], ARGV[5])
return {'ok', redis.call('HINCRBY', KEYS[2], 'all', ARGV[5])}`,
};

/**
 * What `work` sends of a team's keys, in order.
 * @param client loads what is played as a script
 * @returns `{send, pass}` for each command: a function that sends it to keys under `prefix`, and the pass of the event loop in
 *   which it was sent
 */
export async function taken(team, prefix, client, work) {
  // Where the frame is looked at alone there is no library.
  const { Redis } = await import('ioredis');
  const shas = {};
  for (const [name, lua] of Object.entries(SCRIPTS)) shas[name] = await client.script('LOAD', lua);
  const { sendCommand } = Redis.prototype;
  const commands = [];
  let pass = 0;
  let isCounted = false;
  const count = () => {
    if (isCounted) return;
    isCounted = true;
    setImmediate(() => {
      isCounted = false;
      pass++;
    });
  };
  Redis.prototype.sendCommand = function (command, ...more) {
    const args = command.args.map(String);
    if (args.some((one) => one.includes(`{${team}}`)) && !BESIDE(command.name, args)) {
      count();
      commands.push({ send: played(command.name, args, keyFor(team, prefix), shas), pass });
    }
    return sendCommand.call(this, command, ...more);
  };
  try {
    await work();
    return commands;
  } finally {
    Redis.prototype.sendCommand = sendCommand;
  }
}

/** The key that stands for one of the team; any other word stays as it is. */
function keyFor(team, prefix) {
  return (word) => {
    const at = word.indexOf(`{${team}}:`);
    return at === -1 ? word : `${prefix}:{played}:${word.slice(word.indexOf('}:', at) + 2)}`;
  };
}

function played(name, args, key, shas) {
  if (name !== 'evalsha') return (client) => client.call(name, ...args.map(key));
  const [, count, ...words] = args;
  const keys = words.slice(0, Number(count)).map(key);
  const script = keys[1]?.endsWith(':sizes') ? 'guarded' : 'append';
  return (client) => client.evalsha(shas[script], count, ...keys, ...words.slice(Number(count)));
}
