/** One question to a loopback server that does one thing, whole and watched. */

import type { ModelOutcome, ModelRequest } from '../../../src/models/model.js';
import type { Releases } from '../../../src/shared/releases.js';
import type { Deed, Respond, Wire } from '../../helpers/providers/far-side.js';
import { type OpenFarOptions, openFar, WIRES } from '../../helpers/providers/open-far.js';
import { startFarSide } from '../../helpers/providers/start-far-side.js';

export const QUESTION: ModelRequest = {
  member: 'lead',
  role: 'lead',
  system: [{ name: 'role', text: 'You lead.' }],
  messages: [{ role: 'user', text: 'go' }],
  tools: [{ name: 'fs_list', description: 'Lists.', parameters: { type: 'object', properties: {} } }],
  maxOutputTokens: 1000,
};

export type Form = 'whole' | 'streamed';

export const FORMS: readonly Form[] = ['whole', 'streamed'];

/** Every wire in both forms, as rows of a table. */
export const WIRES_AND_FORMS: readonly (readonly [Wire, Form])[] = WIRES.flatMap((wire) =>
  FORMS.map((form) => [wire, form] as const),
);

export interface FarAnswered {
  readonly outcome: ModelOutcome;
  readonly fragments: readonly string[];
  /** How often the provider was asked. */
  readonly requests: number;
}

export async function askFar(
  wire: Wire,
  form: Form,
  deed: Deed | Respond,
  releases: Releases,
  options: OpenFarOptions & { readonly request?: ModelRequest } = {},
): Promise<FarAnswered> {
  const far = await startFarSide(wire, typeof deed === 'function' ? deed : () => deed, releases);
  const model = await openFar(wire, far.url, options);
  const fragments: string[] = [];
  const watch = form === 'streamed' ? (fragment: string) => void fragments.push(fragment) : undefined;
  const outcome = await model.generate(options.request ?? QUESTION, new AbortController().signal, watch);
  return { outcome, fragments, requests: far.seen.length };
}
