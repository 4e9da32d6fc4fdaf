/** A text that comes as bytes, without what is secret: before anything of it is cut, numbered or left out. */

import { StringDecoder } from 'node:string_decoder';
import { NO_SECRETS, type Redactor } from '../../shared/secrets/redactor.js';

export interface CleanBytes {
  /** Takes a piece; gives what is certain by now. */
  push(piece: Uint8Array): Uint8Array;
  /** Gives the rest. */
  end(): Uint8Array;
}

/** Bytes that are no text come out as the replacement character, as they would be shown. */
export function cleanBytes(secrets: Redactor): CleanBytes {
  if (secrets === NO_SECRETS) return { push: (piece) => piece, end: () => new Uint8Array() };
  const decoder = new StringDecoder('utf8');
  const stream = secrets.stream();
  return {
    push: (piece) => Buffer.from(stream.push(decoder.write(Buffer.from(piece)))),
    end: () => Buffer.from(stream.push(decoder.end()) + stream.end()),
  };
}
