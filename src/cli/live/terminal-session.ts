/**
 * The person at the terminal beside a running team: carries what they type to the team and what the team asks to
 * them. Decides nothing: `prompts.ts` does.
 */

import type { LogEntry } from '../../events/log-entry.js';
import type { Answer, Answered } from '../../runtime/operator-words.js';
import { errorText } from '../../shared/errors.js';
import { TOLD } from '../../team/decide/sweep.js';
import { requestView } from '../../team/show/status.js';
import type { TeamState } from '../../team/show/view.js';
import { onLines, type TerminalInput } from '../terminal-input.js';
import {
  linesTyped,
  NO_PROMPTS,
  type PromptAction,
  type PromptState,
  type PromptStep,
  requestClosed,
  requestOpened,
} from './prompts.js';
import type { Screen } from './screen.js';

/** What the session needs of a team. */
export interface AskedTeam {
  readonly id: string;
  state(): TeamState;
  answer(request: string, answer: Answer): Promise<Answered>;
  send(to: string, text: string): Promise<Answered>;
}

export class TerminalSession {
  readonly #team: AskedTeam;
  readonly #screen: Screen;
  readonly #stopReading: () => void;
  #state: PromptState = NO_PROMPTS;
  #closed = false;

  /** Begins to read, and shows what the team has been waiting for since before. */
  constructor(team: AskedTeam, screen: Screen, input: TerminalInput) {
    this.#team = team;
    this.#screen = screen;
    this.#stopReading = onLines(input, (lines) => this.#typed(lines));
    this.#openAll();
  }

  /** Whether somebody is still there. */
  get isOpen(): boolean {
    return !this.#closed;
  }

  /** Something was recorded. */
  entry({ facts }: LogEntry): void {
    if (this.#closed) return;
    for (const fact of facts) {
      if (fact.type === 'request.opened') this.#open(fact.request);
      else if (fact.type === 'request.decided') this.#close(fact.request, `was decided by ${fact.by.kind}`);
      else if (fact.type === 'request.expired') this.#close(fact.request, 'has expired');
      else if (fact.type === 'request.withdrawn') this.#close(fact.request, 'was withdrawn');
      else if (fact.type === 'run.nudged') this.#openAll();
    }
  }

  /** Stops reading and asking. */
  end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#screen.unask();
    this.#stopReading();
  }

  #openAll(): void {
    for (const { id } of this.#team.state().requests.values()) this.#open(id);
  }

  /**
   * Shows a request that is open and the operator's alone. What the lead may decide is asked here when the lead was told
   * in vain that the team waits for it.
   */
  #open(id: string): void {
    const state = this.#team.state();
    const request = state.requests.get(id);
    if (request?.status.kind !== 'open') return;
    if (request.principals.includes('lead') && state.told < TOLD) return;
    this.#take(requestOpened(this.#state, requestView(request, state.at)));
  }

  #close(id: string, how: string): void {
    this.#take(requestClosed(this.#state, id, how));
  }

  #typed(lines: readonly string[] | undefined): void {
    if (this.#closed) return;
    if (lines !== undefined) {
      this.#screen.typed();
      this.#take(linesTyped(this.#state, lines));
      return;
    }
    this.end();
    const answer = `bnerd team answer ${this.#team.id} <request> yes|no|<text>`;
    this.#screen.print([`  the input has ended; from another terminal: ${answer}`]);
  }

  #take(step: PromptStep): void {
    this.#state = step.state;
    for (const action of step.actions) this.#act(action);
  }

  #act(action: PromptAction): void {
    switch (action.kind) {
      case 'answer':
        this.#tell(this.#team.answer(action.request, action.answer), action.request);
        break;
      case 'send':
        this.#tell(this.#team.send('lead', action.text), null);
        break;
      default:
        this.#screen.act(action);
    }
  }

  /** Says what became of the person's word; a request that is still open after it is asked again. */
  #tell(said: Promise<Answered>, request: string | null): void {
    said
      .catch((error: unknown) => ({ kind: 'refused' as const, code: 'failed', message: errorText(error) }))
      .then((answered) => {
        if (this.#closed) return;
        if (answered.kind === 'accepted') {
          // What was decided is told by the record, as are decisions from elsewhere.
          if (request === null) this.#screen.print([`  ${answered.text}`]);
          return;
        }
        this.#screen.print([`  not taken (${answered.code}): ${answered.message}`]);
        if (request !== null) this.#open(request);
      })
      .catch((error: unknown) => this.#screen.print([`  ${errorText(error)}`]));
  }
}
