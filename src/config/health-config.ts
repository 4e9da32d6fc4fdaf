/** Where a process may be asked how it is: `--health <address>:<port>`. Nowhere unless somebody has said so. */

import { isIP } from 'node:net';
import { type Reading, ValueReader } from './values.js';
import { badValue, type Layers, type Resolved, type Written, writtenValue } from './written.js';

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
  const value = reader.valueOr<HealthConfig | null>(writtenOf(layers, begins), null, readAddress);
  const { findings } = reader;
  return findings.length > 0 ? { kind: 'refused', findings } : { kind: 'resolved', value };
}

function writtenOf(layers: Layers, begins: string | undefined): Written | undefined {
  if (begins === undefined) return writtenValue(layers, 'health');
  const typed = layers.flags.get('health')?.at(-1);
  if (typed !== undefined) return { text: typed, place: '--health' };
  const place = `${begins}HEALTH`;
  const text = layers.environment.variables.get(place);
  return text === undefined ? undefined : { text, place };
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
