/** Where a process may be asked how it is: `--health <address>:<port>`. Nowhere unless somebody has said so. */

import { isIP } from 'node:net';
import { type Reading, ValueReader } from './values.js';
import { badValue, type Layers, type Resolved, type Written, writtenValues } from './written.js';

export interface HealthConfig {
  readonly host: string;
  readonly port: number;
  /** Whether other machines may reach it. */
  readonly reach: 'this machine' | 'others';
}

/**
 * Null: nobody may ask.
 * @param begins what the variables of the command begin with
 */
export function resolveHealth(layers: Layers, begins?: string): Resolved<HealthConfig | null> {
  const reader = new ValueReader();
  const value = reader.valueOr<HealthConfig | null>(
    writtenValues(layers, 'health', begins).at(-1),
    null,
    readAddress,
  );
  const { findings } = reader;
  return findings.length > 0 ? { kind: 'refused', findings } : { kind: 'resolved', value };
}

function readAddress(written: Written): Reading<HealthConfig> {
  const [, bracketed, plain = '', digits = ''] =
    /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(written.text.trim()) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  const family = isIP(host);
  if (digits !== '' && port <= 65_535 && family !== 0 && (family === 6) === (bracketed !== undefined)) {
    const loopback = host === '::1' || host.startsWith('127.');
    return { kind: 'read', value: { host, port, reach: loopback ? 'this machine' : 'others' } };
  }
  const allowed =
    'an address of this machine and a port: 127.0.0.1:9464, [::1]:9464; port 0 is any that is free';
  return { kind: 'refused', finding: badValue(written, allowed, 'write for example 127.0.0.1:9464') };
}
