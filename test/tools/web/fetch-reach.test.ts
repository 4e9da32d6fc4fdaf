// Where `web_fetch` connects to: addresses, names that change, redirects, certificates, proxies.

import { connect as connectTcp } from 'node:net';
import { describe, expect, test } from 'vitest';
import { fetchOptions } from '../../../src/tools/web-fetch.js';
import { certificateFor } from '../../helpers/certificate.js';
import { nameServer, rawServer, webServer } from './far-side.js';
import { fetched, INSIDE, pageIn, SITE, site } from './fetching.js';

describe('an address that is not of the public network is never connected to', () => {
  test.each([
    (port: number) => `http://127.0.0.1:${port}/`,
    (port: number) => `http://2130706433:${port}/`,
    (port: number) => `http://0x7f.1:${port}/`,
    (port: number) => `http://127.1:${port}/`,
    (port: number) => `http://0177.0.0.01:${port}/`,
    (port: number) => `http://[::ffff:127.0.0.1]:${port}/`,
    (port: number) => `http://[::ffff:7f00:1]:${port}/`,
    (port: number) => `http://0.0.0.0:${port}/`,
    (port: number) => `http://0:${port}/`,
    (port: number) => `http://[::]:${port}/`,
    (port: number) => `http://localhost:${port}/`,
    (port: number) => `http://inside.test:${port}/`,
  ])('%s', async (urlOf) => {
    const far = await webServer((_, response) => response.end('from inside'), { address: INSIDE });
    const result = await fetched(urlOf(far.port));
    expect(result).toMatchObject({
      outcome: 'error',
      text: expect.stringMatching(/is a|is an|is the|leads to/),
    });
    expect(result.text).not.toContain('from inside');
    expect(far.connections()).toBe(0);
  });

  test('nor is one of several when one of them is not', async () => {
    const [far, inside] = [await site((_, response) => response.end('x')), INSIDE];
    const resolve = await nameServer(() => [SITE, inside, SITE]);
    const result = await fetched(`http://mixed.test:${far.port}/`, { options: { resolve } });
    expect(result).toMatchObject({
      outcome: 'error',
      text: expect.stringContaining('leads to a loopback address'),
    });
    expect(result.text).not.toContain(inside); // what a name at home leads to is not told
    expect(far.connections()).toBe(0);
  });

  test('a name that leads elsewhere a moment later is asked for once, and what was checked is connected to', async () => {
    const inside = await webServer((_, response) => response.end('from inside'), { address: INSIDE });
    // The same port on the site's address: a second look at the name would reach the other server.
    const far = await rawServer(
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\nfrom the site'),
      SITE,
    );
    const asked: number[] = [];
    const resolve = await nameServer((_name, count) => {
      asked.push(count);
      return [count === 0 ? SITE : INSIDE];
    });
    const options = { resolve };
    expect(pageIn(await fetched(`http://rebind.test:${far.port}/`, { options }))).toBe('from the site');
    expect(asked).toEqual([0]);
    const again = await fetched(`http://rebind.test:${inside.port}/`, { options });
    expect(again).toMatchObject({ outcome: 'error', text: expect.stringContaining('loopback') });
    expect(asked).toEqual([0, 1]);
    expect(inside.connections()).toBe(0);
  });

  test('each step of a redirect asks and checks again', async () => {
    const inside = await webServer((_, response) => response.end('from inside'), { address: INSIDE });
    const far = await site((_, response) => response.writeHead(302, { location: '/second' }).end());
    const resolve = await nameServer((_name, count) => [count === 0 ? SITE : INSIDE]);
    const result = await fetched(`http://rebind.test:${far.port}/first`, { options: { resolve } });
    expect(result).toMatchObject({ outcome: 'error', text: expect.stringContaining('loopback') });
    expect(far.heard.map(({ url }) => url)).toEqual(['/first']);
    expect(inside.connections()).toBe(0);
  });

  test('a name without an address, and a name server that does not answer, are told', async () => {
    const resolve = await nameServer(() => []);
    expect((await fetched('http://nobody.test/', { options: { resolve } })).text).toContain(
      'there is no host nobody.test',
    );
    const waiting = await fetched('http://slow.test/', {
      options: { resolve: () => new Promise(() => {}) },
      totalMs: 50,
    });
    expect(waiting).toMatchObject({ outcome: 'error', text: expect.stringContaining('longer than 50 ms') });
  });
});

