/**
 * One turn with an agent over the Agent Client Protocol, version 1: `initialize`, a session in the checkout, the prompt, and
 * the answer to that. The SDK keeps requests and answers together; this is the other side of the agent's questions.
 *
 *  V1 whatever it asks is answered, of whichever session it is: a permission at once and by the safety of the brief
 *     (`acp-permission.ts`), anything else by "not offered": no files, no terminals, no questions to a person (case E111);
 *  V2 it is given no MCP servers, and the prompt is one text;
 *  V3 what is no message of the protocol, or answers nothing, is noise; nothing that it sends throws here;
 *  V4 with its answer to the prompt the conversation is over, and so it is with an error.
 */

import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { errorText } from '../../shared/errors.js';
import { isObject } from '../../shared/is-object.js';
import { oneLine } from '../../shared/terminal-text.js';
import { type AcpEnd, endOfError, endOfStop, failure } from './acp-end.js';
import { outcomeOf, verdictOn } from './acp-permission.js';
import { AcpUpdates } from './acp-updates.js';
import type {
  EngineerEnd,
  EngineerEvent,
  EngineerOrder,
  EngineerReader,
  EngineerUsage,
  EngineerVoice,
} from './engineer.js';
import { saidOf } from './said.js';

const VERSION = 1;

export class AcpConversation implements EngineerReader {
  readonly #order: EngineerOrder;
  readonly #voice: EngineerVoice;
  readonly #updates = new AcpUpdates();
  /** Ids of what it was asked and has not answered. */
  readonly #open = new Set<unknown>();
  readonly #work: Promise<void>;
  #incoming: ReadableStreamDefaultController<AnyMessage> | null = null;
  #session: string | null = null;
  #end: AcpEnd | null = null;

  /** Begins to speak. */
  constructor(order: EngineerOrder, voice: EngineerVoice) {
    this.#order = order;
    this.#voice = voice;
    const stream: Stream = {
      readable: new ReadableStream<AnyMessage>({
        start: (incoming) => {
          this.#incoming = incoming;
        },
      }),
      writable: new WritableStream<AnyMessage>({ write: (message) => this.#say(message) }),
    };
    this.#work = this.#converse(stream);
  }

  line(line: string): readonly EngineerEvent[] {
    const message = readMessage(line);
    if (message === null || this.#incoming === null) return [{ kind: 'noise' }];
    if (!('method' in message)) {
      if (!this.#open.delete(message.id)) return [{ kind: 'noise' }];
    } else if (!('id' in message)) {
      const params = saidOf(message.params);
      const session = params.text('sessionId') ?? '';
      if (message.method !== 'session/update') return [];
      return this.#updates.take(session, params.inner('update'), session === this.#session);
    }
    this.#incoming.enqueue(message);
    return [];
  }

  async over(): Promise<void> {
    this.#incoming?.close();
    this.#incoming = null;
    await this.#work;
  }

  end(): EngineerEnd {
    const { message } = this.#updates;
    if (this.#end === null) return { kind: 'none' };
    return { ...this.#end, message };
  }

  usage(): EngineerUsage {
    return this.#updates.usage;
  }

  async #converse(stream: Stream): Promise<void> {
    let during = 'initialize';
    try {
      const { client, methods, RequestError } = await import('@agentclientprotocol/sdk');
      const { agent } = client({ name: 'bnerd' })
        .onRequest('*', ({ method, params }) => {
          if (method === methods.client.session.requestPermission) return this.#permission(params);
          this.#tell(`asked for ${oneLine(method)}, which is not offered`);
          throw RequestError.methodNotFound(method);
        })
        .connect(stream);
      try {
        const hello = saidOf(
          await agent.request<unknown>(methods.agent.initialize, {
            protocolVersion: VERSION,
            clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
            clientInfo: { name: 'bnerd', version: '1' },
          }),
        );
        const version = hello.count('protocolVersion');
        if (version !== VERSION) {
          this.#end = failure(
            'engineer_error',
            `it speaks version ${version ?? '?'} of the protocol; ${VERSION} is spoken here`,
          );
          return;
        }
        during = 'session/new';
        const made = saidOf(
          await agent.request<unknown>(methods.agent.session.new, {
            cwd: this.#order.directory,
            mcpServers: [],
          }),
        );
        const sessionId = made.text('sessionId');
        if (sessionId === null) {
          this.#end = failure('engineer_error', 'it has made a session without an id');
          return;
        }
        this.#session = sessionId;
        this.#voice.event({
          kind: 'began',
          session: made.word('sessionId'),
          model: null,
          version: hello.inner('agentInfo').word('version'),
        });
        during = 'session/prompt';
        const answer = saidOf(
          await agent.request<unknown>(methods.agent.session.prompt, {
            sessionId,
            prompt: [{ type: 'text', text: this.#order.prompt }],
          }),
        );
        this.#voice.event({ kind: 'usage', usage: this.#updates.total(answer) });
        this.#end = endOfStop(answer.word('stopReason'));
      } catch (error) {
        // Any other error is the end of the connection: how the process has ended says more.
        if (error instanceof RequestError) this.#end = endOfError(error.code, wordsOf(error), during);
      }
    } catch (error) {
      this.#end = failure('engineer_error', `the conversation failed here: ${errorText(error)}`);
    } finally {
      this.#voice.hangUp();
    }
  }

  #permission(params: unknown): object {
    const said = saidOf(params);
    const call = this.#updates.call(said.text('sessionId') ?? '', said.inner('toolCall'));
    const { safety, tree } = this.#order;
    const { outcome, verdict } = outcomeOf(said.inners('options'), verdictOn(call, safety, tree));
    const what = `${call.title} (${oneLine(call.kind ?? 'no kind', 40)})`;
    this.#tell(verdict.kind === 'allow' ? `allowed once: ${what}` : `rejected: ${what}: ${verdict.why}`);
    return { outcome };
  }

  #tell(words: string): void {
    this.#voice.note(words);
    this.#voice.event({ kind: 'activity', text: oneLine(words) });
  }

  #say(message: AnyMessage): void {
    if ('method' in message && 'id' in message) this.#open.add(message.id);
    this.#voice.say(JSON.stringify(message));
  }
}

/** A message of the protocol; null: it is none. */
function readMessage(line: string): AnyMessage | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null; // a log line, a warning, half of something: the caller counts it
  }
  if (!isObject(value) || value['jsonrpc'] !== '2.0') return null;
  const { id, method } = value;
  const known = id === null || typeof id === 'string' || typeof id === 'number';
  const shaped = method === undefined ? known : typeof method === 'string' && (id === undefined || known);
  return shaped ? (value as unknown as AnyMessage) : null;
}

/** What an error of the agent says: many put the words that help into `data`. */
function wordsOf(error: { readonly message: string; readonly data?: unknown }): string {
  const data = saidOf(error.data);
  const more = data.text('details') ?? data.text('message');
  return more === null ? error.message : `${error.message}: ${more}`;
}
