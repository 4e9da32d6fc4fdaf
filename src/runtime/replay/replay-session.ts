/**
 * One recorded run that is played again: opened as the models of its roles, compared with the run that is about to start,
 * and then the pace at which that goes (spec/team.md §9).
 *
 * Always true: one run plays one recording; what can be seen to differ before the start refuses it, with a diff, and
 * nothing is created; what differs later ends the run with a diff.
 */

import type { FactOf } from '../../events/event.js';
import type { ChosenReplay } from '../../models/choice/choose-model.js';
import type { Model, PromptPart } from '../../models/model.js';
import type { Replays } from '../../models/open-model.js';
import { type RunPlaces, textDifference } from '../../models/replay/recorded-call.js';
import { replayedModel } from '../../models/replay/replayed-model.js';
import { FREE } from '../../models/settings.js';
import { BugError, FatalError } from '../../shared/errors.js';
import type { Finding } from '../../shared/findings.js';
import type { TeamStore } from '../../state/team-store.js';
import type { House } from '../house.js';
import { ReplayPace } from './pace.js';
import { loadRecording, type Recording } from './recording.js';
import { saidAgain } from './said-again.js';

type Started = Omit<FactOf<'run.started'>, 'team'>;

export class ReplaySession implements Replays {
  readonly #house: House;
  #recording: Recording | undefined;
  #places: RunPlaces | undefined;
  #pace: ReplayPace | undefined;
  #broken: ((error: Error) => void) | undefined;

  constructor(house: House) {
    this.#house = house;
  }

  async open(choice: ChosenReplay, roles: readonly string[]): ReturnType<Replays['open']> {
    const refused = (findings: readonly Finding[]) => ({ byRole: new Map<string, Model>(), findings });
    const found = await loadRecording(this.#house, choice.name);
    if (found.kind === 'refused') return refused(found.findings);
    const recording = found.value;
    const { team } = recording.places;
    if (this.#recording !== undefined && this.#recording.places.team !== team) {
      const message = `two recorded teams at once: ${this.#recording.places.team} and ${team}; allowed: one`;
      return refused([{ ...ERROR, message, remedy: 'play one of them' }]);
    }
    const missing = roles.filter((role) => !recording.facts.has(role));
    if (missing.length > 0) {
      const message = `${choice.id}: no answers were recorded for ${missing.join(', ')}; recorded: ${[...recording.facts.keys()].join(', ')}`;
      return refused([{ ...ERROR, message, remedy: 'give these roles another model, --model <role>=<m>' }]);
    }
    this.#recording = recording;
    const byRole = roles.map((role) => [role, this.#model(recording, role)] as const);
    return { byRole: new Map(byRole), findings: [] };
  }

  /** The recorded run, once a role plays it. */
  get recording(): Recording | undefined {
    return this.#recording;
  }

  /**
   * What differs between the recorded run and the one that is planned, before anything of it exists.
   * @param prompts parts of the system prompt by member
   * @param inputTexts texts that stand in inputs, by SHA-256
   */
  differences(
    started: Started,
    prompts: ReadonlyMap<string, readonly PromptPart[]>,
    inputTexts: ReadonlyMap<string, string>,
  ): readonly Finding[] {
    const { recording } = this;
    if (recording === undefined) return [];
    const { started: then, texts } = recording;
    const findings: Finding[] = [];
    const differs = (message: string, detail: readonly string[]): void => {
      const remedy = 'go back to what was recorded, or record the team anew';
      findings.push({ ...ERROR, code: 'replay-differs', message, remedy, detail });
    };
    for (const [what, was, is] of ordered(then, this.#house.secrets.value(started))) {
      if (was !== is) differs(`${what} differs from the recorded run`, textDifference(what, was, is));
    }
    for (const seat of then.seats) {
      const now = started.seats.find(({ member }) => member === seat.member);
      if (now === undefined) {
        differs(`there is no member ${seat.member} in this team`, []);
        continue;
      }
      const parts = new Map(prompts.get(seat.member)?.map(({ name, text }) => [name, text]));
      const names = [...new Set([...seat.parts.map(({ name }) => name), ...parts.keys()])];
      for (const name of names) {
        const was = texts.get(seat.parts.find((part) => part.name === name)?.sha256 ?? '') ?? '';
        const is = parts.get(name) ?? '';
        if (was === is) continue;
        differs(
          `the system prompt of ${seat.member} differs from the recorded one in part ${name}`,
          textDifference(`system prompt of ${seat.member}, part ${name}`, was, is),
        );
      }
      const was = texts.get(seat.reference?.sha256 ?? '') ?? '';
      const is = inputTexts.get(now.reference?.sha256 ?? '') ?? '';
      if (was !== is) {
        const what = `reference text of ${seat.member}`;
        differs(`the ${what} differs from the recorded one`, textDifference(what, was, is));
      }
    }
    return findings;
  }

  /** The pace of the run that starts now; it says what the operator said then. Undefined: nothing is played again. */
  begin(places: RunPlaces, store: TeamStore): ReplayPace | undefined {
    const { recording } = this;
    if (recording === undefined) return undefined;
    this.#places = places;
    const pace = new ReplayPace(recording.commands, recording.seen, (why) =>
      this.#break(`replay/${recording.places.team}: the run does not go as it was recorded: ${why}`),
    );
    this.#pace = pace;
    store.pacedBy(pace);
    return pace;
  }

  /** What the operator said in the recorded run is said again, each word at its place. */
  speak(store: TeamStore): void {
    for (const { first, facts } of this.#recording?.words ?? []) {
      const command = saidAgain(facts);
      if (command === undefined) continue; // Its place stays empty, and the pace says so.
      store.send(`operator/${first}`, command).catch((error: unknown) => {
        this.#break(error instanceof Error ? error.message : String(error));
      });
    }
  }

  /** Hears, once, why the replay cannot go on. */
  onBroken(hear: (error: Error) => void): void {
    this.#broken = hear;
  }

  #break(message: string): void {
    if (this.#pace?.stopped === true) return;
    this.#pace?.close();
    this.#broken?.(new FatalError('replay-differs', this.#house.secrets.shown(message)));
    this.#broken = undefined;
  }

  #model(recording: Recording, role: string): Model {
    return replayedModel({
      id: `replay/${recording.places.team}`,
      facts: recording.facts.get(role) ?? FREE,
      calls: recording.calls,
      recorded: recording.places,
      now: () => {
        if (this.#places === undefined)
          throw new BugError('replay-unbound', 'asked before its run has begun');
        return this.#places;
      },
      broken: (message) => this.#break(message),
    });
  }
}

const ERROR = { code: 'replay', severity: 'error', path: '--model' } as const;

/** What an operator may say otherwise than then, as texts. */
function ordered(then: Started, now: Started): readonly (readonly [what: string, was: string, is: string])[] {
  const text = (value: unknown): string => JSON.stringify(value) ?? '';
  return [
    ['recipe', then.recipe.slug, now.recipe.slug],
    ['order', then.prompt, now.prompt],
    ['page', then.page ?? '', now.page ?? ''],
    ['variables', text(then.variables), text(now.variables)],
    ['--safety', then.safety, now.safety],
    ['--auto-approve', then.auto_approve, now.auto_approve],
    ['--auto-skip-questions', text(then.auto_skip_questions), text(now.auto_skip_questions)],
    ['--limit', text(then.limits), text(now.limits)],
    ['permissions', text(then.permissions), text(now.permissions)],
  ];
}
