/**
 * From the bytes of an answer to text that a model can read: HTML without its markup, links with their addresses; other
 * text as it came; nothing else. The time that a page needs is bounded: nested without end, it is shown as it came.
 */

import type { HtmlToTextOptions } from 'html-to-text';
import { boundedTime } from '../../shared/bounded-match.js';
import { stripControls } from '../../shared/terminal-text.js';
import { looksBinary } from '../files/file-content.js';
import { webTarget } from './web-url.js';

export type PageText =
  | { readonly kind: 'text'; readonly text: string; readonly remark?: string }
  | { readonly kind: 'binary' };

/** What is text beside `text/*`. */
const TEXT_TYPE =
  /^(text\/.*|application\/(json|xml|xhtml\+xml|javascript|ecmascript|yaml|toml|x-yaml|x-sh|x-ndjson|jsonlines|sql|graphql|x-www-form-urlencoded|rtf)|[^/]+\/[^/]+\+(json|xml|yaml))$/;

const HTML_TYPE = /^(text\/html|application\/xhtml\+xml)$/;

/** Deeper than any page that somebody wrote; below it nothing is shown. */
const DEPTH = 200;

/** Longest address of a link that is shown; others, of pictures in the page mostly, say nothing. */
const LONGEST_LINK = 500;

/**
 * The text of an answer.
 * @param type its `Content-Type`, '' without one
 * @param url where it was found, for relative links
 */
export async function pageText(body: Buffer, type: string, url: string): Promise<PageText> {
  const [kind = ''] = type.toLowerCase().split(';');
  const media = kind.trim();
  if (media !== '' && !TEXT_TYPE.test(media)) return { kind: 'binary' };
  const text = decoded(body, charsetOf(type, body));
  if (looksBinary(Buffer.from(text.slice(0, 8_000)))) return { kind: 'binary' };
  const html = HTML_TYPE.test(media) || (media === '' && /^\s*<(!doctype html|html)\b/i.test(text));
  if (!html) return { kind: 'text', text: stripControls(text) };
  const { compile } = await import('html-to-text');
  const plain = boundedTime()(() => compile(optionsFor(url))(text));
  if (plain !== 'too-slow') return { kind: 'text', text: stripControls(plain.value) };
  return {
    kind: 'text',
    text: stripControls(text),
    remark: 'too deeply nested to be read: shown as it came',
  };
}

function optionsFor(url: string): HtmlToTextOptions {
  return {
    wordwrap: false,
    baseElements: { selectors: ['title', 'body'] },
    limits: { maxDepth: DEPTH },
    selectors: [
      { selector: 'title', format: 'block', options: { trailingLineBreaks: 2 } },
      { selector: 'img', format: 'skip' },
      { selector: 'svg', format: 'skip' },
      { selector: 'template', format: 'skip' },
      {
        selector: 'a',
        options: {
          hideLinkHrefIfSameAsText: true,
          linkBrackets: ['(', ')'],
          pathRewrite: (path: string) => linkOf(path, url),
        },
      },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
        selector,
        options: { uppercase: false },
      })),
    ],
  };
}

/** A link in full; '' for what cannot be fetched. */
function linkOf(path: string, base: string): string {
  const target = webTarget(path, base);
  return target.kind === 'target' && target.url.length <= LONGEST_LINK ? target.url : '';
}

/** As the header says, else as the page says about itself, else UTF-8. */
function charsetOf(type: string, body: Buffer): string {
  const said = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(type)?.[1];
  if (said !== undefined) return said;
  return (
    /<meta[^>]{0,200}charset\s*=\s*["']?([\w.:-]+)/i.exec(body.toString('latin1', 0, 1_024))?.[1] ?? 'utf-8'
  );
}

function decoded(body: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body); // a name that nobody knows
  }
}
