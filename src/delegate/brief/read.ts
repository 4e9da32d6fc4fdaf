/**
 * Reading what another program wrote: a brief or a result as one JSON text. Total: every text gives a value that obeys its
 * schema, or a refusal that names the field, what was found, and what is allowed.
 */

import type { z } from 'zod';
import { errorText } from '../../shared/errors.js';
import { isObject } from '../../shared/is-object.js';
import { shownPath, valueAt } from '../../shared/key-path.js';
import { BRIEF_BYTES, BRIEF_VERSION, type Brief, brief, briefBranch, briefId } from './brief.js';
import { type Result, result } from './result.js';

export type Read<Value> =
  | { readonly kind: 'read'; readonly value: Value }
  | {
      readonly kind: 'refused';
      readonly code: 'unreadable' | 'too_large' | 'unsupported_version' | 'invalid';
      readonly message: string;
    };

/** The longest value that a message shows, in characters. */
const SHOWN = 80;

/** A brief; its id and branch must be those of its team, task, attempt and offer. */
export function readBrief(text: string): Read<Brief> {
  const read = readSigned('brief', text, brief);
  if (read.kind === 'refused') return read;
  const { value } = read;
  for (const [field, found, right] of [
    ['id', value.id, briefId(value)],
    ['workspace.branch', value.workspace.branch, briefBranch(value)],
  ] as const)
    if (found !== right)
      return refused('invalid', `brief: ${field} is ${shown(found)}; for this attempt it is ${right}`);
  return read;
}

/** A result. Whether it belongs to a brief that is out, its reader says. */
export function readResult(text: string): Read<Result> {
  return readSigned('result', text, result);
}

function readSigned<Value>(what: string, text: string, schema: z.ZodType<Value>): Read<Value> {
  const bytes = Buffer.byteLength(text, 'utf8');
  if (bytes > BRIEF_BYTES)
    return refused('too_large', `${what}: ${bytes} bytes; the longest is ${BRIEF_BYTES}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refused('unreadable', `${what}: not JSON: ${errorText(error)}`);
  }
  if (!isObject(value)) return refused('unreadable', `${what}: not a JSON object`);
  const version = value['v'];
  if (typeof version === 'number' && version > BRIEF_VERSION)
    return refused(
      'unsupported_version',
      `${what}: version ${version}; this program knows up to ${BRIEF_VERSION}: update it`,
    );
  const parsed = schema.safeParse(value);
  if (parsed.success) return { kind: 'read', value: parsed.data };
  const [issue] = parsed.error.issues;
  const at = issue === undefined ? '' : shownPath(issue.path);
  const found = issue === undefined ? '' : `, found ${shown(valueAt(value, issue.path))}`;
  return refused(
    'invalid',
    `${what}: ${at === '' ? 'the whole' : at}: ${issue?.message ?? 'does not fit'}${found}`,
  );
}

function shown(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value) ?? 'nothing';
  } catch {
    return 'a value that is nested too deep'; // reading JSON has no bound of depth, writing it has
  }
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}… (${text.length} characters)`;
}

function refused(code: Extract<Read<never>, { kind: 'refused' }>['code'], message: string): Read<never> {
  return { kind: 'refused', code, message };
}
