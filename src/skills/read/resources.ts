/**
 * Resources: the other files of a bundle's directory (spec/skills.md §3). They are listed with path, type and size;
 * their bytes are read only by those who show them and by a guard that asks.
 *
 * Always true:
 * - A directory inside with a `SKILL.md` of its own is another bundle: neither it nor anything in it is listed.
 * - Links are followed inside the bundle only, and only regular files are opened; nothing waits for a pipe.
 * - The list is bounded in number and depth; what was not looked at is a finding. No more than the first bytes of a
 *   file are read for its type, no more than `MAX_RESOURCE_BYTES` of one text, and a longer one not at all.
 */

import { constants, type Dirent } from 'node:fs';
import { type FileHandle, open, readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { TextDecoder } from 'node:util';
import { SKILL_FILE } from '../../catalog/tiers.js';
import { cancelled } from '../../shared/abort.js';
import { CancelledError, errorText, systemCode } from '../../shared/errors.js';
import type { Finding } from '../../shared/findings.js';
import { isInside } from '../../shared/inner-path.js';
import { compareBytes } from '../byte-order.js';
import { isTextType, resourceType, SNIFFED_BYTES, textEncoding } from './resource-type.js';

export interface Resource {
  /** Relative to the directory of the bundle, with forward slashes. */
  readonly path: string;
  /** Media type. */
  readonly type: string;
  readonly bytes: number;
}

export interface Resources {
  /** Byte order of path. */
  readonly resources: readonly Resource[];
  /**
   * What is there and not listed: of severity info when it is no part of the bundle (a link out of it, a pipe), a
   * warning when it may be one and was not looked at.
   */
  readonly findings: readonly Finding[];
}

/** How many files of a bundle are listed, and how deep. */
export const MAX_RESOURCES = 2_000;
const MAX_RESOURCE_DEPTH = 16;

/** The longest text whose bytes are read. */
export const MAX_RESOURCE_BYTES = 1024 * 1024;

const CHUNK_BYTES = 64 * 1024;

/** The directory of an entry's bundle; null for a flat file, which has none. */
export function bundleDirectory(entryPath: string): string | null {
  return basename(entryPath) === SKILL_FILE ? dirname(entryPath) : null;
}

/**
 * Lists the resources of an entry. What cannot be read is a finding.
 * @param entryPath the file of the entry
 * @throws CancelledError when called off between two directories
 */
export async function listResources(entryPath: string, signal: AbortSignal): Promise<Resources> {
  const bundle = bundleDirectory(entryPath);
  const walk = new Walk(signal);
  if (bundle !== null) {
    const real = await realpath(bundle).catch(() => null);
    if (real !== null) await walk.enter({ directory: bundle, real, bundle: real, under: '', depth: 0 });
  }
  const resources = [...walk.resources].sort((one, other) => compareBytes(one.path, other.path));
  return { resources, findings: walk.findings };
}

/** A directory of the bundle on the way through it. */
interface Step {
  /** As findings name it. */
  readonly directory: string;
  readonly real: string;
  /** Real path of the whole bundle. */
  readonly bundle: string;
  /** Relative to the bundle; '' at its top, else with a slash at the end. */
  readonly under: string;
  readonly depth: number;
}

class Walk {
  readonly resources: Resource[] = [];
  readonly findings: Finding[] = [];
  readonly #signal: AbortSignal;
  /** Directories by their real paths: a link to one that was seen leads in a circle or shows it twice. */
  readonly #entered = new Set<string>();
  #full = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  async enter(step: Step): Promise<void> {
    if (this.#signal.aborted) throw cancelled(this.#signal);
    if (this.#full || this.#entered.has(step.real)) return;
    this.#entered.add(step.real);
    const items = await this.#itemsOf(step);
    if (step.depth > 0 && items.some(({ name }) => name === SKILL_FILE)) return;
    if (step.depth > MAX_RESOURCE_DEPTH) {
      this.#leaveOut(
        'resource-too-deep',
        step.directory,
        `lies deeper than ${MAX_RESOURCE_DEPTH} directories`,
      );
      return;
    }
    for (const item of items) {
      if (this.#full) return;
      if (step.depth === 0 && item.name === SKILL_FILE) continue;
      // The history of a bundle that is a clone is no part of it.
      if (item.name !== '.git') await this.#look(item, step);
    }
  }

  async #itemsOf({ directory, real }: Step): Promise<readonly Dirent[]> {
    try {
      const items = await readdir(real, { withFileTypes: true });
      return items.sort((one, other) => compareBytes(one.name, other.name));
    } catch (error) {
      this.#leaveOut('unreadable-folder', directory, `cannot be read: ${reason(error)}`);
      return [];
    }
  }

  async #look(item: Dirent, step: Step): Promise<void> {
    const shown = join(step.directory, item.name);
    const path = `${step.under}${item.name}`;
    try {
      const real = item.isSymbolicLink()
        ? await realpath(join(step.real, item.name))
        : join(step.real, item.name);
      if (!isInside(real, step.bundle)) {
        this.#noPart('link-leads-out', shown, 'is a link that leads out of its bundle');
        return;
      }
      if (item.isDirectory() || (item.isSymbolicLink() && (await isDirectory(real)))) {
        await this.enter({ ...step, directory: shown, real, under: `${path}/`, depth: step.depth + 1 });
        return;
      }
      if (this.resources.length >= MAX_RESOURCES) {
        this.#full = true;
        const what = `is one of more than ${MAX_RESOURCES} files; the others are not listed`;
        this.#leaveOut('too-many-resources', shown, what);
        return;
      }
      await this.#list(path, shown, real);
    } catch (error) {
      if (error instanceof CancelledError) throw error;
      if (systemCode(error) === 'ENOENT') this.#noPart('file-missing', shown, 'is a link to nothing');
      else this.#leaveOut('unreadable-resource', shown, `cannot be read: ${reason(error)}`);
    }
  }

  async #list(path: string, shown: string, real: string): Promise<void> {
    await withFile(real, async (file) => {
      const status = await file.stat();
      if (!status.isFile()) {
        this.#noPart('not-a-file', shown, 'is not a regular file');
        return;
      }
      const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0);
      const type = resourceType(path, buffer.subarray(0, bytesRead));
      this.resources.push({ path, type, bytes: status.size });
    });
  }

  #leaveOut(code: string, path: string, what: string): void {
    const remedy = 'take out of the bundle what does not belong there';
    this.findings.push({ code, severity: 'warning', path, message: `the resource ${what}`, remedy });
  }

  #noPart(code: string, path: string, what: string): void {
    const remedy = 'put a plain file in its place';
    this.findings.push({ code, severity: 'info', path, message: `no resource: it ${what}`, remedy });
  }
}

