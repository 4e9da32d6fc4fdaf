/** What a git command line makes git run besides itself: pagers, aliases, monitors, `rebase --exec`. Pure. */

import type { ShellWord } from './line.js';
import { knownText } from './line.js';

export interface GitRuns {
  /** Words of commands. */
  readonly commands: readonly (readonly ShellWord[])[];
  readonly texts: readonly string[];
  /** In words that follow "git". */
  readonly unseen?: string;
}

/** Settings whose value git runs, or reads as a path to what it runs. */
const RUNNING =
  /^(alias\.|include|core\.(pager|editor|sshcommand|fsmonitor|hookspath|askpass|gitproxy)|pager\.|diff\.(external|.*\.(command|textconv))|merge\..*\.driver|filter\.|sequence\.editor|gpg\.|credential\.|(difftool|mergetool|man|browser|guitool)\.|interactive\.difffilter|remote\..*\.(uploadpack|receivepack|vcs)|uploadpack\.|url\.|http\.proxy|init\.templatedir|protocol\.|submodule\..*\.update|trailer\.|sendemail\.)/i;

/** @param rest the words after `git` */
export function gitRuns(rest: readonly ShellWord[]): GitRuns {
  const nothing: GitRuns = { commands: [], texts: [] };
  let at = 0;
  for (; at < rest.length; at++) {
    const word = knownText(rest[at]);
    if (word === undefined)
      return { ...nothing, unseen: 'is given a command that is not told before the line runs' };
    if (/^--(exec-path|config-env)(=|$)/.test(word))
      return { ...nothing, unseen: 'runs a program of its settings' };
    const setting = word === '-c' ? knownText(rest[at + 1]) : /^-c(.+)$/s.exec(word)?.[1];
    if (word.startsWith('-c')) {
      if (setting === undefined)
        return { ...nothing, unseen: 'is given a setting that is not told before the line runs' };
      if (RUNNING.test(setting)) return { ...nothing, unseen: 'runs a program of its settings' };
    }
    if (!word.startsWith('-')) break;
    if (/^(-[Cc]|--(git-dir|work-tree|namespace|super-prefix|attr-source))$/.test(word)) at++;
  }
  const name = knownText(rest[at]);
  return subcommandRuns(name ?? '', rest.slice(at + 1));
}

function subcommandRuns(name: string, words: readonly ShellWord[]): GitRuns {
  const texts: string[] = [];
  for (const [at, word] of words.entries()) {
    const text = knownText(word) ?? '';
    if (name === 'rebase') {
      const joined = /^--exec=(.*)$/s.exec(text)?.[1];
      if (joined !== undefined) texts.push(joined);
      else if (/^(-x|--exec)$/.test(text)) texts.push(knownText(words[at + 1]) ?? '$unknown');
    }
    if ((name === 'bisect' && text === 'run') || (name === 'submodule' && text === 'foreach')) {
      const inner = words
        .slice(at + 1)
        .filter((one) => !/^--?(recursive|quiet|q)$/.test(knownText(one) ?? ''));
      const whole = inner.length === 1 ? knownText(inner[0]) : undefined;
      return whole === undefined ? { commands: [inner], texts } : { commands: [], texts: [whole] };
    }
  }
  return { commands: [], texts };
}
