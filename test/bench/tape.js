/**
 * The commands that a team's turns send to Redis, taken down where the client library sends them, so that others can be
 * measured who send the same. What the program asks of the queue library is not among them, since that library is the
 * reference and sends its own.
 */

/** Not on the way of a turn: the copy on disk, which the process keeps beside it. */
const BESIDE = (name, args) => name === 'hkeys' || (name === 'xrange' && args.at(-1) === '50');

/** What `work` sends of a team's keys, in order. @returns functions that each send one command, to keys under `prefix` */
export async function taken(team, prefix, work) {
  // Where the frame is looked at alone there is no library.
  const { Redis } = await import('ioredis');
  const { sendCommand } = Redis.prototype;
  const commands = [];
  Redis.prototype.sendCommand = function (command, ...more) {
    const args = command.args.map(String);
    const key = args.find((one) => one.includes(`{${team}}`));
    if (key !== undefined && !BESIDE(command.name, args)) {
      commands.push(played(command.name, args, `${prefix}:${key.slice(key.indexOf('}:') + 2)}`));
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

/**
 * A script is played as a bare XADD of as many bytes: the least that puts them there. A reading of a stream is played on the
 * played stream, for the entries that were new to who read: one and the one before.
 */
function played(name, args, key) {
  switch (name) {
    case 'evalsha':
    case 'eval': {
      const text = 'x'.repeat(args.slice(2).reduce((sum, one) => sum + one.length, 0));
      return (client) => client.xadd(`${key}:played`, 'MAXLEN', '~', 1_000, '*', 'e', text);
    }
    case 'xrange':
      return (client) => client.xrevrange(`${key}:played`, '+', '-', 'COUNT', 2);
    default:
      return (client) => client.call(name, ...args.map((one) => (one.includes('}:') ? key : one)));
  }
}
