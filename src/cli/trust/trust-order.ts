/** Which form of `bnerd trust` is meant: its words and flags, checked against each other. Pure. */

import type { Finding } from '../../shared/findings.js';
import { argument, type Call, flagText, isGiven } from '../call.js';

export type TrustOrder =
  | { readonly form: 'list'; readonly json: boolean }
  | {
      readonly form: 'file';
      readonly target: string;
      /** Approve without a question when this is the digest; null: ask. */
      readonly digest: string | null;
      readonly showInvisible: boolean;
      /** Phrases that try to set aside other instructions have been read and are accepted. */
      readonly accept: boolean;
      /** The last author of the text may approve it. */
      readonly self: boolean;
      readonly json: boolean;
      readonly as: string | null;
    }
  | {
      readonly form: 'place';
      /** Null: the repository of the working directory. */
      readonly path: string | null;
      readonly yes: boolean;
      readonly as: string | null;
    }
  | { readonly form: 'revoke-file'; readonly target: string; readonly as: string | null }
  | { readonly form: 'revoke-place'; readonly path: string | null; readonly as: string | null }
  | { readonly form: 'refused'; readonly finding: Finding };

/** The flags that say something in each form; all others of these are refused in it. */
const FLAGS: Readonly<Record<Exclude<TrustOrder['form'], 'refused'>, readonly string[]>> = {
  list: ['json'],
  file: ['digest', 'show-invisible', 'accept', 'self', 'json', 'as'],
  place: ['repo', 'yes', 'as'],
  'revoke-file': ['revoke', 'as'],
  'revoke-place': ['revoke', 'repo', 'as'],
};

const IN_WORDS: Readonly<Record<keyof typeof FLAGS, string>> = {
  list: 'a listing',
  file: 'a file',
  place: 'a place (--repo)',
  'revoke-file': '--revoke of a file',
  'revoke-place': '--revoke --repo',
};

/** Total: every call is one of these. */
export function trustOrder(call: Call): TrustOrder {
  const target = argument(call, 'target');
  const path = target === '' ? null : target;
  const as = flagText(call, 'as');
  const form = formOf(isGiven(call, 'revoke'), isGiven(call, 'repo'), target);
  const odd = [...new Set(Object.values(FLAGS).flat())].find(
    (flag) => isGiven(call, flag) && !FLAGS[form].includes(flag),
  );
  if (odd !== undefined) {
    const message = `--${odd} says nothing about ${IN_WORDS[form]}; allowed with it: ${FLAGS[form].map((flag) => `--${flag}`).join(', ')}`;
    return refused(`--${odd}`, message, 'leave it out, or see bnerd trust --help');
  }
  switch (form) {
    case 'list':
      return { form, json: isGiven(call, 'json') };
    case 'file':
      return {
        form,
        target,
        digest: flagText(call, 'digest')?.trim() ?? null,
        showInvisible: isGiven(call, 'show-invisible'),
        accept: isGiven(call, 'accept'),
        self: isGiven(call, 'self'),
        json: isGiven(call, 'json'),
        as,
      };
    case 'place':
      return { form, path, yes: isGiven(call, 'yes'), as };
    case 'revoke-file':
      if (target !== '') return { form, target, as };
      return refused('--revoke', 'it is not said what is revoked', 'name a file, or add --repo for a place');
    case 'revoke-place':
      return { form, path, as };
  }
}

function formOf(revoke: boolean, repo: boolean, target: string): keyof typeof FLAGS {
  if (revoke) return repo ? 'revoke-place' : 'revoke-file';
  if (repo) return 'place';
  return target === '' ? 'list' : 'file';
}

function refused(path: string, message: string, remedy: string): TrustOrder {
  return { form: 'refused', finding: { code: 'wrong-use', severity: 'error', path, message, remedy } };
}
