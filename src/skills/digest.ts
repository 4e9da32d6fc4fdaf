/**
 * The digest of an entry: what an approval is given for (spec/skills.md §4). It covers everything that reaches
 * a model or decides when it does, and nothing else.
 *
 * `1:` + lower-case hex SHA-256 of these bytes, all text as UTF-8, exactly as it stands (no Unicode form is
 * preferred):
 *
 *     bnerd-teams skill entry LF                          the domain line
 *     format 1 LF                                         the format line
 *     FIELD(kind)                                         `rule` or `skill`
 *     FIELD(name)
 *     FIELD(version), or ABSENT
 *     FIELD(description)
 *     FIELD(body)
 *     FIELD(support badge)                                `full` or `partial`
 *     LIST(allowed tools), or ABSENT                      each once, in byte order
 *     FIELD(process)                                      `true` or `false`
 *     FIELD(always_on)                                    `true` or `false`
 *     LIST(keywords)                                      as written
 *     LIST(applies_to), or ABSENT                         as written
 *     LIST(requires)                                      as written
 *     LIST of tool definitions                            in the order declared
 *
 *     FIELD(x)  = decimal byte length of x, `:`, the bytes of x; nothing follows
 *     ABSENT    = `-`
 *     LIST(xs)  = FIELD(FIELD(x1) FIELD(x2) …)            the empty list is `0:`
 *     an item of the list of tool definitions is
 *               FIELD(name) FIELD(description) FIELD(JSON of parameters) LIST(run) FIELD(class)
 *     JSON      = no white space, object keys in byte order, strings and numbers as JSON.stringify writes them
 *
 * A change of any of this needs a new format line and a new prefix in place of `1:`.
 */

import { canonicalJson } from '../shared/canonical-json.js';
import { sha256 } from '../shared/digest.js';
import { compareBytes } from './byte-order.js';
import type { Entry, ToolDefinition } from './entry.js';

/** The fields of an entry that the digest reads; `page`, provenance and the place of the file are not among them. */
export type DigestFields = Pick<
  Entry,
  | 'kind'
  | 'name'
  | 'version'
  | 'description'
  | 'body'
  | 'support'
  | 'allowedTools'
  | 'process'
  | 'alwaysOn'
  | 'keywords'
  | 'appliesTo'
  | 'requires'
  | 'tools'
>;

/** `1:` and 64 hex digits. */
export function entryDigest(entry: DigestFields): string {
  return `1:${sha256(digestText(entry))}`;
}

/** The domain line and the format line. */
export const DIGEST_HEAD = 'bnerd-teams skill entry\nformat 1\n';

/** What stands for a field that is absent, in the place of its length. */
export const ABSENT = '-';

/**
 * The text that the digest is over: the bytes above. A team stores it under the hex of the digest, so that a stored text
 * and its proof are one; `stored-text.ts` reads it.
 */
export function digestText(entry: DigestFields): string {
  return [
    DIGEST_HEAD,
    field(entry.kind),
    field(entry.name),
    entry.version === null ? ABSENT : field(entry.version),
    field(entry.description),
    field(entry.body),
    field(entry.support),
    entry.allowedTools === null ? ABSENT : list([...new Set(entry.allowedTools)].sort(compareBytes)),
    field(String(entry.process)),
    field(String(entry.alwaysOn)),
    list(entry.keywords),
    entry.appliesTo === null ? ABSENT : list(entry.appliesTo),
    list(entry.requires),
    list(entry.tools.map(toolText)),
  ].join('');
}

function toolText(tool: ToolDefinition): string {
  return [
    field(tool.name),
    field(tool.description),
    field(canonicalJson(tool.parameters, compareBytes)),
    list(tool.run),
    field(tool.class),
  ].join('');
}

function list(items: readonly string[]): string {
  return field(items.map(field).join(''));
}

function field(text: string): string {
  return `${Buffer.byteLength(text, 'utf8')}:${text}`;
}
