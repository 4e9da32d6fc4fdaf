/**
 * What kind of file a resource is: by its first bytes whether it is text, by its name and these which. Pure.
 *
 * Always true: a type that is text is given only to what begins as text; a name cannot make a picture of one.
 */

import { extname } from 'node:path';

/** As much of a file as is looked at. */
export const SNIFFED_BYTES = 512;

const TEXT_TYPES: Readonly<Record<string, string>> = {
  '.md': 'text/markdown',
  '.markdown': 'text/markdown',
  '.txt': 'text/plain',
  '.csv': 'text/csv',
  '.tsv': 'text/tab-separated-values',
  '.html': 'text/html',
  '.htm': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.cjs': 'text/javascript',
  '.ts': 'text/x-typescript',
  '.py': 'text/x-python',
  '.rb': 'text/x-ruby',
  '.sh': 'text/x-shellscript',
  '.bash': 'text/x-shellscript',
  '.json': 'application/json',
  '.jsonl': 'application/jsonl',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.toml': 'application/toml',
  '.xml': 'application/xml',
  '.xsd': 'application/xml',
  '.svg': 'image/svg+xml',
};

const BINARY_TYPES: Readonly<Record<string, string>> = {
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.pptx': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  '.tar': 'application/x-tar',
  '.ttf': 'font/ttf',
  '.otf': 'font/otf',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.mp4': 'video/mp4',
  '.ico': 'image/vnd.microsoft.icon',
};

/** First bytes in Latin-1, with the type they stand for. */
const MAGIC: readonly (readonly [bytes: string, type: string])[] = [
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF8', 'image/gif'],
  ['%PDF-', 'application/pdf'],
  ['PK\x03\x04', 'application/zip'],
  ['\x1f\x8b', 'application/gzip'],
  ['\x7fELF', 'application/x-executable'],
  ['\0asm', 'application/wasm'],
];

const UNKNOWN = 'application/octet-stream';

/**
 * The media type of a file.
 * @param head its first bytes, `SNIFFED_BYTES` of them where it is that long
 */
export function resourceType(path: string, head: Uint8Array): string {
  const extension = extname(path).toLowerCase();
  const latin = Buffer.from(head).toString('latin1');
  const magic = MAGIC.find(([bytes]) => latin.startsWith(bytes))?.[1];
  // An archive may be a document, which its name tells; a document in plain text begins with its magic.
  if (magic === 'application/zip') return BINARY_TYPES[extension] ?? magic;
  if (magic !== undefined) return magic;
  if (beginsAsText(head)) return TEXT_TYPES[extension] ?? 'text/plain';
  return BINARY_TYPES[extension] ?? UNKNOWN;
}

/** Whether a type is one of those whose bytes are read as text. */
export function isTextType(type: string): boolean {
  return type.startsWith('text/') || Object.values(TEXT_TYPES).includes(type);
}

/** UTF-8 without NUL, or UTF-16 with its mark; a character cut at the end is none of its faults. */
function beginsAsText(head: Uint8Array): boolean {
  if (textEncoding(head) === 'utf-16') return true;
  if (head.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false; // the decoder's only failure is malformed UTF-8
  }
}

/** How the text of a file is to be decoded, by the mark in front of it. */
export function textEncoding(head: Uint8Array): 'utf-8' | 'utf-16' {
  const [first, second] = head;
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) ? 'utf-16' : 'utf-8';
}
