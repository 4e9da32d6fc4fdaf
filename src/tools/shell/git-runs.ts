/** What a git command line makes git run besides itself: pagers, aliases, monitors, `rebase --exec`. Pure. */

import type { Inside } from './inside.js';
import { commandOf, NOTHING, textsOf, unseen } from './inside.js';
import type { ShellWord } from './line.js';
import { knownText } from './line.js';
import { isLong } from './options.js';

/** Settings whose value git runs, or reads as a path to what it runs. */
const RUNNING =
  /^(alias\.|include|core\.(pager|editor|sshcommand|fsmonitor|hookspath|askpass|gitproxy)|pager\.|diff\.(external|.*\.(command|textconv))|merge\..*\.driver|filter\.|sequence\.editor|gpg\.|credential\.|(difftool|mergetool|man|browser|guitool)\.|interactive\.difffilter|remote\..*\.(uploadpack|receivepack|vcs)|uploadpack\.|url\.|http\.proxy|init\.templatedir|protocol\.|submodule\..*\.update|trailer\.|sendemail\.)/i;

/** They run programs of the settings, or are there to run one. */
const RUNNERS = /^(difftool|mergetool|for-each-repo|shell|hook|instaweb|web--browse|remote-ext)$/;

/** They take the name of the program for the other side. */
const REMOTE = /^(fetch|pull|clone|ls-remote|fetch-pack|archive)$/;

const OF_ITS_SETTINGS = unseen('runs a program of its settings');

/** @param rest the words after `git` */
export function gitRuns(rest: readonly ShellWord[]): Inside {
  let at = 0;
  for (; at < rest.length; at++) {
    const word = knownText(rest[at]);
    if (word === undefined) return unseen('is given a command that is not told before the line runs');
    if (/^--(exec-path|config-env)(=|$)/.test(word)) return OF_ITS_SETTINGS;
    if (word.startsWith('-c')) {
      const setting = word === '-c' ? knownText(rest[at + 1]) : word.slice(2);
      if (setting === undefined) return unseen('is given a setting that is not told before the line runs');
      if (RUNNING.test(setting)) return OF_ITS_SETTINGS;
    }
    if (!word.startsWith('-')) break;
    if (/^(-[Cc]|--(git-dir|work-tree|namespace|super-prefix|attr-source))$/.test(word)) at++;
  }
  const name = knownText(rest[at])?.toLowerCase() ?? '';
  return subcommandRuns(name, rest.slice(at + 1));
}

function subcommandRuns(name: string, words: readonly ShellWord[]): Inside {
  if (RUNNERS.test(name)) return OF_ITS_SETTINGS;
  const texts = words.map((word) => knownText(word) ?? '');
  if (texts.some((text) => /^ext::/i.test(text))) return unseen('runs the command that an address holds');
  if (REMOTE.test(name) && texts.some((text) => isLong(text, 'up|load-pack', 'ex|ec')))
    return unseen('runs a program of its options');
  if (name === 'clone') return cloneRuns(texts);
  if (name === 'config') {
    const key = texts.findIndex((text) => RUNNING.test(text));
    return key === -1 || key === texts.length - 1 ? NOTHING : unseen('is given a program to run later');
  }
  if (name === 'grep') return textsOf(texts.flatMap((text) => pager(text)));
  if (name === 'rebase') return textsOf(words.flatMap((_, at) => executed(words, at)));
  const verb = { bisect: 'run', submodule: 'foreach' }[name];
  const at = verb === undefined ? -1 : texts.indexOf(verb);
  if (at === -1) return NOTHING;
  const inner = words.slice(at + 1).filter((one) => !/^--?(recursive|quiet|q)$/.test(knownText(one) ?? ''));
  const whole = inner.length === 1 ? knownText(inner[0]) : undefined;
  return whole === undefined ? { ...NOTHING, commands: [commandOf(inner)] } : textsOf([whole]);
}

/** `--config` may stand alone or joined, and `-u` names the program of the other side. */
function cloneRuns(texts: readonly string[]): Inside {
  const settings = texts.flatMap((text, at) => {
    const joined = isLong(text, 'co|nfig') ? /=(.*)$/s.exec(text)?.[1] : /^-c(.+)$/s.exec(text)?.[1];
    return text === '-c' || isLong(text, 'co|nfig') || joined !== undefined
      ? [joined ?? texts[at + 1] ?? '']
      : [];
  });
  const runs =
    settings.some((setting) => RUNNING.test(setting)) || texts.some((text) => /^-[a-z]*u/.test(text));
  return runs ? OF_ITS_SETTINGS : NOTHING;
}

/** The text behind `--exec` and `-x`, which may stand in a row of letters. */
function executed(words: readonly ShellWord[], at: number): string[] {
  const text = knownText(words[at]) ?? '';
  const long = isLong(text, 'ex|ec');
  if (!long && !/^-[a-z]*x/.test(text)) return [];
  const joined = long ? /=(.*)$/s.exec(text)?.[1] : /^-[a-z]*?x(.+)$/s.exec(text)?.[1];
  return [joined ?? knownText(words[at + 1]) ?? '$unknown'];
}

/** `-Oless`: what `grep` opens the files in. */
function pager(text: string): string[] {
  const form = isLong(text, 'op|en-files-in-pager') ? /=(.+)$/s : /^-[A-Za-z]*O(.+)$/s;
  return form.exec(text)?.slice(1) ?? [];
}
