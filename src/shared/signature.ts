/**
 * Signatures (spec/runner.md §3 "Keys", engine.md §3 "Trust on a shared Redis"): Ed25519 over a domain line and the RFC 8785
 * text of the value without its signature. The domain line keeps a brief from ever being read as a result, and a key says
 * in its own row what it may sign.
 */

import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { canonicalJson } from './canonical-json.js';
import { sha256 } from './digest.js';

/** What is signed; the line stands in front of its text. */
export type Domain = 'brief' | 'result' | 'accepted' | 'cancel' | 'team' | 'word' | 'snapshot';

const DOMAINS: Readonly<Record<Domain, string>> = {
  brief: 'bnerd brief 1\n',
  result: 'bnerd result 1\n',
  accepted: 'bnerd accepted 1\n',
  cancel: 'bnerd cancel 1\n',
  team: 'bnerd team 1\n',
  word: 'bnerd word 1\n',
  snapshot: 'bnerd snapshot 1\n',
};

/** A public key and its id: base64url of the 32 bytes, and the first 16 hex digits of their SHA-256. */
export interface PublicKey {
  readonly id: string;
  readonly key: string;
}

/** A key pair; `secret` is base64url of the 32 bytes of the seed and never leaves its file and process. */
export interface KeyPair extends PublicKey {
  readonly secret: string;
}

/** The DER heads of Ed25519 keys (RFC 8410), in front of their 32 bytes. */
const PRIVATE_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
const KEY_BYTES = 32;

/** A new key pair. Its key can be typed behind a command: it does not begin like a flag. */
export function newKeyPair(): KeyPair {
  for (;;) {
    const pair = anyKeyPair();
    if (!pair.key.startsWith('-')) return pair;
  }
}

function anyKeyPair(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(PRIVATE_HEAD.length);
  const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(PUBLIC_HEAD.length);
  return { ...publicKeyOf(key), secret: secret.toString('base64url') };
}

/** The id of a public key as people type it; undefined when the text is none. */
export function readPublicKey(text: string): PublicKey | undefined {
  if (!/^[A-Za-z0-9_-]{43}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  const key = bytes.length === KEY_BYTES ? publicKeyOf(bytes) : undefined;
  return key?.key === text ? key : undefined; // One text for one key: stray bits in the last character are refused.
}

function publicKeyOf(bytes: Buffer): PublicKey {
  return { id: sha256(bytes).slice(0, 16), key: bytes.toString('base64url') };
}

/** The value with `key_id` and `signature`; both are set here, whatever it held. */
export function signed<Value extends object>(
  domain: Domain,
  value: Value,
  pair: KeyPair,
): Value & { key_id: string; signature: string } {
  const body = { ...value, key_id: pair.id, signature: undefined };
  const key = createPrivateKey({
    key: Buffer.concat([PRIVATE_HEAD, Buffer.from(pair.secret, 'base64url')]),
    format: 'der',
    type: 'pkcs8',
  });
  const signature = sign(null, signedBytes(domain, body), key).toString('base64url');
  return { ...value, key_id: pair.id, signature };
}

/** A public key that somebody has accepted, until it is retired. */
export interface AcceptedKey extends PublicKey {
  /** As people know it: `vm-07`. */
  readonly name: string;
  readonly role: 'operator' | 'worker' | 'runner';
  readonly retired: boolean;
}

/** Who may sign what. */
const MAY_SIGN: Readonly<Record<Domain, readonly AcceptedKey['role'][]>> = {
  brief: ['worker', 'operator'],
  cancel: ['worker', 'operator'],
  result: ['runner'],
  accepted: ['runner'],
  team: ['operator'],
  word: ['operator'],
  snapshot: ['worker', 'operator'],
};

export type Verdict =
  | { readonly kind: 'signed'; readonly by: AcceptedKey }
  | {
      readonly kind: 'refused';
      readonly code: 'unsigned' | 'unknown_key' | 'retired_key' | 'wrong_role' | 'bad_signature';
      readonly message: string;
    };

/**
 * Whether a value carries the signature of an accepted key that may sign such a value. Total: any value gives a verdict.
 * @param value as it was read, with `key_id` and `signature`
 */
export function checkSignature(domain: Domain, value: object, keys: readonly AcceptedKey[]): Verdict {
  const { key_id: id, signature } = value as { key_id?: unknown; signature?: unknown };
  if (typeof id !== 'string' || typeof signature !== 'string' || signature === '')
    return refused('unsigned', `the ${domain} carries no signature`);
  const key = keys.find((known) => known.id === id);
  if (key === undefined)
    return refused(
      'unknown_key',
      `the ${domain} is signed with key ${id.slice(0, 16)}, which nobody has accepted here`,
    );
  if (key.retired)
    return refused('retired_key', `the ${domain} is signed with key ${id} (${key.name}), which is retired`);
  if (!MAY_SIGN[domain].includes(key.role))
    return refused('wrong_role', `key ${id} (${key.name}) is of a ${key.role}, which signs no ${domain}`);
  if (!isSignature(domain, value, signature, key.key))
    return refused('bad_signature', `the ${domain} is not what key ${id} (${key.name}) has signed`);
  return { kind: 'signed', by: key };
}

function isSignature(domain: Domain, value: object, signature: string, key: string): boolean {
  const bytes = Buffer.from(signature, 'base64url');
  if (bytes.toString('base64url') !== signature) return false;
  const spki = Buffer.concat([PUBLIC_HEAD, Buffer.from(key, 'base64url')]);
  const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  return verify(null, signedBytes(domain, { ...value, signature: undefined }), publicKey, bytes);
}

function signedBytes(domain: Domain, body: object): Buffer {
  return Buffer.from(DOMAINS[domain] + canonicalJson(body), 'utf8');
}

function refused(code: Extract<Verdict, { kind: 'refused' }>['code'], message: string): Verdict {
  return { kind: 'refused', code, message };
}
