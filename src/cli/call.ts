/**
 * What a command is given: its words, the machine, and the two streams. One value, made in `main.ts`, so that a
 * command file holds nothing but flags → call → print.
 */

import type { Environment } from '../config/env.js';
import type { Layers } from '../config/written.js';
import type { Clock } from '../shared/clock.js';
import type { Output } from './output.js';
import type { TerminalInput } from './terminal-input.js';

export type StopCause = 'interrupt' | 'terminate' | 'hangup';

/** Called for each signal to stop; `word` counts them from 1. */
export type StopListener = (cause: StopCause, word: number) => void;

/** What the program is, and the edges that only its first file may touch. */
export interface Program {
  readonly version: string;
  readonly clock: Clock;
  readonly environment: Environment;
  readonly workingDirectory: string;
  readonly output: Output;
  readonly input: TerminalInput;
  /** Takes the signals over until the returned function is called; without it they end the process. */
  readonly onStop: (listener: StopListener) => () => void;
}

export interface Call {
  readonly program: Program;
  /** By the argument's name. */
  readonly arguments: ReadonlyMap<string, readonly string[]>;
  /** Flags and variables, for the configuration. */
  readonly layers: Layers;
}

/** What a file of `commands/` exports: runs the command and gives its exit code. */
export interface CommandModule {
  readonly run: (call: Call) => Promise<number>;
}

/** An argument of which there is exactly one. */
export function argument(call: Call, name: string): string {
  return call.arguments.get(name)?.[0] ?? '';
}

/** The words of an argument that takes any number. */
export function wordsOf(call: Call, name: string): readonly string[] {
  return call.arguments.get(name) ?? [];
}

/** Whether a flag that takes no value was given. */
export function isGiven(call: Call, flag: string): boolean {
  return call.layers.flags.has(flag);
}

/** The value of a flag that no variable says, the last one given; null when there is none. */
export function flagText(call: Call, flag: string): string | null {
  return call.layers.flags.get(flag)?.at(-1) ?? null;
}
