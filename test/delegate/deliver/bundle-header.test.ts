import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readBundleHeader } from '../../../src/delegate/deliver/bundle-header.js';

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);
const PACK = 'PACK\0\0\0\u0002\0\0\0\u0007';
const read = (text: string) => readBundleHeader(Buffer.from(text, 'latin1'));

test('what git writes is read, in both versions and both kinds of objects', () => {
  const header = {
    format: 'sha1',
    prerequisites: [A, B],
    refs: [{ name: 'refs/heads/x', head: B }],
    objects: 7,
  };
  const plain = `# v2 git bundle\n-${A} a subject\n-${B}\n${B} refs/heads/x\n\n`;
  expect(read(plain + PACK)).toEqual({ kind: 'read', header: { ...header, packAt: plain.length } });
  const long = (name: string): string => name.repeat(2).slice(0, 64);
  const sha256 = `# v3 git bundle\n@object-format=sha256\n-${long(A)} x\n${long(B)} refs/heads/x\n\n`;
  expect(read(sha256 + PACK)).toMatchObject({ header: { format: 'sha256', prerequisites: [long(A)] } });
});

test.each([
  ['', 'no header'],
  ['# v4 git bundle\n\n', 'no header'],
  [`# v2 git bundle\n${A} refs/heads/x\n`, 'no header'],
  [`# v3 git bundle\n@filter=blob:none\n-${A}\n\n${PACK}`, 'a line in its header'],
  [`# v2 git bundle\n${A} refs/heads/x y\n\n${PACK}`, 'a line in its header'],
  [`# v2 git bundle\n-${A}\n${B.slice(1)} refs/heads/x\n\n${PACK}`, 'in two ways'],
  [`# v3 git bundle\n@object-format=sha256\n-${A}\n\n${PACK}`, 'in two ways'],
  [`# v2 git bundle\n-${A}\n\nPACK`, 'holds no pack'],
  [`# v2 git bundle\n-${A} ${'x'.repeat(70_000)}\n\n${PACK}`, 'no header'],
])('%j is refused: %s', (text, why) => {
  expect(read(text)).toEqual({ kind: 'refused', why: expect.stringContaining(why) });
});

test('any bytes give an answer', () => {
  const line = fc.oneof(
    fc.constantFrom(
      '# v2 git bundle',
      '# v3 git bundle',
      '',
      '@object-format=sha256',
      `-${A}`,
      `${B} refs/heads/x`,
      PACK,
    ),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), fc.uint8Array({ maxLength: 30 }), (lines, end) => {
      const found = readBundleHeader(Buffer.concat([Buffer.from(lines.join('\n')), Buffer.from(end)]));
      return found.kind === 'refused' || found.header.refs.every(({ head }) => /^[0-9a-f]+$/.test(head));
    }),
  );
});
