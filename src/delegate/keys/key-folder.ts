/**
 * The keys of an operator, in `<home>/keys/`: `own/<id>.json`, pairs, for nobody else to read; `accepted/<id>.json`, public
 * keys of others. One file a key, so that no two commands write the same one.
 *
 * Always true: a name means one key that counts; a key that was retired stays listed, and comes back only by being accepted
 * again; no secret leaves its file but in `own`; where others may write, no key counts.
 */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Clock, isoStamp } from '../../shared/clock.js';
import { systemCode } from '../../shared/errors.js';
import { type AcceptedKey, type KeyPair, newKeyPair, readPublicKey } from '../../shared/signature.js';
import { oneLine } from '../../shared/terminal-text.js';
import {
  isPair,
  isPublic,
  KEY_NAME_RULE,
  type KeyRole,
  keyName,
  keyRole,
  makeKeyFile,
  pairFields,
  readKeyFile,
  replaceKeyFile,
} from './key-file.js';
import { othersMayWrite } from './own-folder.js';

const since = { at: z.iso.datetime(), retired_at: z.iso.datetime().nullable() };
const ownFile = z.strictObject({ v: z.literal(1), role: keyRole, ...pairFields, ...since });
const acceptedFile = z.strictObject({
  v: z.literal(1),
  role: keyRole,
  name: keyName,
  id: z.string(),
  key: z.string(),
  ...since,
});

/** A key as it is listed: without its secret. */
export interface ListedKey {
  readonly kind: 'own' | 'accepted';
  readonly id: string;
  readonly key: string;
  readonly role: KeyRole;
  /** Null: one of your own. */
  readonly name: string | null;
  /** Since when, and until when. */
  readonly at: string;
  readonly retiredAt: string | null;
}

export type KeyDone =
  | { readonly kind: 'done'; readonly key: ListedKey }
  /** What was found, what is allowed, what to do. */
  | { readonly kind: 'refused'; readonly message: string };

export class KeyFolder {
  readonly #folder: string;
  readonly #clock: Clock;

  /** @param home the operator's home of this program */
  constructor(home: string, clock: Clock) {
    this.#folder = join(home, 'keys');
    this.#clock = clock;
  }

