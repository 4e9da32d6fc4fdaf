/**
 * What a Redis at a `rediss://` address is trusted by, and what this machine shows it when it asks who is there (mutual TLS):
 * files in PEM, read once. A variable beats the settings file; of certificate and key both come from the same of the two.
 *
 * Always true: a key that others may read is refused; nothing of what stands in a file is in a finding.
 */

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { errorText, systemCode } from '../shared/errors.js';
import type { Finding } from '../shared/findings.js';
import type { SettingsRedis } from './settings.js';
import { badValue, type Layers, type Resolved, type Written, writtenPath } from './written.js';

export interface RedisTls {
  /** Who has to have signed the certificate of the server, in PEM; null: whom this system trusts. */
  readonly ca: string | null;
  /** What is shown to a server that asks for it, in PEM; null: nothing. */
  readonly client: { readonly cert: string; readonly key: string } | null;
}

/** Whether an address says that it is reached with TLS. */
export function isTls(url: string): boolean {
  return url.startsWith('rediss://');
}

const NO_TLS: RedisTls = { ca: null, client: null };

const VARIABLES = { ca: 'BNERD_REDIS_CA', cert: 'BNERD_REDIS_CERT', key: 'BNERD_REDIS_KEY' } as const;
type Part = keyof typeof VARIABLES;

/** Of one file, in bytes: the certificates of a whole system are a few hundred kilobytes. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Reads the files for an address. Without TLS nothing is read, and variables are refused: they would be a belief in a
 * protection that is not there. The settings file is for every address of this machine, those without TLS among them.
 */
export async function resolveRedisTls(
  { environment }: Layers,
  settings: SettingsRedis,
  url: string,
  workingDirectory: string,
): Promise<Resolved<RedisTls>> {
  const said = (part: Part): Written | undefined => {
    const text = environment.variables.get(VARIABLES[part]);
    return text === undefined ? undefined : { text: text.trim(), place: VARIABLES[part] };
  };
  const variables = { ca: said('ca'), cert: said('cert'), key: said('key') };
  if (!isTls(url)) {
    const remedy = 'write rediss://, or leave it out';
    const findings = Object.values(variables).flatMap((written) =>
      written === undefined ? [] : [refusedValue(written, ALLOWED.ca, remedy)],
    );
    return findings.length > 0 ? { kind: 'refused', findings } : { kind: 'resolved', value: NO_TLS };
  }
  const ofFile = variables.cert === undefined && variables.key === undefined;
  const cert = ofFile ? settings.cert : variables.cert;
  const key = ofFile ? settings.key : variables.key;
  const alone = (cert ?? null) === null ? key : (key ?? null) === null ? cert : undefined;
  if (alone !== undefined && alone !== null) {
    const remedy = `set ${VARIABLES.cert} and ${VARIABLES.key}, or neither`;
    return refused(refusedValue(alone, 'a certificate together with its key', remedy));
  }
  return readParts({ ca: variables.ca ?? settings.ca, cert, key }, [environment.home, workingDirectory]);
}

async function readParts(
  written: Readonly<Record<Part, Written | null | undefined>>,
  places: readonly [home: string, workingDirectory: string],
): Promise<Resolved<RedisTls>> {
  const findings: Finding[] = [];
  const read = async (part: Part): Promise<string | null> => {
    const one = written[part];
    if (one === null || one === undefined) return null;
    const pem = await readPem(part, one, writtenPath(one, ...places));
    if (typeof pem === 'string') return pem;
    findings.push(pem);
    return null;
  };
  const ca = await read('ca');
  const cert = await read('cert');
  const key = await read('key');
  if (findings.length > 0) return { kind: 'refused', findings };
  const client = cert === null || key === null ? null : { cert, key };
  const problem =
    (ca === null ? undefined : await unusable('ca', written.ca, () => readAll(ca))) ??
    (client === null ? undefined : await unusable('key', written.key, () => belongTogether(client)));
  return problem === undefined ? { kind: 'resolved', value: { ca, client } } : refused(problem);
}

const ALLOWED: Readonly<Record<Part, string>> = {
  ca: 'a file of certificates in PEM, for an address that begins with rediss://',
  cert: 'a file with the certificate of this machine in PEM',
  key: 'a file with the private key of that certificate in PEM, without a passphrase',
};

const MARKS: Readonly<Record<Part, RegExp>> = {
  ca: /-----BEGIN CERTIFICATE-----/,
  cert: /-----BEGIN CERTIFICATE-----/,
  key: /-----BEGIN (?!ENCRYPTED)([A-Z]+ )?PRIVATE KEY-----/,
};

async function readPem(part: Part, written: Written, path: string): Promise<string | Finding> {
  const refuse = (remedy: string): Finding => refusedValue(written, ALLOWED[part], remedy);
  try {
    // A pipe in its place would wait for ever for a writer.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await handle.stat();
      if (!stats.isFile() || stats.size > MOST_BYTES)
        return refuse('it is no file of that kind: name another');
      if (part === 'key' && isOpenToOthers(stats))
        return refuse(
          `others may read it (mode ${(stats.mode & 0o777).toString(8)}): chmod 600, or a new key`,
        );
      const text = await handle.readFile('utf8');
      if (MARKS[part].test(text)) return text;
      if (part === 'key' && text.includes('-----BEGIN ENCRYPTED PRIVATE KEY-----'))
        return refuse('it has a passphrase, which nobody could be asked for: name one without');
      return refuse(`the file holds no ${part === 'key' ? 'private key' : 'certificate'}: name another`);
    } finally {
      await handle.close();
    }
  } catch (error) {
    return refuse(`the file cannot be read: ${systemCode(error) ?? 'failed'}`);
  }
}

/** A file of root may be for a group as well: so systems hand out keys to the services that need them. */
function isOpenToOthers({ mode, uid }: { readonly mode: number; readonly uid: number }): boolean {
  return (mode & (uid === 0 ? 0o037 : 0o077)) !== 0;
}

/** What the library of TLS says against it, before any server is asked. */
async function unusable(
  part: Part,
  written: Written | null | undefined,
  use: () => Promise<unknown>,
): Promise<Finding | undefined> {
  try {
    await use();
    return undefined;
  } catch (error) {
    if (written === null || written === undefined) throw error;
    return refusedValue(written, ALLOWED[part], `it cannot be used: ${errorText(error)}`);
  }
}

/** A connection would leave out what it cannot read. */
async function readAll(ca: string): Promise<void> {
  const { X509Certificate } = await import('node:crypto');
  const parts = ca.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  for (const part of parts) new X509Certificate(part);
}

async function belongTogether(client: { readonly cert: string; readonly key: string }): Promise<void> {
  const { createSecureContext } = await import('node:tls');
  createSecureContext(client);
}

/** Where somebody has put the key itself in the place of its file, it is not repeated. */
function refusedValue(written: Written, allowed: string, remedy: string): Finding {
  const text = written.text.includes('-----') ? '…' : written.text;
  return badValue({ ...written, text }, allowed, remedy);
}

function refused(finding: Finding): Resolved<never> {
  return { kind: 'refused', findings: [finding] };
}
