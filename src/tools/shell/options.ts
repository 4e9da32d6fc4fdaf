/** Long options as programs take them: whole or abbreviated, with a value joined or in the next word. Pure. */

/**
 * Whether a word is one of these long options.
 * @param names without the two dashes; `|` stands behind the shortest form a program takes for it: `to-c|ommand`
 */
export function isLong(word: string, ...names: readonly string[]): boolean {
  const [written = ''] = word.split('=', 1);
  return names.some((name) => {
    const [least = '', rest = ''] = name.split('|');
    return written.startsWith(`--${least}`) && `--${least}${rest}`.startsWith(written);
  });
}
