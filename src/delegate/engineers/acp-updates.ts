/**
 * What an agent tells of its turn over ACP (`session/update`): words, calls of tools, what it used. Updates of sessions
 * that it has begun by itself count as signs of life and tell of their calls; its last words are those of ours.
 */

import { oneLine } from '../../shared/terminal-text.js';
import type { AcpCall } from './acp-permission.js';
import { type EngineerEvent, type EngineerUsage, NO_USAGE } from './engineer.js';
import type { Said } from './said.js';

/** The longest last words, in UTF-16 units: what a result may hold. */
const MESSAGE = 256 << 10;

/** Calls that are remembered, for a permission that is asked for later. */
const CALLS = 1_000;

export class AcpUpdates {
  readonly #calls = new Map<string, AcpCall>();
  #message = '';
  #line = '';
  /** A call came between: what it says next are other words. */
  #interrupted = false;
  #usage: EngineerUsage = NO_USAGE;

  /** Its last words. */
  get message(): string {
    return Buffer.from(this.#message.trim()).toString(); // half of a pair at the bound is no text
  }

  get usage(): EngineerUsage {
    return this.#usage;
  }

  /** @param own whether it is of the session that the prompt was given to */
  take(session: string, update: Said, own: boolean): readonly EngineerEvent[] {
    switch (update.text('sessionUpdate')) {
      case 'agent_message_chunk':
        return own ? this.#words(update.inner('content').text('text') ?? '') : [this.#alive()];
      case 'tool_call': {
        this.#interrupted = this.#interrupted || own;
        const call = this.call(session, update);
        return [activity(`${call.kind ?? 'calls'}: ${call.title}`)];
      }
      case 'tool_call_update': {
        const call = this.call(session, update);
        return update.text('status') === 'failed' ? [activity(`failed: ${call.title}`)] : [this.#alive()];
      }
      case 'usage_update': {
        const cost = update.inner('cost');
        const costUsd = cost.text('currency') === 'USD' ? cost.amount('amount') : null;
        if (own && costUsd !== null) this.#usage = { ...this.#usage, costUsd };
        return [this.#alive()];
      }
      default:
        return [this.#alive()];
    }
  }

  /** A call, with what was told of it before where it is not told again. */
  call(session: string, said: Said): AcpCall {
    const key = `${session} ${said.text('toolCallId') ?? ''}`;
    const before = this.#calls.get(key);
    const paths = [...said.inners('locations'), ...said.inners('content')].flatMap(
      (each) => each.text('path') ?? [],
    );
    const call: AcpCall = {
      title: oneLine(said.text('title') ?? before?.title ?? 'a tool without a name'),
      kind: said.text('kind') ?? before?.kind ?? null,
      paths: [...new Set([...(before?.paths ?? []), ...paths])].slice(0, CALLS),
    };
    this.#calls.delete(key);
    this.#calls.set(key, call);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > CALLS && oldest !== undefined) this.#calls.delete(oldest);
    return call;
  }

  /** What the answer to the prompt says was used; Gemini tells it in a place of its own. */
  total(answer: Said): EngineerUsage {
    const told = answer.inner('usage');
    const quota = answer.inner('_meta').inner('quota').inner('token_count');
    this.#usage = {
      inputTokens: told.count('inputTokens') ?? quota.count('input_tokens') ?? 0,
      cachedTokens: told.count('cachedReadTokens') ?? 0,
      outputTokens: told.count('outputTokens') ?? quota.count('output_tokens') ?? 0,
      turns: 1,
      costUsd: this.#usage.costUsd,
    };
    return this.#usage;
  }

  #words(text: string): readonly EngineerEvent[] {
    if (this.#interrupted) this.#message = '';
    this.#interrupted = false;
    this.#message = (this.#message + text).slice(0, MESSAGE);
    const lines = (this.#line + text).split('\n');
    this.#line = (lines.pop() ?? '').slice(-MESSAGE);
    const whole = lines.filter((line) => line.trim() !== '').map((line) => activity(line));
    return whole.length > 0 ? whole : [this.#alive()];
  }

  /** Nothing to be shown; it works. */
  #alive(): EngineerEvent {
    return { kind: 'usage', usage: this.#usage };
  }
}

function activity(text: string): EngineerEvent {
  return { kind: 'activity', text: oneLine(text) };
}
