/**
 * Every way in which a value may stand encoded in a text, and whether one of them does: written without a line of the
 * redactor, so that the two can disagree.
 */

/** Encodings of a value as programs make them, by what they are called. */
export function encodings(value: string): Readonly<Record<string, string>> {
  const bytes = Buffer.from(value);
  const url = (text: string): string => [...Buffer.from(text)].map((byte) => `%${pair(byte)}`).join('');
  return {
    verbatim: value,
    json: JSON.stringify(value).slice(1, -1),
    'json, twice': JSON.stringify(JSON.stringify(value)).slice(1, -1),
    'json, every character': [...value.split('')]
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
    'json, one character': `\\u${value.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}${value.slice(1)}`,
    url: encodeURIComponent(value),
    'url, every byte': url(value),
    'url, lower case': url(value).toLowerCase(),
    'url, one character': `${value.slice(0, 3)}${url(value.slice(3, 4))}${value.slice(4)}`,
    'url, twice': encodeURIComponent(url(value)),
    'url, form': new URLSearchParams({ v: value }).toString().slice(2),
    hex: bytes.toString('hex'),
    HEX: bytes.toString('hex').toUpperCase(),
    base64: bytes.toString('base64'),
    base64url: bytes.toString('base64url'),
    'base64 behind one byte': Buffer.from(`u${value}`).toString('base64'),
    'base64 behind two bytes': Buffer.from(`u:${value}`).toString('base64'),
    'base64 behind three, before one': Buffer.from(`ab:${value}!`).toString('base64'),
    'base64, in an address': encodeURIComponent(bytes.toString('base64')),
    'base64, in JSON': bytes.toString('base64').replaceAll('/', '\\/'),
    'base64, wrapped': (
      Buffer.from(`${'x'.repeat(40)}${value}`)
        .toString('base64')
        .match(/.{1,60}/g) ?? []
    ).join('\n'),
  };
}

function pair(byte: number): string {
  return byte.toString(16).padStart(2, '0').toUpperCase();
}

/**
 * The encodings in which a value is found in bytes: by undoing each encoding over the whole and looking for the plain
 * value there.
 */
export function foundIn(text: string, value: string): string[] {
  const found: string[] = [];
  const look = (how: string, plain: string): void => {
    if (plain.includes(value)) found.push(how);
  };
  look('verbatim', text);
  let plain = text;
  for (let level = 1; level <= 3; level++) {
    const from = plain;
    look(`json ${level}`, unescaped(from));
    look(`url ${level}`, unquoted(from));
    plain = unquoted(unescaped(from));
    look(`both ${level}`, plain);
  }
  for (const [how, whole] of [
    ['', text],
    ['unescaped ', unescaped(text)],
    ['unquoted ', unquoted(text)],
  ] as const) {
    look(`${how}form`, unquoted(whole.replaceAll('+', ' ')));
    for (const run of whole.match(/[0-9a-fA-F]{16,}/g) ?? []) {
      look(`${how}hex`, Buffer.from(run, 'hex').toString());
      look(`${how}hex`, Buffer.from(run.slice(1), 'hex').toString());
    }
    const flat = whole.replaceAll(/([A-Za-z0-9+/]{16})\r?\n[ \t]*/g, '$1');
    for (const run of flat.match(/[A-Za-z0-9+/_-]{10,}/g) ?? []) {
      for (let skip = 0; skip < 4; skip++) {
        const bytes = Buffer.from(run.slice(skip).replaceAll('-', '+').replaceAll('_', '/'), 'base64');
        if (bytes.includes(value)) found.push(`${how}base64`);
      }
    }
  }
  return found;
}

function unescaped(text: string): string {
  return text.replaceAll(
    /\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(["'\\/bfnrt]))/g,
    (_, long, short, named) => {
      const code = long ?? short;
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
      return { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }[String(named)] ?? String(named);
    },
  );
}

function unquoted(text: string): string {
  return text.replaceAll(/(?:%[0-9a-fA-F]{2})+/g, (run) =>
    Buffer.from(run.replaceAll('%', ''), 'hex').toString(),
  );
}
