/** Amazon's binary event stream: a frame is two lengths, a checksum, headers, a payload, and a checksum of all that. */

import { crc32 } from 'node:zlib';

/** One message; headers are texts. */
export function frame(headers: Readonly<Record<string, string>>, payload: string): Uint8Array {
  const head = Buffer.concat(Object.entries(headers).map(([key, value]) => header(key, value)));
  const body = Buffer.from(payload);
  const start = Buffer.alloc(8);
  start.writeUInt32BE(8 + 4 + head.length + body.length + 4, 0);
  start.writeUInt32BE(head.length, 4);
  const all = Buffer.concat([start, checksum(start), head, body]);
  return Buffer.concat([all, checksum(all)]);
}

function header(key: string, value: string): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(3);
  length.writeUInt8(7, 0); // the type of a text
  length.writeUInt16BE(bytes.length, 1);
  return Buffer.concat([Buffer.from([Buffer.byteLength(key)]), Buffer.from(key), length, bytes]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes), 0);
  return sum;
}
