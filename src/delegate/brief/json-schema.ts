/** The published JSON Schemas of briefs and results (`bnerd schema brief`, `bnerd schema result`). */

import { headed, jsonSchemaOf } from '../../shared/published-schema.js';
import { brief } from './brief.js';
import { result } from './result.js';

export function briefJsonSchema(): object {
  const says =
    'A signed order to an engineer in a separate process. Beside it: id and branch are made of team, task, attempt and offer; ' +
    'paths are in their shortest form; the signature is Ed25519 over "bnerd brief 1", a line break and the RFC 8785 text ' +
    'without it.';
  return headed('brief', 'Brief of bnerd', says, jsonSchemaOf(brief));
}

export function resultJsonSchema(): object {
  const says =
    'What came of a brief, made and signed by the runner. The signature is Ed25519 over "bnerd result 1", a line break and ' +
    'the RFC 8785 text without it.';
  return headed('result', 'Result of a brief of bnerd', says, jsonSchemaOf(result));
}
