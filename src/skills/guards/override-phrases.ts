/**
 * English phrases by which a text tries to set aside what it stands among (spec/skills.md §4). A note for a reviewer,
 * never a verdict: honest texts use some of them, and who means harm writes another sentence.
 *
 * Always true: letters and blanks of any kind, emphasis and characters that nobody sees do not hide a phrase; words are
 * matched whole. Linear in the text: what parts words is no part of one, so there is one way to read each pattern.
 */

import { plainForm } from './plain-form.js';

/** A place where a text may want to set something aside. */
export interface OverridePhrase {
  /** What such a phrase asks for: `ignore-instructions`. */
  readonly kind: string;
  /** As it was read. */
  readonly phrase: string;
  /** 1-based line of the text. */
  readonly line: number;
}

/** Between two words: blanks, line breaks, and the marks of emphasis, quotation and lists; never part of a word. */
const GAP = String.raw`[\s*~>"“”\x60]{1,12}`;

/** Alternatives of words, and of words with blanks in them. */
const oneOf = (...words: readonly string[]): string => `(?:${words.join('|').replaceAll(' ', GAP)})`;

/** A gap and one of these. */
const then = (...words: readonly string[]): string => GAP + oneOf(...words);

/** Up to `most` words of any kind, as few as will do. */
const upTo = (most: number): string => String.raw`(?:${GAP}[\p{L}\p{N}_'’./-]{1,30},?){0,${most}}?`;

const FILL = `(?:${then(...['all', 'any', 'every', 'each', 'the', 'your', 'my', 'our', 'their', 'these', 'those', 'other', 'of'])}){0,4}`;

const EARLIER = then(
  ...['previous', 'prior', 'preceding', 'earlier', 'above', 'former', 'foregoing', 'existing', 'current'],
  ...['original', 'initial', 'system', 'developer', 'safety', 'operator', 'other', 'default', 'built-in'],
);

const RULES = then(
  ...['instructions?', 'prompts?', 'rules?', 'guidelines?', 'guardrails?', 'directions?', 'directives?'],
  ...['commands?', 'messages?', 'constraints?', 'restrictions?', 'policy', 'policies', 'context', 'training'],
);

const KEY = then(
  ...['api keys?', 'access keys?', 'secret keys?', 'private keys?', 'ssh keys?', 'signing keys?', 'tokens'],
  ...['api tokens?', 'access tokens?', 'auth tokens?', 'session tokens?', 'passwords?', 'passphrases?'],
  ...['credentials?', 'secrets?', 'environment variables?', 'cookies'],
);

const PERSON = then('users?', 'operators?', 'humans?', 'reviewers?', 'developers?', 'anyone', 'anybody');

const NEVER = oneOf('do not', "don['’]?t", 'never', 'stop');

const IGNORE = oneOf(
  'ignore',
  'disregard',
  'forget',
  'override',
  'bypass',
  'neglect',
  'discard',
  'set aside',
);

const OUTRANKS = oneOf(
  'overrides?',
  'supersedes?',
  'outranks?',
  'takes? precedence over',
  'takes? priority over',
);

const SEND = oneOf(
  ...['send', 'post', 'upload', 'e-?mail', 'mail', 'transmit', 'exfiltrate', 'forward', 'leak', 'submit'],
  ...['report', 'deliver', 'copy', 'push'],
);

const SHOW = oneOf(
  'reveal',
  'print',
  'show',
  'repeat',
  'output',
  'display',
  'leak',
  'disclose',
  'share',
  'expose',
);

const SYSTEM_PROMPT = then(
  ...['system prompt', 'system message', 'system instructions', 'developer message'],
  ...['hidden prompt', 'hidden instructions', 'initial prompt', 'initial instructions'],
);

