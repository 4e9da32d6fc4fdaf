/** Rules and skills as programs read them: snake case, absent as null. Pure. */

import type { RoleEntry } from '../../runtime/skills/role-entries.js';
import type { Entry } from '../../skills/entry.js';
import type { Standing, StandingFile } from '../../skills/inventory/standing.js';

/** An entry as a listing has it. */
export function entryJson({ file, kind, name, standing }: StandingFile): object {
  const entry = file.kind === 'loaded' ? file.entry : null;
  return {
    kind,
    name,
    tier: file.place.tier,
    ...standingJson(standing),
    trust: entry?.trust ?? null,
    version: entry?.version ?? null,
    description: entry?.description ?? null,
    digest: entry?.digest ?? null,
    support: entry?.support ?? null,
    path: file.path,
  };
}

/** An entry as a role would have it. */
export function roleEntryJson({ entry, name, outcome, came, detail }: RoleEntry): object {
  return {
    kind: entry?.kind ?? null,
    name,
    tier: entry?.tier ?? null,
    outcome,
    came: came === 'always on' ? 'always_on' : came,
    detail,
    version: entry?.version ?? null,
    description: entry?.description ?? null,
    digest: entry?.digest ?? null,
    path: entry?.path ?? null,
  };
}

/** How a file stands: one word, and what goes with it. */
export function standingJson(standing: Standing): object {
  return {
    state: standing.kind === 'in-use' ? 'in_use' : standing.kind,
    why: 'why' in standing ? standing.why : null,
    by: 'by' in standing ? standing.by : null,
  };
}

/** Every field of an entry. */
export function fieldsJson(entry: Entry): object {
  const { alwaysOn, appliesTo, allowedTools, ...rest } = entry;
  return { ...rest, always_on: alwaysOn, applies_to: appliesTo, allowed_tools: allowedTools };
}
