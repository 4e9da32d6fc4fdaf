/**
 * The loopback server of all wires: checks each request as its provider would, asks the test what to do, and does it
 * in the form of the wire.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Releases } from '../../../src/shared/releases.js';
import { anthropicWire } from './anthropic-wire.js';
import { bedrockWire } from './bedrock-wire.js';
import { chatWire } from './chat-wire.js';
import type { Deed, FarSide, Respond, Seen, StartFarSide, Wire } from './far-side.js';
import { googleWire } from './google-wire.js';
import { openaiWire } from './openai-wire.js';
import { type Outgoing, Refusal, type Reply, type WireSpeech } from './wire.js';

/** How each wire is spoken. */
export const SPEECH: Readonly<Record<Wire, WireSpeech>> = {
  anthropic: anthropicWire,
  openai: openaiWire,
  'openai-compatible': chatWire,
  'amazon-bedrock': bedrockWire,
  google: googleWire,
};

export const startFarSide: StartFarSide = (wire, respond, releases) =>
  startSpeech(SPEECH[wire], wire, respond, releases);

/** The same with another way to speak a wire. */
export async function startSpeech(
  speech: WireSpeech,
  wire: Wire,
  respond: Respond,
  releases: Releases,
): Promise<FarSide> {
  const seen: Seen[] = [];
  const closing = new AbortController();
  const server = createServer((request, response) => {
    const done = serve(speech, wire, request, response, respond, seen, closing.signal);
    done.catch((error: unknown) => {
      if (closing.signal.aborted) return;
      // A fault of the test itself: not a status that an adapter might take for a provider's.
      response.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  });
  // Where the loop of this process is held up for seconds, a server that drops idle connections resets a request that is on
  // its way over one: the far side would seem to be unavailable, and a count of calls would differ.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  releases.add('far side', async () => {
    closing.abort();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}${speech.basePath}`, seen };
}

async function serve(
  speech: WireSpeech,
  wire: Wire,
  request: IncomingMessage,
  response: ServerResponse,
  respond: Respond,
  log: Seen[],
  closing: AbortSignal,
): Promise<void> {
  const path = request.url ?? '';
  const headers = Object.fromEntries(
    Object.entries(request.headers).flatMap(([key, value]) =>
      typeof value === 'string' ? [[key, value] as const] : [],
    ),
  );
  const text = await bodyOf(request);
  let streaming = false;
  let model = '';
  let deed: Deed;
  try {
    const body = JSON.parse(text);
    const parsed = speech.parse({ path, headers, body });
    ({ streaming, model } = parsed);
    const seen: Seen = { wire, path, headers, body, ...parsed };
    log.push(seen);
    deed = await respond(seen, log.length);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status, message, type } = error;
    deed = { kind: 'status', status, message, ...(type === undefined ? {} : { type }) };
  }
  await act(deed, { speech, response, streaming, model, bytes: text.length, closing });
}

interface Scene {
  readonly speech: WireSpeech;
  readonly response: ServerResponse;
  readonly streaming: boolean;
  readonly model: string;
  /** Of the request: the default of its usage. */
  readonly bytes: number;
  readonly closing: AbortSignal;
}

async function act(deed: Deed, scene: Scene): Promise<void> {
  const { speech, response, streaming } = scene;
  switch (deed.kind) {
    case 'reply':
      if (deed.delayMs !== undefined) await pause(deed.delayMs, response, scene.closing);
      return send(deed, scene, 1);
    case 'status': {
      const { headers, body } = speech.error(deed.status, deed.message ?? 'refused', deed.type);
      response.writeHead(deed.status, { 'content-type': 'application/json', ...headers, ...deed.headers });
      response.end(JSON.stringify(body));
      return;
    }
    case 'cut':
      if (deed.when === 'within') await send({ kind: 'reply', text: 'the first half and' }, scene, 0.5);
      response.destroy();
      return;
    case 'silent':
      if (deed.when === 'within') await send({ kind: 'reply', text: 'the first half and' }, scene, 0.5);
      return;
    case 'short':
    case 'error-within': {
      const whole = contents({ kind: 'reply', text: deed.text }, scene);
      const start = whole.slice(0, Math.ceil(whole.length / 2));
      response.writeHead(200, { 'content-type': typeOf(scene) });
      for (const piece of start) response.write(piece);
      if (deed.kind === 'error-within') response.write(speech.errorEvent(deed.type, deed.message));
      response.end();
      return;
    }
    case 'raw':
      response.writeHead(deed.status, {
        'content-type': streaming ? speech.streamType : 'application/json',
        ...deed.headers,
      });
      response.end(deed.body);
  }
}

/** Sends a part of a reply, in as many pieces as it has; a whole one is ended. */
async function send(reply: Reply, scene: Scene, part: number): Promise<void> {
  const { response } = scene;
  const all = contents(reply, scene);
  const length = all.reduce((sum, piece) => sum + piece.byteLength, 0);
  response.writeHead(200, {
    'content-type': typeOf(scene),
    ...(scene.streaming ? {} : { 'content-length': String(length) }),
  });
  if (part === 1) {
    for (const piece of all) response.write(piece);
    response.end();
    return;
  }
  const half = Buffer.concat(all).subarray(0, Math.floor(length * part));
  await new Promise((resolve) => response.write(half, resolve));
}

/** The pieces of a body. */
function contents(reply: Reply, { speech, streaming, model, bytes }: Scene): readonly Uint8Array[] {
  const calls = (reply.calls ?? []).map((call, index) => ({ id: speech.callId(index), ...call }));
  const { input, cached, cacheWrite, output } = reply.usage ?? {
    input: Math.ceil(bytes / 4),
    output: Math.ceil((reply.text.length + 1) / 4),
  };
  const outgoing: Outgoing = {
    model,
    text: reply.text,
    calls,
    usage: { input, cached: cached ?? 0, cacheWrite: cacheWrite ?? 0, output },
    stop: reply.stop ?? (calls.length > 0 ? speech.stops.calls : speech.stops.end),
  };
  return streaming ? speech.events(outgoing) : [Buffer.from(JSON.stringify(speech.whole(outgoing)))];
}

function typeOf({ speech, streaming }: Scene): string {
  return streaming ? speech.streamType : 'application/json';
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

/** Ends with the time, the connection or the server, whichever is first. */
function pause(ms: number, response: ServerResponse, closing: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    response.once('close', end);
    closing.addEventListener('abort', end, { once: true });
  });
}
