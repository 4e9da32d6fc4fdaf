/**
 * Reads the lines of `codex exec --json`: `thread.started`, `turn.started`, items as they come and are done, and the end of
 * the turn, `turn.completed` or `turn.failed`. It says no version, no model and no price, and what it used only at the end
 * of a turn that was completed. Why a turn failed is a sentence, and the cause is read out of it (with 0.171.0).
 */

import { oneLine } from '../../shared/terminal-text.js';
import {
  type EngineerEnd,
  type EngineerEvent,
  type EngineerExit,
  type EngineerReader,
  type EngineerUsage,
  NO_USAGE,
} from './engineer.js';
import { readSaid, type Said, sentence } from './said.js';

type Failure = Extract<EngineerEnd, { kind: 'failure' }>;

export class CodexReader implements EngineerReader {
  #began = false;
  #usage: EngineerUsage = NO_USAGE;
  #message = '';
  /** The last fault that it told outside of a turn's end. */
  #fault: string | null = null;
  #end: EngineerEnd | null = null;

  line(line: string): readonly EngineerEvent[] {
    const read = readSaid(line);
    if (read === null) return [{ kind: 'noise' }];
    const { type, said } = read;
    switch (type) {
      case 'thread.started': {
        if (this.#began) return [];
        this.#began = true;
        return [{ kind: 'began', session: said.word('thread_id'), model: null, version: null }];
      }
      case 'turn.started':
        this.#end = null;
        return [];
      case 'item.started':
      case 'item.completed':
        return this.#item(type, said.inner('item'));
      case 'error':
        this.#fault = said.text('message');
        return [activity(this.#fault ?? 'an error')];
      case 'turn.completed':
        this.#usage = plus(this.#usage, said.inner('usage'));
        this.#end = { kind: 'success', message: this.#message };
        return [{ kind: 'usage', usage: this.#usage }];
      case 'turn.failed':
        this.#end = this.#failure(said.inner('error').text('message') ?? this.#fault);
        return [];
      default:
        return [];
    }
  }

  /** One that ended by itself, outside of a turn, ended by the fault it told; one that was ended has said nothing of its end. */
  end(exit: EngineerExit): EngineerEnd {
    if (this.#end !== null) return this.#end;
    return exit.kind === 'exited' && exit.code !== 0 && this.#fault !== null
      ? this.#failure(this.#fault)
      : { kind: 'none' };
  }

  usage(): EngineerUsage {
    return this.#usage;
  }

  #item(type: string, item: Said): readonly EngineerEvent[] {
    const kind = item.text('type');
    if (kind === 'command_execution') {
      if (type === 'item.started') return [activity(`runs ${item.text('command') ?? 'a command'}`)];
      const exit = item.count('exit_code');
      return exit === 0
        ? []
        : [activity(`${exit === null ? 'no exit' : `exit ${exit}`}: ${item.text('command') ?? ''}`)];
    }
    if (type === 'item.started') return [];
    switch (kind) {
      case 'agent_message':
        this.#message = item.text('text') ?? '';
        return [activity(this.#message)];
      case 'file_change': {
        const changes = item
          .inners('changes')
          .map((change) => `${change.text('kind')} ${change.text('path')}`);
        return [activity(`changes ${changes.join(', ')}`)];
      }
      case 'error':
        return [activity(item.text('message') ?? 'an error')];
      default:
        return [activity(kind ?? 'something')];
    }
  }

  #failure(told: string | null): Failure {
    const detail = sentence(told ?? '') || 'it says that its turn failed, and not why';
    return { kind: 'failure', cause: causeOf(detail), detail, message: this.#message };
  }
}

const CAUSES: readonly (readonly [RegExp, Failure['cause']])[] = [
  [/\b401\b|\b403\b|unauthorized|api key|log ?in\b|missing environment variable/i, 'auth'],
  [/budget (reached|exhausted)/i, 'max_budget'],
  [/quota|usage limit|rate limit|\b429\b|billing/i, 'quota'],
  [/incomplete response/i, 'unfinished'],
  [/context window/i, 'engineer_error'],
  [
    /unexpected status|stream (disconnected|closed)|connection|high demand|timed? ?out|does not exist/i,
    'api_error',
  ],
];

function causeOf(detail: string): Failure['cause'] {
  return CAUSES.find(([words]) => words.test(detail))?.[1] ?? 'engineer_error';
}

/** @param usage in the words of the Responses API, whose input holds what a cache gave */
function plus(before: EngineerUsage, usage: Said): EngineerUsage {
  const sum = (sofar: number, key: string): number =>
    Math.min(sofar + (usage.count(key) ?? 0), Number.MAX_SAFE_INTEGER);
  return {
    inputTokens: sum(before.inputTokens, 'input_tokens'),
    cachedTokens: sum(before.cachedTokens, 'cached_input_tokens'),
    outputTokens: sum(before.outputTokens, 'output_tokens'),
    turns: before.turns + 1,
    costUsd: null,
  };
}

function activity(text: string): EngineerEvent {
  return { kind: 'activity', text: oneLine(text) };
}