/** Kinds with what a phrase of each looks like; of patterns of one kind that overlap the first one counts. */
const PATTERNS: readonly (readonly [kind: string, pattern: string])[] = [
  [
    'ignore-instructions',
    `${IGNORE}${FILL}${EARLIER}(?:${then('and', 'or')}${EARLIER}|${EARLIER}){0,2}${RULES}`,
  ],
  ['ignore-instructions', `${IGNORE}${FILL}${then('above', 'preceding', 'foregoing')}`],
  ['ignore-instructions', `${IGNORE}${then('your', 'all', 'all of your', 'all your', 'any')}${RULES}`],
  [
    'ignore-instructions',
    `${IGNORE}${then('everything', 'anything', 'all')}${upTo(2)}${then('told', 'said', 'above', 'before')}`,
  ],
  [
    'ignore-instructions',
    `${NEVER}${then('follow', 'following', 'obey', 'obeying')}${FILL}${EARLIER}${RULES}`,
  ],
  ['take-precedence', `${OUTRANKS}${FILL}${EARLIER}${RULES}`],
  ['take-precedence', `${OUTRANKS}${then('any', 'all', 'your')}${FILL}${RULES}`],
  [
    'new-role',
    `${oneOf('you are no longer')}${then('bound', 'restricted', 'limited', 'subject', 'required', 'an? assistant', 'an? ai')}`,
  ],
  [
    'new-role',
    `${oneOf('pretend', 'act', 'behave', 'respond', 'imagine')}${upTo(4)}${then('no', 'without', 'without any', 'free of')}${then('restrictions?', 'rules', 'limits', 'limitations?', 'guidelines', 'filters?')}`,
  ],
  ['new-role', oneOf('jailbreak mode', 'developer mode enabled', 'do anything now', 'unrestricted mode')],
  ['reveal-prompt', `${SHOW}${upTo(3)}${SYSTEM_PROMPT}`],
  ['send-secrets', `${SEND}${upTo(5)}${KEY}${upTo(5)}${then('to', 'via')}`],
  [
    'conceal',
    `${NEVER}${then('tell', 'inform', 'notify', 'alert', 'warn', 'mention', 'reveal', 'disclose')}${upTo(3)}${PERSON}`,
  ],
  [
    'conceal',
    `${oneOf('without')}${then('telling', 'informing', 'notifying', 'alerting')}${upTo(2)}${PERSON}`,
  ],
  ['conceal', `${oneOf('keep', 'hide')}${then('this', 'it')}${upTo(2)}${then('from')}${upTo(1)}${PERSON}`],
  [
    'imitate-frame',
    `${oneOf('begin', 'end')}${FILL}${then('system prompt', 'system message', 'system instructions')}`,
  ],
];

/** Whole words; compiled once. */
const PHRASES = PATTERNS.map(
  ([kind, pattern]) =>
    [kind, new RegExp(String.raw`(?<![\p{L}\p{N}_])${pattern}(?![\p{L}\p{N}_])`, 'gu')] as const,
);

/** Every phrase of a text, in the order of its lines; each place once for a kind. */
export function overridePhrases(text: string): readonly OverridePhrase[] {
  const form = plainForm(text).replace(MARK_AT_EDGE, ' ');
  const found: (OverridePhrase & { readonly at: number })[] = [];
  for (const [kind, pattern] of PHRASES) {
    for (const { 0: phrase, index: at } of form.matchAll(pattern)) {
      const end = at + phrase.length;
      const known = found.some(
        (other) => other.kind === kind && other.at < end && at < other.at + other.phrase.length,
      );
      if (!known) found.push({ kind, phrase, line: 1 + lineBreaks(form, at), at });
    }
  }
  return found
    .sort((one, other) => one.at - other.at)
    .map(({ kind, phrase, line }) => ({ kind, phrase: phrase.replace(/\s+/g, ' '), line }));
}

/** What joins the parts of a word is emphasis or quotation at its edge. */
const MARK_AT_EDGE = /(?<![\p{L}\p{N}])[_'’-]|[_'’-](?![\p{L}\p{N}])/gu;

function lineBreaks(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
