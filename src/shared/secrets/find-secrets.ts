/**
 * Where secrets stand in a text, in whatever form. Pure.
 *
 *  F1 what overlaps is one place, named after the longest: no rest of one secret is left beside another;
 *  F2 a placeholder that stands in the text already is left alone, and nothing is found across its borders.
 */

import { type View, viewsOf } from './encoded-views.js';
import { FormSearch } from './form-search.js';
import { placeholder, placeholderSpans, type Span } from './placeholder.js';
import {
  BASE64_BITS,
  type Edge,
  type Form,
  formsOf,
  LEAST_BYTES,
  type Secret,
  secretLines,
} from './secret-forms.js';

/** A secret that is known by what it looks like. */
export interface SecretPattern {
  readonly name: string;
  /** Global; matches no line end and no empty text, and is known to take little time. */
  readonly expression: RegExp;
}

/** A place that holds one secret or several that overlap. */
export interface Place extends Span {
  readonly placeholder: string;
}

interface Match extends Place {
  /** Of the form, in characters. */
  readonly length: number;
  /** More of it may follow behind the text. */
  readonly open: boolean;
}

/** Longest lines that are looked at by patterns while a text comes in pieces. */
const PATTERN_LINE = 1024 * 1024;

/** What stands where a text was cut to be shown. */
const ELLIPSIS = '…';

/** What a place of base64 may take in behind its form: a character that is partly the secret's, and the padding. */
const BEHIND_FORM = 3;

export class SecretFinder {
  readonly #search: FormSearch | undefined;
  readonly #patterns: readonly { readonly placeholder: string; readonly expression: RegExp }[];
  readonly #known: ReadonlySet<string>;
  readonly #shortest: number;

  /**
   * @param secrets of two with one value the first by name is the one that is named; values of less than 8 bytes, and
   *     those that hold a placeholder themselves, are none; of a value of several lines its lines are secret as well
   */
  constructor(secrets: readonly Secret[], patterns: readonly SecretPattern[]) {
    const values = new Map<string, string>();
    const named = [...secrets].sort((one, other) => compare(one.name, other.name));
    for (const { name, value } of named) {
      const trimmed = value.trim();
      for (const secret of [trimmed, ...secretLines(trimmed)]) {
        if (isSecret(secret) && !values.has(secret)) values.set(secret, placeholder(name));
      }
    }
    const forms = [...values].flatMap(([value, instead]) => formsOf(value, instead));
    this.#search = forms.length === 0 ? undefined : new FormSearch(forms);
    this.#patterns = patterns.map(({ name, expression }) => ({ placeholder: placeholder(name), expression }));
    this.#known = new Set([...values.values(), ...this.#patterns.map((pattern) => pattern.placeholder)]);
    this.#shortest = this.#patterns.length > 0 ? 1 : (this.#search?.shortest ?? Number.POSITIVE_INFINITY);
  }

  get knowsNone(): boolean {
    return this.#known.size === 0;
  }

