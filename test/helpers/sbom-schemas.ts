/** The published schemas of bills of materials, offline: what our documents are held against. */

import { readFileSync } from 'node:fs';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** One for all documents: it compiles the schema when it is first asked. */
const cycloneDx16 = new Validation.JsonStrictValidator(Spec.Version.v1dot6);

/** What the schema of CycloneDX 1.6 says against a document, in its strict form; null: nothing. */
export async function againstCycloneDx(text: string): Promise<unknown> {
  return cycloneDx16.validate(text);
}

const SPDX = JSON.parse(
  readFileSync(new URL('../fixtures/schemas/spdx-3.0.1.schema.json', import.meta.url), 'utf8'),
);
const validSpdx = new Ajv2020({ strict: false }).compile(SPDX);

/** What the schema of SPDX 3.0.1 says against a document; null: nothing. */
export function againstSpdx(document: object): unknown {
  return validSpdx(document) ? null : validSpdx.errors;
}
