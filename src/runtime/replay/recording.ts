/**
 * A recorded run, read from its folder so that it can be played again (spec/team.md §9): what each member's model was
 * asked and answered, in which order everything came, and what the operator said.
 *
 * Always true: every question is made again from the record alone and has the digest that was recorded with its answer;
 * a record that does not give it is refused.
 */

import { Conversation } from '../../agent/conversation.js';
import type { Fact, FactOf } from '../../events/event.js';
import type { Seat } from '../../events/facts/frozen.js';
import type { LogEntry } from '../../events/log-entry.js';
import type { SentProof, TranscriptEntry } from '../../events/transcript-entry.js';
import type { ModelMessage, PromptPart, ToolDefinition } from '../../models/model.js';
import type { Asked, RecordedCall, RunPlaces } from '../../models/replay/recorded-call.js';
import { sentOf } from '../../models/replay/recording-model.js';
import { FREE, type ModelFacts } from '../../models/settings.js';
import { UserError } from '../../shared/errors.js';
import type { House } from '../house.js';
import { type Found, withTeam } from '../teams.js';
import { type RecordedCommand, seenKey } from './pace.js';

export interface Recording {
  readonly places: RunPlaces;
  readonly started: FactOf<'run.started'>;
  readonly calls: readonly RecordedCall[];
  /** By role, of its model: a window and no price. Roles whose answers were not recorded are absent. */
  readonly facts: ReadonlyMap<string, ModelFacts>;
  readonly commands: readonly RecordedCommand[];
  /** By `seenKey`: the number that the next fact had when a call was run. */
  readonly seen: ReadonlyMap<string, number>;
  /** Texts of system prompts and reference blocks, by SHA-256. */
  readonly texts: ReadonlyMap<string, string>;
  /** What the operator said while it ran, with the number of its first fact. */
  readonly words: readonly { readonly first: number; readonly facts: readonly Fact[] }[];
}

/** Reads the recording that an id or the beginning of one names. What cannot be played again is refused. */
export function loadRecording(house: House, typed: string): Promise<Found<Recording>> {
  return withTeam(house, typed, async ({ id, folder, look }) => {
    const view = look.view('strict');
    const entries = (await view.log()).entries;
    const started = playable(id, entries);
    const texts = new Map<string, string>();
    const text = async (sha256: string): Promise<string> => {
      const known = texts.get(sha256) ?? (await view.blob(sha256));
      if (known === undefined) throw broken(id, `the text ${sha256} is not in it`);
      texts.set(sha256, known);
      return known;
    };
    const calls: RecordedCall[] = [];
    const facts = new Map<string, ModelFacts>();
    const seen = new Map<string, number>();
    for (const seat of started.seats) {
      const system: PromptPart[] = [];
      for (const { name, sha256 } of seat.parts) system.push({ name, text: await text(sha256) });
      if (seat.reference !== null) await text(seat.reference.sha256);
      const transcript = (await view.transcript(seat.member)).entries;
      for (const entry of transcript) {
        if (entry.kind === 'result' && entry.seen !== undefined)
          seen.set(seenKey(seat.member, entry.place), entry.seen);
      }
      if (!seat.model.startsWith('record/')) continue;
      const read = await callsOf(id, seat, system, transcript, text);
      calls.push(...read.calls);
      facts.set(seat.role, read.facts);
    }
    const commands = commandsOf(entries);
    return {
      places: { team: id, folder, workspace: started.workspace.path },
      started,
      calls,
      facts,
      commands,
      seen,
      texts,
      words: wordsOf(entries),
    };
  });
}

