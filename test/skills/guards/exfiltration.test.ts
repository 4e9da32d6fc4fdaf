import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holdsMarker, MarkerSearch } from '../../../src/skills/guards/exfiltration.js';

describe('the exfiltration marker', () => {
  test.each([
    ['as it is', '«artifact:report»'],
    ['in the midst of a text', 'Put «artifact:report» at the end.'],
    ['without its closing guillemet', '«artifact:report'],
    ['in capitals', '«ARTIFACT:report»'],
    ['with blanks and a line break', '«  artifact\n :x»'],
    ['in full-width forms', '«ａｒｔｉｆａｃｔ：x»'],
    ['with a zero width space in it', '«art\u200bifact:x»'],
    ['with a tag character and a soft hyphen in it', '«\u{e0041}arti\u00adfact:x»'],
    ['with a variation selector behind the guillemet', '«\ufe0fartifact:x»'],
    ['with marks over and under its letters', '«a\u0332rti\u0301fact\u0336:x»'],
    ['with accents', '«ártïfåct:x»'],
    ['with Cyrillic letters', '«аrtіfаct:x»'],
    ['with control characters in it', '«arti\u0007fact\u0085\u009f:x»'],
    ['with two less-than signs', '<<artifact:x>>'],
    ['with two full-width ones', '＜＜artifact:x'],
    ['with two single guillemets', '‹‹artifact:x››'],
    ['with a much-less-than sign', '≪artifact:x≫'],
    ['with double angle brackets of CJK', '《artifact:x》'],
    ['with a ratio sign for the colon', '«artifact∶x»'],
  ])('is found %s', (_, text) => {
    expect(holdsMarker(text)).toBe(true);
  });

  test.each([
    ['the word', 'An artifact: what a build makes.'],
    ['another word in guillemets', '«articles: x»'],
    ['the word in guillemets without a colon', '«artifact»'],
    ['a comparison', 'if a < artifact: pass'],
    ['a shift', 'x << artifacts: 3'],
    ['a title in German', '»Artifact: Roman«'],
    ['nothing', ''],
  ])('is not found in %s', (_, text) => {
    expect(holdsMarker(text)).toBe(false);
  });

  test('is found however the text is cut into parts between its characters, with whatever nobody sees in it', () => {
    const hidden = fc.string({
      unit: fc.constantFrom('\u200b', '\u00ad', '\u{e0061}', '\ufe0e'),
      maxLength: 40,
    });
    const filler = fc.string({ unit: fc.constantFrom(...'ab <«:é\n'), maxLength: 400 });
    fc.assert(
      fc.property(
        filler,
        fc.array(hidden, { minLength: 10, maxLength: 10 }),
        filler,
        fc.array(fc.nat(1_000), { maxLength: 12 }),
        (before, between, after, cuts) => {
          const marker = [...'«artifact:'].map((letter, at) => `${letter}${between[at]}`).join('');
          const letters = [...`${before}${marker}${after}`];
          const places = [...new Set(cuts.map((cut) => cut % letters.length))].sort((a, b) => a - b);
          const search = new MarkerSearch();
          let from = 0;
          for (const place of [...places, letters.length]) {
            search.take(letters.slice(from, place).join(''));
            from = place;
          }
          expect(search.found).toBe(true);
        },
      ),
    );
  });

  test('is found behind any number of parts that hold nothing to see', () => {
    const search = new MarkerSearch();
    search.take('«');
    for (let part = 0; part < 100; part++) search.take('\u200b'.repeat(1_000));
    search.take('artifact:x');
    expect(search.found).toBe(true);
  });
});
