/**
 * A model before which no secret stands, and whose answers hold none: what goes out is redacted, what comes back is before
 * anybody sees, records or runs it (invariant 8). A value that a model invents, or has read where nobody redacts, becomes
 * its placeholder here, in texts, names of tools and arguments alike.
 */

import { isObject } from '../shared/is-object.js';
import { NO_SECRETS, type Redactor } from '../shared/secrets/redactor.js';
import type { Model, ModelOutcome } from './model.js';

/** The model behind its redactor. */
export function redactedModel(model: Model, secrets: Redactor): Model {
  if (secrets === NO_SECRETS) return model;
  const { id, facts, gate } = model;
  // A conversation grows by a message or two between two questions; the others are the same objects as before.
  const seen = new WeakMap<object, object>();
  const once = <Part extends object>(part: Part): Part => {
    const before = seen.get(part) as Part | undefined;
    if (before !== undefined) return before;
    const clean = secrets.value(part);
    seen.set(part, clean);
    return clean;
  };
  return {
    id,
    facts,
    ...(gate === undefined ? {} : { gate }),
    leftover: (member, role, messages) => model.leftover(member, role, messages),
    async generate(request, signal, watch) {
      const shown = watch === undefined ? undefined : fragments(watch, secrets);
      const { system, messages, tools } = request;
      const asked = {
        ...request,
        system: system.map(once),
        messages: messages.map(once),
        tools: tools.map(once),
      };
      const outcome = await model.generate(asked, signal, shown?.hear);
      if (outcome.kind === 'reply') shown?.end();
      return clean(outcome, secrets);
    },
  };
}

/** A secret may be cut by the border between two fragments. */
function fragments(
  watch: (fragment: string) => void,
  secrets: Redactor,
): { readonly hear: (fragment: string) => void; readonly end: () => void } {
  const stream = secrets.stream();
  const tell = (text: string): void => {
    if (text !== '') watch(text);
  };
  return { hear: (fragment) => tell(stream.push(fragment)), end: () => tell(stream.end()) };
}

function clean(outcome: ModelOutcome, secrets: Redactor): ModelOutcome {
  // A failure's words are for people, and were cut to a line of theirs.
  if (outcome.kind !== 'reply') return secrets.shown(outcome);
  const calls = outcome.calls.map((call) => ({
    ...call,
    arguments: withoutNumbers(call.arguments, secrets),
  }));
  return secrets.value({ ...outcome, calls });
}

/** A secret of digits alone may come as a number. */
function withoutNumbers(value: unknown, secrets: Redactor): unknown {
  if (typeof value === 'number') {
    const text = secrets.text(String(value));
    return text === String(value) ? value : text;
  }
  if (Array.isArray(value)) return value.map((item: unknown) => withoutNumbers(item, secrets));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withoutNumbers(inner, secrets)]),
  );
}
