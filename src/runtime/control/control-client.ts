/** The other end of the control socket: one request, one reply, within a deadline. */

import { connect } from 'node:net';
import { jsonLine, LineSplitter } from '../../shared/jsonl.js';
import {
  CONTROL_DEADLINE_MS,
  CONTROL_REPLY_BYTES,
  type ControlReply,
  type ControlRequest,
  controlReply,
} from './control-protocol.js';

/**
 * Asks the process that runs a team. Never rejects: a socket that does not answer is a refusal.
 * @param deadlineMs within which the whole answer has to be there
 */
export function askLiveTeam(
  socketPath: string,
  request: ControlRequest,
  deadlineMs: number = CONTROL_DEADLINE_MS,
): Promise<ControlReply> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    const lines = new LineSplitter(CONTROL_REPLY_BYTES);
    const settle = (reply: ControlReply): void => {
      clearTimeout(deadline);
      socket.destroy();
      resolve(reply);
    };
    // The word lies in its socket: who says it again may say it twice.
    const late = 'it did not answer in time, and may still take it';
    const deadline = setTimeout(() => settle(unreachable(late)), deadlineMs);
    socket.on('error', (error) => settle(unreachable(error.message)));
    socket.on('end', () => settle(unreachable('it hung up')));
    socket.on('connect', () => socket.write(jsonLine(request)));
    socket.on('data', (chunk) => {
      const [line] = lines.push(chunk);
      if (line !== undefined) settle(read(line));
    });
  });
}

function read(line: string): ControlReply {
  try {
    const value: unknown = JSON.parse(line);
    return isReply(value) ? value : unreachable('its answer could not be read');
  } catch {
    return unreachable('its answer could not be read');
  }
}

/** As it was said, order of fields included: what is shown of it is shown by others byte for byte. */
function isReply(value: unknown): value is ControlReply {
  return controlReply.safeParse(value).success;
}

function unreachable(why: string): ControlReply {
  return {
    kind: 'refused',
    code: 'unreachable',
    message: `the process that runs the team could not be asked: ${why}`,
  };
}
