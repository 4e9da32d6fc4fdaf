import { describe, expect, test } from 'vitest';
import { fileDigest, sha256 } from '../../src/shared/digest.js';

describe('sha256', () => {
  test('is the standard digest in lower-case hex, over the UTF-8 bytes of a text', () => {
    expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sha256('é')).toBe(sha256(Uint8Array.of(0xc3, 0xa9)));
  });
});

describe('fileDigest', () => {
  test('is versioned and covers the domain line and the text', () => {
    expect(fileDigest('role/v1', 'x')).toBe(`1:${sha256('role/v1\nx')}`);
    expect(fileDigest('role/v1', 'x')).not.toBe(fileDigest('recipe/v1', 'x'));
    expect(fileDigest('role/v1', 'x')).not.toBe(fileDigest('role/v1', 'y'));
  });

  test('does not change with a BOM or the line ends of the system that wrote the file', () => {
    const plain = fileDigest('role/v1', '---\nname: x\n---\nBody\n');
    expect(fileDigest('role/v1', '\uFEFF---\r\nname: x\r\n---\r\nBody\r\n')).toBe(plain);
  });

  test('a second BOM and a lone CR are content', () => {
    expect(fileDigest('d', '\uFEFF\uFEFFx')).not.toBe(fileDigest('d', 'x'));
    expect(fileDigest('d', 'a\rb')).not.toBe(fileDigest('d', 'a\nb'));
  });
});