  /** The places of a text, in order. */
  find(text: string): Place[] {
    if (text.length < this.#shortest) return [];
    return this.#placesIn(text, viewsOf(text));
  }

  /**
   * The places where a secret was cut: its beginning, of as many characters as a secret has bytes at least, in front of
   * an ellipsis.
   */
  findCut(text: string): Place[] {
    const places: Place[] = [];
    let from = 0;
    for (let end = text.indexOf(ELLIPSIS); end !== -1; end = text.indexOf(ELLIPSIS, from)) {
      const begun = viewsOf(text.slice(from, end)).flatMap((view) => this.#begunIn(view));
      const [longest] = begun.sort((one, other) => one.start - other.start);
      if (longest !== undefined) {
        places.push({ placeholder: longest.placeholder, start: from + longest.start, end });
      }
      from = end + ELLIPSIS.length;
    }
    return places;
  }

  #begunIn(view: View): { readonly start: number; readonly placeholder: string }[] {
    const begun = this.#search?.begunAt(view.text);
    if (begun === undefined || view.text.length - begun.start < LEAST_BYTES) return [];
    return [{ start: view.startOf(begun.start), placeholder: begun.form.placeholder }];
  }

  /**
   * The places of a text that goes on, and how much of it is certain.
   * @returns `upTo`: what stands before it is the same whatever follows. No place and no escape lies across it
   */
  findSoFar(text: string): { readonly places: readonly Place[]; readonly upTo: number } {
    const views = viewsOf(text);
    const places = this.#placesIn(text, views);
    let upTo = Math.min(text.length, this.#placeholderPending(text), this.#patternsPending(text));
    for (const view of views) upTo = Math.min(upTo, this.#pending(view));
    for (;;) {
      const before = upTo;
      for (const view of views) upTo = Math.min(upTo, view.whole(upTo));
      for (const { start, end, open } of places) if (start < upTo && (end > upTo || open)) upTo = start;
      if (upTo === before) return { places, upTo };
    }
  }

  /** The last place of a text, at or before this one, where it can be cut in front: nothing lies across it. */
  cutBefore(text: string, place: number): number {
    const views = viewsOf(text);
    const spans = [...placeholderSpans(text, this.#known), ...this.#placesIn(text, views)];
    for (let at = place; ; ) {
      const before = at;
      for (const view of views) at = Math.min(at, view.whole(at));
      for (const { start, end } of spans) if (start < at && at < end) at = start;
      if (at === before) return at;
    }
  }

  #placesIn(text: string, views: readonly View[]): Match[] {
    const taken = placeholderSpans(text, this.#known);
    const matches = views.flatMap((view) => this.#matchesIn(view));
    return merged(matches.filter((match) => !taken.some((span) => overlap(span, match))));
  }

  #matchesIn(view: View): Match[] {
    const matches: Match[] = [];
    const add = (placeholder: string, start: number, end: number, open: boolean): void => {
      const length = end - start;
      matches.push({ placeholder, start: view.startOf(start), end: view.endOf(end), length, open });
    };
    this.#search?.each(view.text, (form, at) => {
      const { start, end } = withEdges(form, view.text, at);
      const open = form.after !== undefined && at + form.codes.length + BEHIND_FORM > view.certain;
      add(form.placeholder, start, end, open);
    });
    for (const { placeholder, expression } of this.#patterns) {
      for (const { index, 0: found } of view.text.matchAll(expression)) {
        if (found !== '') add(placeholder, index, index + found.length, false);
      }
    }
    return matches;
  }

  /** Where in the text begins what could become a secret, in this view; of base64 the character before it as well. */
  #pending(view: View): number {
    const certain = view.text.slice(0, view.certain);
    const from = this.#search?.pendingFrom(certain) ?? view.certain;
    const before = (BASE64_BITS[view.text.charCodeAt(from - 1)] ?? 255) === 255 ? 0 : 1;
    return view.startOf(from - before);
  }

  #placeholderPending(text: string): number {
    const begin = text.lastIndexOf('[');
    if (begin === -1) return text.length;
    const rest = text.slice(begin);
    for (const known of this.#known) if (known.length > rest.length && known.startsWith(rest)) return begin;
    return text.length;
  }

  /** Patterns are looked for line by line. */
  #patternsPending(text: string): number {
    if (this.#patterns.length === 0) return text.length;
    const line = text.lastIndexOf('\n') + 1;
    return text.length - line > PATTERN_LINE ? text.length : line;
  }
}

function isSecret(value: string): boolean {
  return Buffer.byteLength(value) >= LEAST_BYTES && !value.includes('[secret:');
}

/** The characters beside a form that hold other bits of the secret, and the padding. */
function withEdges({ codes, before, after }: Form, text: string, at: number): Span {
  const start = fits(before, text, at - 1) ? at - 1 : at;
  let end = at + codes.length;
  if (!fits(after, text, end)) return { start, end };
  end++;
  for (let padding = 0; padding < 2 && text.charAt(end) === '='; padding++) end++;
  return { start, end };
}

function fits(edge: Edge | undefined, text: string, at: number): boolean {
  if (edge === undefined || at < 0 || at >= text.length) return false;
  const bits = BASE64_BITS[text.charCodeAt(at)] ?? 255;
  return bits !== 255 && (bits & edge.mask) === edge.bits;
}

/** F1. */
function merged(matches: Match[]): Match[] {
  matches.sort((one, other) => one.start - other.start || other.end - one.end);
  const places: Match[] = [];
  for (const match of matches) {
    const last = places.at(-1);
    if (last === undefined || match.start >= last.end) {
      places.push(match);
      continue;
    }
    const longer = match.length > last.length ? match : last;
    places[places.length - 1] = {
      ...longer,
      start: last.start,
      end: Math.max(last.end, match.end),
      open: last.open || match.open,
    };
  }
  return places;
}

function overlap(one: Span, other: Span): boolean {
  return one.start < other.end && other.start < one.end;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
