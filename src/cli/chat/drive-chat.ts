/** A chat before somebody's eyes: lines in, answers on stdout, everything else on stderr, until somebody ends it. */

import { Chat } from '../../chat/chat.js';
import type { ChatNote } from '../../chat/parts.js';
import type { ChatBasis } from '../../runtime/chat/chat-order.js';
import { sleep } from '../../shared/abort.js';
import { BugError, CodedError } from '../../shared/errors.js';
import { oneLine, stripControls } from '../../shared/terminal-text.js';
import type { Program } from '../call.js';
import { Screen } from '../live/screen.js';
import { CHAT_HELP, type ChatWord, chatWord } from './chat-words.js';
import { noteLine, spentLine } from './note-lines.js';
import { Person } from './person.js';
import { Stops } from './stops.js';

/** Sees a chat to its end and gives the exit code. Releases the basis. */
export async function driveChat(program: Program, basis: ChatBasis): Promise<number> {
  const { output, input, onStop } = program;
  const screen = new Screen(output.notes);
  const stops = new Stops(onStop, (text) => screen.print([text]));
  const person = new Person(input, screen);
  const conversation = new Conversation(program, screen);
  try {
    const chat = await Chat.open(
      { ...basis, confirm: person.confirm, sleep, tell: (note) => conversation.tell(note) },
      stops.ended,
    );
    if (input.isTerminal) screen.print([`${basis.name} · ${basis.model.id} · /help lists the commands`]);
    for (;;) {
      const line = await person.next(stops.ended);
      if (line === undefined) break;
      const word = chatWord(line);
      if (word.kind === 'quit') break;
      await conversation.obey(chat, word, stops.begin());
      stops.done();
      await output.results.drained();
      if (output.results.failure !== null) return 1; // nobody reads the answers any more
    }
    screen.print([spentLine(conversation.messages, chat.spent)]);
    return stops.exit ?? (conversation.lastFailed || person.hasLost ? 1 : 0);
  } catch (error) {
    if (stops.exit === null) throw error;
    return stops.exit;
  } finally {
    person.end();
    await basis.releases.run();
    stops.release();
  }
}

/** What was said so far, and where it is shown. */
class Conversation {
  readonly #program: Program;
  readonly #screen: Screen;
  messages = 0;
  /** Whether the newest message got no answer. */
  lastFailed = false;

  constructor(program: Program, screen: Screen) {
    this.#program = program;
    this.#screen = screen;
  }

  tell(note: ChatNote): void {
    if (note.kind === 'answer') this.#answer(note.text);
    else this.#screen.print([noteLine(note)]);
  }

  /** Does what a line means. */
  async obey(chat: Chat, word: Exclude<ChatWord, { kind: 'quit' }>, signal: AbortSignal): Promise<void> {
    switch (word.kind) {
      case 'nothing':
        return;
      case 'say':
        return this.#say(chat, word.text, signal);
      case 'help':
        return this.#answer(CHAT_HELP);
      case 'skills':
        return this.#tried(async () => this.#answer(await chat.skills(signal)));
      case 'load':
        return this.#tried(async () => this.#note(await chat.load(word.name, signal)));
      case 'unload':
        return this.#note(chat.unload(word.name));
      case 'wrong':
        return this.#note(word.text);
    }
  }

  async #say(chat: Chat, text: string, signal: AbortSignal): Promise<void> {
    this.messages++;
    const said = await chat.say(text, signal);
    this.lastFailed = said.kind === 'failed';
    if (said.kind === 'stopped') this.#note('stopped');
    if (said.kind === 'failed') this.#note(`no answer: ${said.code}: ${said.error}`);
  }

  /** What was called off, or could not be read, is told; the chat goes on. */
  async #tried(what: () => Promise<void>): Promise<void> {
    try {
      await what();
    } catch (error) {
      if (!(error instanceof CodedError) || error instanceof BugError) throw error;
      this.#note(error.message);
    }
  }

  #answer(text: string): void {
    this.#program.output.results.write(`${stripControls(text).trimEnd()}\n`);
  }

  #note(text: string): void {
    this.#screen.print([`  ${oneLine(text, Number.MAX_SAFE_INTEGER)}`]);
  }
}