/**
 * Gives the text of a resource, part by part, cut between characters; bytes that are no text are U+FFFD.
 * @param take called with each part, in order
 * @returns null when all of it was given; otherwise why it was not, and then nothing or only its beginning was
 * @throws CancelledError when called off between two parts
 */
export async function readResourceText(
  entryPath: string,
  { path, type, bytes }: Resource,
  take: (part: string) => void,
  signal: AbortSignal,
): Promise<Finding | null> {
  const bundle = bundleDirectory(entryPath);
  const shown = join(dirname(entryPath), path);
  const refused = (code: string, what: string): Finding => ({
    code,
    severity: 'warning',
    path: shown,
    message: `the resource ${what}`,
    remedy: 'look at it with a program of its own',
  });
  if (bundle === null) return refused('no-bundle', 'belongs to an entry that is a single file');
  if (!isTextType(type)) return refused('not-text', `is ${type}, and only text is read`);
  const tooLarge = (size: number): Finding =>
    refused('resource-too-large', `has ${size} bytes; of at most ${MAX_RESOURCE_BYTES} the text is read`);
  if (bytes > MAX_RESOURCE_BYTES) return tooLarge(bytes);
  try {
    const real = await realpath(shown);
    if (!isInside(real, await realpath(bundle))) {
      return refused('link-leads-out', 'is a link that leads out of its bundle');
    }
    return await withFile(real, async (file) => {
      const status = await file.stat();
      if (!status.isFile()) return refused('not-a-file', 'is not a regular file');
      if (status.size > MAX_RESOURCE_BYTES) return tooLarge(status.size);
      return (await giveText(file, take, signal)) ? null : tooLarge(MAX_RESOURCE_BYTES + 1);
    });
  } catch (error) {
    if (error instanceof CancelledError) throw error;
    return refused('unreadable-resource', `cannot be read: ${reason(error)}`);
  }
}

/** Whether it ended within the bound: it may have grown since somebody looked. */
async function giveText(
  file: FileHandle,
  take: (part: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const buffer = Buffer.alloc(CHUNK_BYTES);
  let decoder: TextDecoder | undefined;
  for (let at = 0; at <= MAX_RESOURCE_BYTES; ) {
    if (signal.aborted) throw cancelled(signal);
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, at);
    const part = buffer.subarray(0, bytesRead);
    decoder ??= decoderOf(part);
    const text = decoder.decode(part, { stream: bytesRead > 0 });
    if (text !== '') take(text);
    if (bytesRead === 0) return true;
    at += bytesRead;
  }
  return false;
}

function decoderOf(head: Uint8Array): TextDecoder {
  if (textEncoding(head) === 'utf-8') return new TextDecoder('utf-8');
  return new TextDecoder(head[0] === 0xff ? 'utf-16le' : 'utf-16be');
}

async function withFile<T>(real: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  // Non-blocking, so that a pipe put in the place of a file cannot hold the reader.
  const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

async function isDirectory(real: string): Promise<boolean> {
  return withFile(real, async (file) => (await file.stat()).isDirectory());
}

function reason(error: unknown): string {
  return systemCode(error) ?? errorText(error);
}
