/**
 * The control socket of a running team: other terminals answer, send and stop through it. It lies in a short 0700
 * folder under the system's temporary folder (socket paths are limited to about 100 bytes), mode 0600, and the
 * lock names it. Who may open it is the operating system's word.
 */

import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { errorText } from '../../shared/errors.js';
import { jsonLine, LineSplitter } from '../../shared/jsonl.js';
import type { Redactor } from '../../shared/secrets/redactor.js';
import { stateDigest } from '../../team/state-digest.js';
import { adoptLive } from '../adopt-brief.js';
import type { House } from '../house.js';
import type { LiveTeam } from '../live-team.js';
import type { OpenTeam } from '../open-team.js';
import { readAnswer } from '../operator-words.js';
import {
  CONTROL_DEADLINE_MS,
  CONTROL_LINE_BYTES,
  CONTROL_REPLY_BYTES,
  type ControlReply,
  type ControlRequest,
  controlRequest,
} from './control-protocol.js';
import { statusReply } from './status-reply.js';

/** Longest path of a folder, in bytes, that leaves room for ours below the bound of macOS (104). */
const LONGEST_FOLDER = 80;

/** Listens until the team is released. */
export async function startControl(house: House, team: OpenTeam, live: LiveTeam): Promise<void> {
  const folder = await mkdtemp(join(shortEnough(house.temporaryDirectory), 'bnerd-'));
  team.releases.add('control folder', () => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o700);
  const path = join(folder, 'control');
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    serve(socket, (request) => carryOut(request, house, team, live), house.secrets);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
  // From here on an error of the server costs a second terminal its word, never the team its run.
  server.on('error', () => {});
  team.releases.add('control socket', () => {
    for (const socket of open) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  await chmod(path, 0o600);
  await team.lock.announce({ socket: path });
}

/** The system's temporary folder, or the one that every system has where the path would be too long to listen on. */
function shortEnough(temporaryDirectory: string): string {
  return Buffer.byteLength(temporaryDirectory) <= LONGEST_FOLDER ? temporaryDirectory : '/tmp';
}

type CarryOut = (request: ControlRequest) => Promise<ControlReply>;

function serve(socket: Socket, carryOut: CarryOut, secrets: Redactor): void {
  const lines = new LineSplitter(CONTROL_LINE_BYTES);
  const deadline = setTimeout(() => socket.destroy(), CONTROL_DEADLINE_MS);
  let answered = false;
  socket.on('error', () => socket.destroy());
  socket.on('close', () => clearTimeout(deadline));
  socket.on('data', (chunk) => {
    const [line] = lines.push(chunk);
    if (answered || (line === undefined && lines.dropped === 0)) return;
    answered = true;
    reply(line ?? '', carryOut)
      .then((said) => socket.end(bounded(jsonLine(secrets.value(said)))))
      .catch(() => socket.destroy());
  });
}

/** A line that the caller would read in part is not sent. */
function bounded(line: string): string {
  if (Buffer.byteLength(line) <= CONTROL_REPLY_BYTES) return line;
  return jsonLine({ kind: 'refused', code: 'too_large', message: 'the answer is too large to be told' });
}

async function reply(line: string, carryOut: CarryOut): Promise<ControlReply> {
  const request = parse(line);
  if (request === undefined)
    return { kind: 'refused', code: 'bad_request', message: 'the request could not be read' };
  try {
    return await carryOut(request);
  } catch (error) {
    return { kind: 'refused', code: 'failed', message: errorText(error) };
  }
}

async function carryOut(
  request: ControlRequest,
  house: House,
  { id, store }: OpenTeam,
  live: LiveTeam,
): Promise<ControlReply> {
  if ('program' in request && request.program !== house.version) {
    // Another version may keep another state of a team and show other things of it.
    const message = `this process is of version ${house.version}, not ${request.program}`;
    return { kind: 'refused', code: 'other_version', message };
  }
  switch (request.op) {
    case 'answer':
      return live.answer(
        request.request,
        readAnswer(live.state().requests.get(request.request), request.text),
      );
    case 'adopt':
      return adoptLive(live, request.brief, house.user);
    case 'send':
      return live.send(request.to, request.text);
    case 'state': {
      const state = live.state();
      return { kind: 'state', next: state.next, sha256: stateDigest(state) };
    }
    case 'status':
      return statusReply(house, id, store, (brief) => live.briefs?.engineerOf(brief) ?? null);
    case 'stop': {
      if (request.member !== null) return live.stopMember(request.member, { forced: request.force });
      await live.stop('stop');
      if (request.force) live.kill();
      return { kind: 'accepted', text: request.force ? 'the team is being killed' : 'the team is stopping' };
    }
  }
}

function parse(line: string): ControlRequest | undefined {
  try {
    const parsed = controlRequest.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined; // Not JSON: the caller says so.
  }
}
