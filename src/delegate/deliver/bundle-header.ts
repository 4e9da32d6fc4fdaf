/**
 * What a git bundle says of itself, read without git, since it comes from another machine (gitformat-bundle(5)). Pure and
 * total. What this product does not write is refused: a filter, which leaves objects out, and any capability but the kind of
 * objects.
 */

export interface BundleHeader {
  readonly format: 'sha1' | 'sha256';
  /** Commits that must be there already. */
  readonly prerequisites: readonly string[];
  readonly refs: readonly { readonly name: string; readonly head: string }[];
  /** Where the pack begins, and how many objects it says it has. */
  readonly packAt: number;
  readonly objects: number;
}

export type BundleHeaderRead =
  | { readonly kind: 'read'; readonly header: BundleHeader }
  /** `why` ends the sentence "the bundle …". */
  | { readonly kind: 'refused'; readonly why: string };

/** A header of one ref and a few commits has some hundred bytes. */
const HEADER_BYTES = 64 << 10;

const PACK_HEADER_BYTES = 12;

export function readBundleHeader(bytes: Buffer): BundleHeaderRead {
  const end = bytes.subarray(0, HEADER_BYTES).indexOf('\n\n');
  if (end === -1) return refused('has no header of a git bundle');
  const [signature, ...lines] = bytes.toString('utf8', 0, end).split('\n');
  if (signature !== '# v2 git bundle' && signature !== '# v3 git bundle')
    return refused('has no header of a git bundle');
  let format: BundleHeader['format'] = 'sha1';
  const prerequisites: string[] = [];
  const refs: { name: string; head: string }[] = [];
  for (const line of lines) {
    const capability = /^@(.*)$/.exec(line)?.[1];
    const commit = /^-([0-9a-f]+)(?: .*)?$/.exec(line)?.[1];
    const [, head, name] = /^([0-9a-f]+) (\S+)$/.exec(line) ?? [];
    if (capability === 'object-format=sha1' || capability === 'object-format=sha256')
      format = capability === 'object-format=sha1' ? 'sha1' : 'sha256';
    else if (commit !== undefined) prerequisites.push(commit);
    else if (head !== undefined && name !== undefined) refs.push({ name, head });
    else return refused('has a line in its header that is not taken');
  }
  const digits = format === 'sha1' ? 40 : 64;
  const names = [...prerequisites, ...refs.map(({ head }) => head)];
  if (names.some((each) => each.length !== digits)) return refused('names commits in two ways');
  const packAt = end + 2;
  if (bytes.length < packAt + PACK_HEADER_BYTES || bytes.toString('latin1', packAt, packAt + 4) !== 'PACK')
    return refused('holds no pack');
  const objects = bytes.readUInt32BE(packAt + 8);
  return { kind: 'read', header: { format, prerequisites, refs, packAt, objects } };
}

function refused(why: string): BundleHeaderRead {
  return { kind: 'refused', why };
}
