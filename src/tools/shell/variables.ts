/** Variables whose value a program runs: what a line sets them to is looked at like its commands. Pure. */

import type { ShellWord } from './line.js';
import { knownText } from './line.js';

/** The value is a line of shell, or the name of a program. */
const RUN =
  /^(GIT_(PAGER|EDITOR|SEQUENCE_EDITOR|SSH_COMMAND|SSH|EXTERNAL_DIFF|ASKPASS|PROXY_COMMAND|CONFIG_VALUE_\d+)|PAGER|MANPAGER|EDITOR|VISUAL|BROWSER|SSH_ASKPASS|SUDO_ASKPASS|LESSOPEN|LESSCLOSE|PROMPT_COMMAND|RSYNC_RSH|CVS_RSH)$/;

/** A shell expands the value, and so runs what is substituted in it. */
const EXPANDED = /^(PS[0-4]|ENV|BASH_ENV)$/;

export interface VariablesRun {
  readonly texts: readonly string[];
  /** Why it cannot be told what runs, in words that follow the name of a program. */
  readonly unseen?: string;
}

/** @param words assignments, `NAME=value`; others are passed over */
export function variablesRun(words: readonly ShellWord[]): VariablesRun {
  const texts: string[] = [];
  let unseen: string | undefined;
  for (const word of words) {
    if (/^BASH_FUNC_/.test(knownText(word) ?? '')) unseen ??= 'is given a function by a variable';
    const [, name = '', value = ''] = /^(\w+)=(.*)$/s.exec(knownText(word) ?? sourceOf(word)) ?? [];
    const runs = RUN.test(name);
    if (!runs && !EXPANDED.test(name)) continue;
    if (word.kind === 'unknown') unseen ??= `is given a ${name} that is not told before the line runs`;
    // `LESSOPEN='|program %s'`: a pipe.
    else if (runs) texts.push(value.replace(/^\|+-?/, ''));
    else if (/\$\(|`/.test(value)) texts.push(value);
  }
  return { texts, ...(unseen === undefined ? {} : { unseen }) };
}

function sourceOf(word: ShellWord): string {
  return word.kind === 'unknown' ? word.source : word.text;
}