describe('a redirect', () => {
  test('within the host is followed, at most five times', async () => {
    const far = await site((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.setHeader('content-type', 'text/plain').end('here');
      else response.writeHead([301, 302, 303, 307, 308][left % 5] ?? 302, { location: `/${left - 1}` }).end();
    });
    const followed = await fetched(`http://site.test:${far.port}/5`);
    expect(pageIn(followed)).toBe('here');
    expect(followed.text).toContain(`http://site.test:${far.port}/0: status 200`);
    const tooMany = await fetched(`http://site.test:${far.port}/6`);
    expect(tooMany).toMatchObject({ outcome: 'error', text: expect.stringContaining('more than 5 times') });
    const loop = await site((_, response) => response.writeHead(302, { location: '/' }).end());
    expect((await fetched(`http://site.test:${loop.port}/`)).text).toContain('more than 5 times');
    expect(loop.heard).toHaveLength(6);
  });

  test.each<[to: string, says: RegExp]>([
    [
      'http://other.site.test/x',
      /to another host, http:\/\/other\.site\.test\/x; that is not followed\. Call web_fetch/,
    ],
    ['//evil.test/x', /to another host, http:\/\/evil\.test\/x/],
    ['\\\\evil.test\\x', /to another host, http:\/\/evil\.test\/x/],
    ['http://169.254.169.254/latest/meta-data/', /to another host, http:\/\/169\.254\.169\.254\//],
    ['http://2852039166/', /to another host, http:\/\/169\.254\.169\.254\//],
    ['http://127.0.0.1:9000/', /to another host/],
    ['http://[::1]/', /to another host/],
    ['http://site.test:9001/', /to another port/],
    ['https://site.test:9001/', /to another port/],
    ['file:///etc/passwd', /a place that is not fetched: .*scheme file:/],
    ['ftp://site.test/', /scheme ftp:/],
    ['gopher://site.test/', /scheme gopher:/],
    ['data:text/plain,hello', /scheme data:/],
    ['javascript:alert(1)', /scheme javascript:/],
    ['http://user:hush@site.test/', /a user or a password/],
    ['http://site.test:22/', /port 22/],
    ['http://', /no URL/],
  ])('to %s is not followed', async (location, says) => {
    const far = await site((request, response) =>
      request.url === '/' ? response.writeHead(302, { location }).end('body') : response.end('followed'),
    );
    const result = await fetched(`http://site.test:${far.port}/`);
    expect(result).toMatchObject({ outcome: 'error', text: expect.stringMatching(says) });
    expect(result.text).not.toMatch(/hush|followed$/);
    expect(far.connections()).toBe(1);
  });

  test('from https to http is not followed', async () => {
    const certificate = certificateFor('site.test');
    const far = await webServer(
      (_, response) => response.writeHead(302, { location: 'http://site.test/' }).end(),
      {
        address: SITE,
        certificate,
      },
    );
    const result = await fetched(`https://site.test:${far.port}/`, {
      options: { authorities: certificate.cert },
    });
    expect(result).toMatchObject({ outcome: 'error', text: expect.stringContaining('from https to http') });
  });

  test('without a place to go is an answer like any other', async () => {
    const far = await site((_, response) =>
      response.writeHead(302, { 'content-type': 'text/plain' }).end('nowhere'),
    );
    const result = await fetched(`http://site.test:${far.port}/`);
    expect(result).toMatchObject({ outcome: 'error', text: expect.stringContaining('status 302') });
    expect(pageIn(result)).toBe('nowhere');
  });
});

describe('https', () => {
  test('checks the certificate against the name that was asked for', async () => {
    const certificate = certificateFor('site.test', SITE);
    const far = await webServer(
      (request, response) =>
        response.setHeader('content-type', 'text/plain').end(`for ${request.headers.host}`),
      { address: SITE, certificate },
    );
    const options = { authorities: certificate.cert };
    expect(pageIn(await fetched(`https://site.test:${far.port}/`, { options }))).toBe(
      `for site.test:${far.port}`,
    );
    expect(pageIn(await fetched(`https://${SITE}:${far.port}/`, { options }))).toBe(
      `for ${SITE}:${far.port}`,
    );
    const other = await fetched(`https://other.site.test:${far.port}/`, { options });
    expect(other).toMatchObject({
      outcome: 'error',
      text: expect.stringContaining(
        'its certificate does not hold for this name (ERR_TLS_CERT_ALTNAME_INVALID)',
      ),
    });
    const untrusted = await fetched(`https://site.test:${far.port}/`);
    expect(untrusted).toMatchObject({
      outcome: 'error',
      text: expect.stringContaining('certificate does not hold'),
    });
    expect(far.heard).toHaveLength(2);
  });

  test('checks it whatever the environment says', async () => {
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const far = await webServer((_, response) => response.end('x'), {
        address: SITE,
        certificate: certificateFor('site.test'),
      });
      expect((await fetched(`https://site.test:${far.port}/`)).text).toContain('certificate does not hold');
      expect(far.heard).toHaveLength(0);
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    }
  });
});

describe('a proxy', () => {
  /** Opens the tunnels that it is asked for; what it was asked for stands in `heard`. */
  async function proxyServer(status = 200) {
    const tunnels: string[] = [];
    const far = await rawServer((socket) => {
      socket.once('data', (head: Buffer) => {
        const end = /^CONNECT (\S+) HTTP\/1\.1\r\n/.exec(head.toString())?.[1] ?? head.toString();
        tunnels.push(end);
        if (status !== 200) {
          socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
          return;
        }
        const [host = '', port] = end.split(':');
        const beyond = connectTcp({ host, port: Number(port) }, () => {
          socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
          socket.pipe(beyond).pipe(socket);
        });
        beyond.on('error', () => socket.destroy());
        socket.on('close', () => beyond.destroy());
      });
    });
    return { tunnels, proxy: { host: INSIDE, port: far.port } };
  }

  test('that was configured is asked for a tunnel to the address that was checked, for http and https', async () => {
    const { tunnels, proxy } = await proxyServer();
    const certificate = certificateFor('site.test');
    const plain = await site((_, response) => response.setHeader('content-type', 'text/plain').end('plain'));
    const secure = await webServer(
      (_, response) => response.setHeader('content-type', 'text/plain').end('secure'),
      {
        address: SITE,
        certificate,
      },
    );
    const options = { proxy, authorities: certificate.cert };
    expect(pageIn(await fetched(`http://site.test:${plain.port}/`, { options }))).toBe('plain');
    expect(pageIn(await fetched(`https://site.test:${secure.port}/`, { options }))).toBe('secure');
    expect(tunnels).toEqual([`${SITE}:${plain.port}`, `${SITE}:${secure.port}`]);
    expect((await fetched('http://inside.test/', { options })).text).toContain('loopback');
    expect(tunnels).toHaveLength(2);
  });

  test('that refuses is told; nobody goes round it', async () => {
    const { proxy } = await proxyServer(403);
    const far = await site((_, response) => response.end('x'));
    const result = await fetched(`http://site.test:${far.port}/`, { options: { proxy } });
    expect(result).toMatchObject({
      outcome: 'error',
      text: expect.stringContaining('the proxy refuses the tunnel (403)'),
    });
    expect(far.connections()).toBe(0);
  });

  test('of the environment is none', async () => {
    const { tunnels, proxy } = await proxyServer();
    const names = ['http_proxy', 'HTTP_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
    for (const name of names) process.env[name] = `http://${proxy.host}:${proxy.port}`;
    try {
      const far = await site((_, response) => response.setHeader('content-type', 'text/plain').end('direct'));
      expect(pageIn(await fetched(`http://site.test:${far.port}/`))).toBe('direct');
      expect(tunnels).toEqual([]);
    } finally {
      for (const name of names) delete process.env[name];
    }
  });

  test('and what is allowed come from the settings', () => {
    expect(fetchOptions({ proxy: 'http://proxy.internal:3128', allowPrivate: [] }).proxy).toEqual({
      host: 'proxy.internal',
      port: 3128,
    });
    expect(fetchOptions({ proxy: 'http://[::1]', allowPrivate: [] }).proxy).toEqual({
      host: '::1',
      port: 80,
    });
    const { allowed } = fetchOptions({
      proxy: null,
      allowPrivate: ['Docs.Internal.', '10.0.0.0/8', 'bücher.internal'],
    });
    expect([...allowed.hosts]).toEqual(['docs.internal', 'xn--bcher-kva.internal']);
    expect(allowed.ranges).toHaveLength(1);
  });
});
