/**
 * Which variables of the environment hold secrets: those whose name says so, and passwords in addresses and in lists of
 * assignments, whatever the name (invariant 8). Pure.
 *
 * Always true: a name that ends in what the thing is about (`_FILE`, `_NAME`, `_TYPE`, …) holds no secret itself.
 */

import type { Secret } from '../shared/secrets/secret-forms.js';

const ENDS: readonly RegExp[] = [
  /(^|_)KEY$/,
  /APIKEY$/,
  /TOKEN$/,
  /(^|_)PASS$/,
  /_(PASSWD|PWD|PAT)$/,
  /(^|_)DSN$/,
  /(^|_)AUTH$/,
];

const WITHIN: readonly RegExp[] = [
  /SECRET/,
  /PASSWORD/,
  /PASSPHRASE/,
  /CREDENTIAL/,
  /PRIVATE_KEY/,
  /API_KEY/,
  /^AUTH(_|TOKEN|ORIZATION)/,
  /BEARER_TOKEN/,
  // Half of a pair that providers take for a key.
  /^AWS_ACCESS_KEY_ID$/,
];

/** What says something about a secret. */
const ABOUT =
  /_(FILE|PATH|DIR|FOLDER|SOCK|SOCKET|URL|URI|HOST|PORT|ARN|NAME|USER|USERNAME|TYPE|METHOD|MODE|KIND|ENABLED|TIMEOUT|TTL|LENGTH|POLICY|STORE|HELPER|PROVIDER|PROGRAM|PROFILE|REGION|VERSION|COMMAND|CMD)$/;

/** Names that look like one and hold none. */
const HARMLESS: ReadonlySet<string> = new Set([
  'GOOGLE_APPLICATION_CREDENTIALS', // a path
  'BNERD_REDIS_KEY', // a path
  'GPG_KEY', // the fingerprint of a public key, in images of Python
  'XAUTH',
  'PUBLIC_KEY',
  'SSH_PUBLIC_KEY',
  'SSH_AUTH_SOCK',
]);

/** Whether a variable of this name holds a secret. */
export function isSecretName(name: string): boolean {
  const upper = name.toUpperCase();
  if (HARMLESS.has(upper) || ABOUT.test(upper)) return false;
  return [...ENDS, ...WITHIN].some((mark) => mark.test(upper));
}

/** What the operator says of variables beside their names. */
export interface SecretVariables {
  /** Variables that hold secrets though their names do not say so. */
  readonly names: readonly string[];
  /** Variables that hold none though their names look like it. */
  readonly except: readonly string[];
}

/** The secrets of variables, in their order. */
export function secretsOfVariables(
  variables: Iterable<readonly [string, string]>,
  { names, except }: SecretVariables,
): Secret[] {
  const found: Secret[] = [];
  for (const [name, value] of variables) {
    if (except.includes(name)) continue;
    if (names.includes(name) || isSecretName(name)) found.push({ name, value });
    for (const password of passwordsOf(value)) found.push({ name, value: password });
  }
  return found;
}

/** An address with somebody's name or password before its host; a scheme has no letter of another before it. */
const ADDRESS = /(?<![a-z0-9+.-])([a-z][a-z0-9+.-]*):\/\/([^/?#\s]*)@/gi;

/** What is assigned in the query of an address, or in a list such as `Server=db;Password=…`. */
const ASSIGNED = /(?<=[?&;]|^)\s*([a-z][a-z0-9 _.-]{0,40})=([^&;#\s]+)/gi;

/** The passwords that stand in a value: those of addresses, wherever they stand, and those that are assigned by name. */
function passwordsOf(value: string): string[] {
  const ofAddresses = [...value.matchAll(ADDRESS)].flatMap(([, scheme = '', userInfo = '']) => {
    const colon = userInfo.indexOf(':');
    if (colon !== -1) return [decoded(userInfo.slice(colon + 1))];
    // Of a web address without a password the user is a token.
    return /^https?$/i.test(scheme) ? [decoded(userInfo)] : [];
  });
  if (!value.includes('://') && !value.includes(';')) return ofAddresses;
  const assigned = [...value.matchAll(ASSIGNED)].flatMap(([, name = '', text = '']) =>
    isSecretName(`of_${spelledAsVariable(name)}`) ? [decoded(text)] : [],
  );
  return [...ofAddresses, ...assigned];
}

/** `AccountKey`, `shared access key`: as a variable would have it. */
function spelledAsVariable(name: string): string {
  return name
    .trim()
    .replace(/([a-z])(?=[A-Z])/g, '$1_')
    .replace(/[ .-]/g, '_');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A percent sign that stands for itself.
  }
}
