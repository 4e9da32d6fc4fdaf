/**
 * Logs for operators: JSON lines by pino, one factory (design style 23). Of a line the message is fixed, and what changes
 * is in its fields: ids, names, numbers. Logs are no record and the record is no log; neither replaces the other.
 *
 *  G1 every line goes through the redactor here, whoever wrote it: no secret stands in any (invariant 8);
 *  G2 writing never waits, never throws and starts no thread: a line is handed to the stream of its owner;
 *  G3 the library is loaded when a log is opened that says something, never before.
 */

import { type Clock, isoStamp } from './clock.js';
import type { Redactor } from './secrets/redactor.js';

export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export type LogFields = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

type Say = (fields: LogFields, message: string) => void;

export interface Log {
  readonly error: Say;
  readonly warn: Say;
  readonly info: Say;
  readonly debug: Say;
  /** The same log, each of whose lines has these fields as well. */
  child(fields: LogFields): Log;
}

const nothing: Say = () => {};

/** For who asked for none. */
export const SILENT_LOG: Log = {
  error: nothing,
  warn: nothing,
  info: nothing,
  debug: nothing,
  child: () => SILENT_LOG,
};

export interface LogPlace {
  readonly level: LogLevel;
  /** Takes whole lines; must not throw. */
  readonly write: (line: string) => void;
  readonly secrets: Redactor;
  readonly clock: Pick<Clock, 'wallMs'>;
  /** Stand in every line. */
  readonly fields: LogFields;
}

/** Opens a log. There is nothing to close: its stream is its owner's. */
export async function openLog({ level, write, secrets, clock, fields }: LogPlace): Promise<Log> {
  if (level === 'silent') return SILENT_LOG;
  const { pino } = await import('pino');
  const log: Log = pino(
    {
      level,
      base: fields,
      messageKey: 'msg',
      timestamp: () => `,"time":"${isoStamp(clock.wallMs())}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => write(secrets.text(line)) },
  );
  return log;
}