/** The first fact of a run that can be played again from its beginning to its end. */
function playable(id: string, entries: readonly LogEntry[]): FactOf<'run.started'> {
  const facts = entries.flatMap((entry) => entry.facts);
  const [started] = facts;
  if (started?.type !== 'run.started') throw refusal(id, 'nothing is recorded of it');
  if (!started.seats.some(({ model }) => model.startsWith('record/'))) {
    throw refusal(id, 'none of its models was recorded; run it with --model record/<provider>/<model>');
  }
  const later = facts.find(({ type }) => type === 'run.resumed');
  if (later !== undefined)
    throw refusal(id, 'it was interrupted and taken up again; a run is played again whole');
  const wait = facts.find((fact) => fact.type === 'turn.ended' && fact.wait !== null);
  if (wait !== undefined) {
    throw refusal(id, 'a provider asked it to wait; the order of such a run cannot be had again');
  }
  // What was asked then is not in a transcript: those hold answers.
  const unanswered = facts.find(
    (fact) => fact.type === 'budget.spent' && fact.estimated && fact.model.startsWith('record/'),
  );
  if (unanswered?.type === 'budget.spent')
    throw refusal(id, `a call of ${unanswered.member} had no answer that could be given again`);
  if (facts.some(({ type }) => type === 'brief.sent')) {
    const why =
      'members of it delegated, and what came of that was no answer of a model; play a run without an engineer';
    throw refusal(id, why);
  }
  if (!facts.some(({ type }) => type === 'run.ended')) throw refusal(id, 'it has not ended');
  return started;
}

function refusal(id: string, why: string): UserError {
  return new UserError('not-replayable', `${id} cannot be played again: ${why}`);
}

function broken(id: string, why: string): UserError {
  return new UserError('recording-broken', `the record of ${id} cannot be played again: ${why}`);
}

async function callsOf(
  id: string,
  seat: Seat,
  system: readonly PromptPart[],
  transcript: readonly TranscriptEntry[],
  text: (sha256: string) => Promise<string>,
): Promise<{ readonly calls: readonly RecordedCall[]; readonly facts: ModelFacts }> {
  const calls: RecordedCall[] = [];
  let facts = FREE;
  const conversation = new Conversation();
  const addCall = async (
    messages: readonly ModelMessage[],
    proof: SentProof,
    reply: RecordedCall['reply'],
  ): Promise<void> => {
    const tools = JSON.parse(await text(proof.tools_sha256)) as readonly ToolDefinition[];
    const asked: Asked = { system, messages, tools, maxOutputTokens: proof.max_output_tokens };
    const made = sentOf(asked, FREE);
    if (made.messagesSha256 !== proof.messages_sha256 || made.systemSha256 !== proof.system_sha256) {
      throw broken(id, `what ${seat.member} was sent before answer ${calls.length + 1} is not what it holds`);
    }
    facts = { ...FREE, contextTokens: proof.context_tokens, maxOutputTokens: proof.longest_answer };
    calls.push({ member: seat.member, asked, reply });
  };
  for (const entry of transcript) {
    if (entry.kind === 'reply' && entry.sent !== undefined) {
      const reply = {
        kind: 'reply' as const,
        text: entry.text,
        calls: entry.calls.map(({ tool, arguments: args }) => ({ tool, arguments: args })),
        usage: usageOf(entry),
        stop: entry.stop,
      };
      await addCall([...conversation.messages], entry.sent, reply);
    }
    if (entry.kind === 'compacted' && entry.asked !== undefined) {
      const { question, answer, stop, sent } = entry.asked;
      const reply = { kind: 'reply' as const, text: answer, calls: [], usage: usageOf(entry.asked), stop };
      await addCall([{ role: 'user', text: question }], sent, reply);
    }
    conversation.add(entry);
  }
  return { calls, facts };
}

function usageOf(entry: { input_tokens: number; cached_tokens: number; output_tokens: number }) {
  return {
    inputTokens: entry.input_tokens,
    cachedTokens: entry.cached_tokens,
    outputTokens: entry.output_tokens,
  };
}

function commandsOf(entries: readonly LogEntry[]): RecordedCommand[] {
  return entries.flatMap(({ first, commands, facts }) => {
    let place = 0;
    return commands.map(({ id, facts: count }) => {
      const types = facts.slice(place, place + count).map(({ type }) => type);
      const command = { id, first: first + place, facts: types };
      place += count;
      return command;
    });
  });
}

function wordsOf(entries: readonly LogEntry[]): Recording['words'] {
  return entries.flatMap(({ first, commands, facts }) => {
    let place = 0;
    return commands.flatMap(({ id, facts: count }) => {
      const said = { first: first + place, facts: facts.slice(place, place + count) };
      place += count;
      return id.startsWith('operator/') ? [said] : [];
    });
  });
}
