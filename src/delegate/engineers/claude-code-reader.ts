/**
 * Reads the lines of `claude -p --output-format stream-json`: who it is (`system`/`init`), what it says and does
 * (`assistant`), and its envelope (`result`). Lines of other types belong to its protocol and tell nothing here.
 *
 * What the envelope calls a success is taken for one only when nothing in it says otherwise: `is_error` (measured with
 * 2.1.332: every fault of the API comes as `subtype: success`), or a stop that is no end (case J203).
 */

import { oneLine } from '../../shared/terminal-text.js';
import {
  type EngineerEnd,
  type EngineerEvent,
  type EngineerReader,
  type EngineerUsage,
  NO_USAGE,
} from './engineer.js';
import { readSaid, type Said, sentence } from './said.js';

type Cause = Extract<EngineerEnd, { kind: 'failure' }>['cause'];

export class ClaudeCodeReader implements EngineerReader {
  #session: string | null = null;
  #began = false;
  #usage: EngineerUsage = NO_USAGE;
  /** The message under way: each of its blocks comes as a line that repeats its usage. */
  #message: { readonly id: string; readonly before: EngineerUsage } | null = null;
  /** Its last text, which is the message of a run that stops without one. */
  #text = '';
  /** What it calls the fault of the API that it met last. */
  #fault: string | null = null;
  #end: EngineerEnd | null = null;

  line(line: string): readonly EngineerEvent[] {
    const read = readSaid(line);
    if (read === null) return [{ kind: 'noise' }];
    switch (read.type) {
      case 'system':
        return this.#system(read.said);
      case 'assistant':
        return this.#assistant(read.said);
      case 'result':
        return this.#result(read.said);
      default:
        return [];
    }
  }

  end(): EngineerEnd {
    return this.#end ?? { kind: 'none' };
  }

  usage(): EngineerUsage {
    return this.#usage;
  }

