// Bodies without end, bombs, and a far side that lies, floods, dribbles or falls silent.

import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { addressRange } from '../../../src/shared/address-range.js';
import { until } from '../../helpers/until.js';
import { rawServer, webServer } from './far-side.js';
import { allClosed, endless, fetched, never, pageIn, SITE, site } from './fetching.js';

describe('a body', () => {
  const BOUND = { bodyBytes: 100_000 };

  test('without end is read up to the bound and no further', async () => {
    const far = await site((_, response) =>
      endless(response.setHeader('content-type', 'text/plain'), 'x'.repeat(10_000)),
    );
    const result = await fetched(`http://site.test:${far.port}/`, { options: BOUND, maxBytes: 10 });
    expect(result.outcome).toBe('ok');
    expect(result.text).toContain('more than 100000 bytes');
    expect(result.text).toContain('the rest of the page was not read');
    await allClosed(far);
  });

  test.each([
    ['gzip', gzipSync(Buffer.alloc(200_000_000))],
    ['deflate', deflateSync(Buffer.alloc(200_000_000))],
    ['br', brotliCompressSync(Buffer.alloc(200_000_000, 'x'))],
  ])('packed as %s a thousandfold is unpacked up to the bound', async (packing, bomb) => {
    expect(bomb.length).toBeLessThan(300_000);
    const far = await site((_, response) =>
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': packing }).end(bomb),
    );
    const result = await fetched(`http://site.test:${far.port}/`, {
      options: { bodyBytes: 300_000 },
      maxBytes: 10,
    });
    expect(result.text).toContain('more than 300000 bytes');
    await allClosed(far);
  });

  test('packed bytes that unpack to nothing without end are bounded too', async () => {
    const empty = gzipSync(Buffer.alloc(0)); // one after the other they are a file of nothing
    const far = await site((_, response) =>
      endless(response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }), empty),
    );
    const result = await fetched(`http://site.test:${far.port}/`, { options: BOUND });
    expect(result.text).toContain('the rest of the page was not read');
    await allClosed(far);
  });

  test.each([
    ['gzip', gzipSync('packed')],
    ['x-gzip', gzipSync('packed')],
    ['GZip', gzipSync('packed')],
    ['deflate', deflateSync('packed')],
    ['br', brotliCompressSync('packed')],
    ['identity', Buffer.from('packed')],
  ])('packed as %s is unpacked', async (packing, body) => {
    const far = await site((_, response) =>
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': packing }).end(body),
    );
    expect(pageIn(await fetched(`http://site.test:${far.port}/`))).toBe('packed');
  });

  test.each([
    ['gzip', Buffer.from('not packed'), /cannot be unpacked/],
    ['gzip', gzipSync('packed and cut').subarray(0, 15), /cannot be unpacked/],
    ['br', Buffer.from('not packed at all'), /cannot be unpacked/],
    ['zstd', Buffer.from('x'), /"zstd", which nobody asked for/],
    ['gzip, gzip', gzipSync(gzipSync('x')), /which nobody asked for/],
    ['constructor', Buffer.from('x'), /which nobody asked for/],
  ])('packed as %s that cannot be unpacked is refused', async (packing, body, says) => {
    const far = await site((_, response) =>
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': packing }).end(body),
    );
    expect(await fetched(`http://site.test:${far.port}/`)).toMatchObject({
      outcome: 'error',
      text: expect.stringMatching(says),
    });
  });

  const head = (length: number) =>
    `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: ${length}\r\n\r\n`;

  test('longer than its length says is read to that length, shorter is refused', async () => {
    const longer = await rawServer((socket) => socket.end(`${head(4)}four and more`), SITE);
    expect(pageIn(await fetched(`http://site.test:${longer.port}/`))).toBe('four');
    const shorter = await rawServer((socket) => socket.end(`${head(1_000_000)}short`), SITE);
    expect(await fetched(`http://site.test:${shorter.port}/`)).toMatchObject({
      outcome: 'error',
      text: expect.stringContaining('no answer that can be used'),
    });
    const huge = await rawServer(
      (socket) =>
        endless(
          socket.on('error', () => {}),
          head(2 ** 52),
        ),
      SITE,
    );
    const result = await fetched(`http://site.test:${huge.port}/`, { options: BOUND, maxBytes: 10 });
    expect(result.text).toContain('more than 100000 bytes');
  });
});

describe('the far side', () => {
  test.each<[what: string, talk: Parameters<typeof rawServer>[0], says: RegExp]>([
    [
      'floods with header lines',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        endless(socket, 'x-a: b\r\n'.repeat(1_000));
      },
      /more than 16384 bytes/,
    ],
    ['speaks another language', (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'), /does not speak HTTP/],
    ['hangs up at once', (socket) => socket.destroy(), /hung up/],
    [
      'answers two lengths',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'),
      /does not speak HTTP/,
    ],
    [
      'wants to change the protocol',
      (socket) => socket.end('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      /no answer/,
    ],
  ])('that %s is left with a reason', async (_what, talk, says) => {
    const far = await rawServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => talk(socket));
    }, SITE);
    const result = await fetched(`http://site.test:${far.port}/`);
    expect(result).toMatchObject({ outcome: 'error', text: expect.stringMatching(says) });
    expect(result.text).not.toContain(SITE);
    await allClosed(far);
  });

  test('that falls silent is left after the bound on silence: before its answer, and within it', async () => {
    for (const begin of [
      '',
      'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc',
    ]) {
      const far = await rawServer((socket) => socket.write(begin), SITE);
      const result = await fetched(`http://site.test:${far.port}/`, { options: { idleMs: 100 } });
      expect(result).toMatchObject({
        outcome: 'error',
        text: expect.stringContaining('nothing came for 100 ms'),
      });
      await allClosed(far);
    }
  });

  test('that dribbles, or informs without end, is left at the deadline', async () => {
    for (const [begin, piece] of [
      ['HTTP/1.1 200 OK\r\ncontent-length: 999999\r\n\r\n', 'x'],
      ['', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ] as const) {
      const far = await rawServer((socket) => {
        socket.write(begin);
        const beat = setInterval(() => socket.write(piece), 20);
        socket.on('close', () => clearInterval(beat));
      }, SITE);
      const result = await fetched(`http://site.test:${far.port}/`, { totalMs: 400 });
      expect(result).toMatchObject({ outcome: 'error', text: expect.stringContaining('longer than 400 ms') });
      await allClosed(far);
    }
  });

  test('is left when the call is cancelled', async () => {
    const far = await rawServer(() => {}, SITE);
    const controller = new AbortController();
    const running = fetched(`http://site.test:${far.port}/`, { signal: controller.signal });
    await until(() => far.open() === 1, { what: 'a connection' });
    controller.abort();
    expect(await running).toEqual({ outcome: 'error', text: 'web_fetch was cancelled' });
    await allClosed(far);
  });

  test('of several addresses is the first that answers', async () => {
    const far = await webServer(
      (_, response) => response.setHeader('content-type', 'text/plain').end('second'),
      { address: '127.0.0.3' },
    );
    const options = {
      resolve: async () => [SITE, '127.0.0.3'],
      allowed: { hosts: new Set<string>(), ranges: [addressRange('127.0.0.2/31') ?? never()] },
    };
    expect(pageIn(await fetched(`http://two.test:${far.port}/`, { options }))).toBe('second');
    const nobody = await fetched('http://two.test:1024/', { options });
    expect(nobody.text).toMatch(/two\.test:1024 cannot be connected to: nothing listens there/);
  });
});
