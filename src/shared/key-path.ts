/** Paths into what somebody wrote: at each step a key, or a place in a list. */

/** A path as messages show it: `tasks[1].gates[0]`. */
export function shownPath(path: readonly PropertyKey[]): string {
  return path
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at === 0 ? '' : '.'}${String(step)}`))
    .join('');
}

/** What stands at a path; undefined when nothing does. What a value inherits is not looked at. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, step) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, step)
        ? Reflect.get(inner, step)
        : undefined,
    value,
  );
}