  #system(said: Said): readonly EngineerEvent[] {
    switch (said.text('subtype')) {
      case 'init': {
        if (this.#began) return [];
        this.#began = true;
        this.#session = said.word('session_id');
        const [model, version] = [said.word('model'), said.word('claude_code_version')];
        return [{ kind: 'began', session: this.#session, model, version }];
      }
      case 'api_retry': {
        const [attempt, most] = [said.count('attempt') ?? '?', said.count('max_retries') ?? '?'];
        const why = said.text('error') ?? said.count('error_status') ?? 'no answer';
        return [activity(`asks the API again, ${attempt} of ${most}: ${why}`)];
      }
      case 'permission_denied':
        return [activity(`denied: ${said.text('tool_name') ?? 'a tool'}: ${said.text('message') ?? ''}`)];
      default:
        return [];
    }
  }

  #assistant(said: Said): readonly EngineerEvent[] {
    this.#end = null; // it goes on behind its envelope: that was not its end
    const message = said.inner('message');
    this.#fault = said.text('error');
    const events = message.inners('content').flatMap((block): EngineerEvent[] => {
      const text = block.text('text');
      if (block.text('type') === 'text' && text !== null) {
        this.#text = text;
        return [activity(text)];
      }
      return block.text('type') === 'tool_use' ? [activity(callLine(block))] : [];
    });
    const id = message.text('id');
    // Words of its own, such as "Not logged in", are no answer of a model.
    if (id === null || message.text('model') === '<synthetic>') return events;
    const before = this.#message?.id === id ? this.#message.before : this.#usage;
    this.#message = { id, before };
    this.#usage = plus(before, message.inner('usage'));
    return [...events, { kind: 'usage', usage: this.#usage }];
  }

  #result(said: Said): readonly EngineerEvent[] {
    this.#usage = totalOf(said, this.#usage);
    this.#message = null;
    this.#session = said.word('session_id') ?? this.#session;
    const message = said.text('result') ?? this.#text;
    const cause = causeOf(said, this.#fault);
    this.#end =
      cause === null
        ? { kind: 'success', message }
        : { kind: 'failure', cause, detail: this.#detail(said, cause), message };
    return [{ kind: 'usage', usage: this.#usage }];
  }

  /** What it says, and for a run that came to a limit how it is taken up (case J210). */
  #detail(said: Said, cause: Cause): string {
    const words = sentence(wordsOf(said));
    const limited = cause === 'max_turns' || cause === 'max_budget';
    return limited && this.#session !== null
      ? `${words}; session ${this.#session}, which claude --resume takes up in its home`
      : words;
  }
}

/** Its own words for its end; where it has none, its name for that kind of end (case J208). */
function wordsOf(said: Said): string {
  const kind = said.word('subtype') ?? '';
  if (kind === 'success' && !said.holds('is_error')) {
    return `it says success and stopped for ${said.word('stop_reason')}, which is no end`;
  }
  const told = said.texts('errors').join('; ').trim() || (said.text('result') ?? '').trim();
  const name = kind
    .replace(/^error_/, '')
    .replaceAll('_', ' ')
    .trim();
  return told || `it stopped: ${name || 'error'}`;
}

/** Stops that are no end: it was about to call a tool, to go on, or was cut. */
const UNFINISHED = new Set(['tool_use', 'pause_turn', 'max_tokens', 'model_context_window_exceeded']);

/** Why the envelope is none of a success; null: it is one. */
function causeOf(said: Said, fault: string | null): Cause | null {
  const subtype = said.text('subtype');
  if (subtype === 'error_max_turns') return 'max_turns';
  if (subtype === 'error_max_budget_usd') return 'max_budget';
  const unfinished = UNFINISHED.has(said.text('stop_reason') ?? '') ? 'unfinished' : null;
  if (subtype !== 'success') return unfinished ?? 'engineer_error';
  if (!said.holds('is_error')) return unfinished;
  return (
    ENDS[said.text('terminal_reason') ?? ''] ??
    FAULTS[fault ?? ''] ??
    causeOfStatus(said.count('api_error_status')) ??
    causeOfText(said.text('result') ?? '')
  );
}

/** By the word for its end: more than the fault says. */
const ENDS: Readonly<Record<string, Cause>> = {
  malformed_tool_use_exhausted: 'unfinished',
  prompt_too_long: 'engineer_error',
  max_turns: 'max_turns',
  budget_exhausted: 'max_budget',
};

/** By the word of its last message for the fault of the API. */
const FAULTS: Readonly<Record<string, Cause>> = {
  authentication_failed: 'auth',
  oauth_org_not_allowed: 'auth',
  billing_error: 'quota',
  rate_limit: 'quota',
  server_error: 'api_error',
  overloaded: 'api_error',
  model_not_found: 'api_error',
  invalid_request: 'engineer_error',
  max_output_tokens: 'unfinished',
};

function causeOfStatus(status: number | null): Cause | null {
  if (status === null) return null;
  if (status === 401 || status === 403) return 'auth';
  if (status === 402 || status === 429) return 'quota';
  return status >= 500 || status === 404 || status === 408 ? 'api_error' : null;
}

/** Versions before 2.1 say it in words only. */
function causeOfText(text: string): Cause {
  if (/\/login|api key|authenticat/i.test(text)) return 'auth';
  if (/credit balance|usage limit|rate limit/i.test(text)) return 'quota';
  return text.startsWith('API Error') ? 'api_error' : 'engineer_error';
}

/** Used by all models and agents together, which `usage` of the envelope leaves out where it ends by a limit. */
function totalOf(said: Said, sofar: EngineerUsage): EngineerUsage {
  const models = said.values('modelUsage');
  const sum = (key: string): number =>
    models.reduce((total, model) => counted(total + (model.count(key) ?? 0)), 0);
  const tokens =
    models.length === 0
      ? plus(NO_USAGE, said.inner('usage'))
      : {
          inputTokens: counted(
            sum('inputTokens') + sum('cacheReadInputTokens') + sum('cacheCreationInputTokens'),
          ),
          cachedTokens: sum('cacheReadInputTokens'),
          outputTokens: sum('outputTokens'),
        };
  const nothing = tokens.inputTokens === 0 && tokens.outputTokens === 0;
  return {
    ...(nothing ? sofar : tokens),
    turns: said.count('num_turns') ?? sofar.turns,
    costUsd: said.amount('total_cost_usd') ?? sofar.costUsd,
  };
}

/** @param usage in the words of the Messages API, which counts what a cache gave and took beside the rest of the input */
function plus(before: EngineerUsage, usage: Said): EngineerUsage {
  const cached = usage.count('cache_read_input_tokens') ?? 0;
  const input = (usage.count('input_tokens') ?? 0) + (usage.count('cache_creation_input_tokens') ?? 0);
  return {
    inputTokens: counted(before.inputTokens + input + cached),
    cachedTokens: counted(before.cachedTokens + cached),
    outputTokens: counted(before.outputTokens + (usage.count('output_tokens') ?? 0)),
    turns: before.turns + 1,
    costUsd: before.costUsd,
  };
}

/** A sum that is still a count, whatever was told. */
function counted(sum: number): number {
  return Math.min(sum, Number.MAX_SAFE_INTEGER);
}

function callLine(block: Said): string {
  const input = block.inner('input');
  const about = ['command', 'file_path', 'notebook_path', 'pattern', 'skill', 'description']
    .map((key) => input.text(key))
    .find((text) => text !== null);
  return `${block.text('name') ?? 'a tool'}${about === undefined ? '' : `: ${about}`}`;
}

function activity(text: string): EngineerEvent {
  return { kind: 'activity', text: oneLine(text) };
}