  /** Makes a pair; there may be several of one role. */
  async init(role: KeyRole): Promise<KeyDone> {
    const problem = await this.#problem();
    if (problem !== null) return { kind: 'refused', message: problem };
    const { id, key, secret } = newKeyPair();
    const file = { v: 1, role, id, key, secret, at: this.#now(), retired_at: null } as const;
    await makeKeyFile(this.#path('own', id), file);
    return { kind: 'done', key: listedOwn(file) };
  }

  /** Accepts a public key; one that was retired counts again. */
  async accept(text: string, name: string, role: KeyRole): Promise<KeyDone> {
    const refused = (message: string): KeyDone => ({ kind: 'refused', message });
    const problem = await this.#problem();
    if (problem !== null) return refused(problem);
    const key = readPublicKey(text.trim());
    if (key === undefined)
      return refused(`"${oneLine(text, 60)}" is no public key: 43 characters, as keys init prints them`);
    if (!keyName.safeParse(name).success)
      return refused(`"${oneLine(name, 60)}" is no name of a key: ${KEY_NAME_RULE}`);
    const { keys } = await this.list();
    const twin = keys.find((one) => one.kind === 'accepted' && one.name === name && one.retiredAt === null);
    if (twin !== undefined && twin.id !== key.id)
      return refused(`${name} is the name of key ${twin.id}: retire that one, or choose another name`);
    const known = keys.find((one) => one.kind === 'accepted' && one.id === key.id && one.retiredAt === null);
    if (known !== undefined && (known.name !== name || known.role !== role))
      return refused(`key ${key.id} is accepted as ${known.name} (${known.role}): retire it first`);
    const file = { v: 1, role, name, ...key, at: this.#now(), retired_at: null } as const;
    if (known === undefined) await replaceKeyFile(this.#path('accepted', key.id), file);
    return { kind: 'done', key: known ?? listedAccepted(file) };
  }

  /** @param id or the beginning of one */
  async retire(id: string): Promise<KeyDone> {
    const refused = (message: string): KeyDone => ({ kind: 'refused', message });
    const { keys } = await this.list();
    const meant = keys.filter((one) => id !== '' && one.id.startsWith(id));
    const [key] = meant;
    if (key === undefined) return refused(`there is no key ${oneLine(id, 40)}; bnerd keys list shows them`);
    if (new Set(meant.map((one) => one.id)).size > 1)
      return refused(
        `${id} is the beginning of ${meant.map((one) => one.id).join(' and ')}: write more of it`,
      );
    const retiredAt = this.#now();
    for (const one of meant) if (one.retiredAt === null) await this.#markRetired(one, retiredAt);
    return { kind: 'done', key: key.retiredAt === null ? { ...key, retiredAt } : key };
  }

  /** All keys by kind and id, and what lies there and is none, as sentences. */
  async list(): Promise<{ readonly keys: readonly ListedKey[]; readonly problems: readonly string[] }> {
    const problem = await this.#problem();
    if (problem !== null) return { keys: [], problems: [problem] };
    const keys: ListedKey[] = [];
    const problems: string[] = [];
    for (const id of await this.#ids('own')) {
      const read = await this.#own(id);
      if (read.kind === 'refused') problems.push(read.message);
      if (read.kind === 'read') keys.push(listedOwn(read.value));
    }
    for (const id of await this.#ids('accepted')) {
      const path = this.#path('accepted', id);
      const read = await readKeyFile(path, acceptedFile, 'public keys');
      if (read.kind === 'refused') problems.push(read.message);
      if (read.kind !== 'read') continue;
      if (read.value.id === id && isPublic(read.value)) keys.push(listedAccepted(read.value));
      else problems.push(`${path} is not the file of its key; move it away`);
    }
    return { keys, problems };
  }

  /** Whose signatures count here, the retired ones among them as such, and what lies there and is no key, as sentences. */
  async accepted(): Promise<{ readonly keys: readonly AcceptedKey[]; readonly problems: readonly string[] }> {
    const { keys, problems } = await this.list();
    const accepted = keys.flatMap(({ id, key, role, name, retiredAt }) =>
      name === null ? [] : [{ id, key, role, name, retired: retiredAt !== null }],
    );
    return { keys: accepted, problems };
  }

  /** The newest pair of a role that counts; undefined without one. */
  async ownPair(role: KeyRole): Promise<KeyPair | undefined> {
    const [newest] = await this.ownPairs(role);
    return newest;
  }

  /** The pairs of a role that count, the newest first. */
  async ownPairs(role: KeyRole): Promise<readonly KeyPair[]> {
    const { keys } = await this.list();
    const own = keys
      .filter((one) => one.kind === 'own' && one.role === role && one.retiredAt === null)
      .sort((one, other) => (one.at < other.at ? 1 : -1));
    const pairs: KeyPair[] = [];
    for (const { id } of own) {
      const read = await this.#own(id);
      if (read.kind === 'read') pairs.push({ id, key: read.value.key, secret: read.value.secret });
    }
    return pairs;
  }

  async #markRetired(key: ListedKey, at: string): Promise<void> {
    const path = this.#path(key.kind, key.id);
    if (key.kind === 'accepted') {
      const { id, role, name } = key;
      await replaceKeyFile(path, { v: 1, role, name, id, key: key.key, at: key.at, retired_at: at });
      return;
    }
    const read = await this.#own(key.id);
    if (read.kind === 'read') await replaceKeyFile(path, { ...read.value, retired_at: at });
  }

  async #own(id: string) {
    const path = this.#path('own', id);
    const read = await readKeyFile(path, ownFile, 'secrets');
    if (read.kind !== 'read' || (read.value.id === id && isPair(read.value))) return read;
    return { kind: 'refused' as const, message: `${path} is not the file of its key pair; move it away` };
  }

  /** Why nothing counts that lies here; null: it does. */
  async #problem(): Promise<string | null> {
    for (const folder of [this.#folder, join(this.#folder, 'own'), join(this.#folder, 'accepted')]) {
      const why = await othersMayWrite(folder);
      if (why !== null)
        return `${folder} ${why}: whoever writes there says whose signatures count; look at the keys, then close it (chmod 700)`;
    }
    return null;
  }

  async #ids(kind: ListedKey['kind']): Promise<readonly string[]> {
    const names = await readdir(join(this.#folder, kind)).catch((error: unknown) => {
      if (systemCode(error) === 'ENOENT') return [];
      throw error;
    });
    return names.flatMap((name) => /^([0-9a-f]{16})\.json$/.exec(name)?.[1] ?? []).sort();
  }

  #path(kind: ListedKey['kind'], id: string): string {
    return join(this.#folder, kind, `${id}.json`);
  }

  #now(): string {
    return isoStamp(this.#clock.wallMs());
  }
}

function listedOwn({ id, key, role, at, retired_at }: z.infer<typeof ownFile>): ListedKey {
  return { kind: 'own', id, key, role, name: null, at, retiredAt: retired_at };
}

function listedAccepted({ id, key, role, name, at, retired_at }: z.infer<typeof acceptedFile>): ListedKey {
  return { kind: 'accepted', id, key, role, name, at, retiredAt: retired_at };
}
