// The section `web` of the settings file.
import { expect, test } from 'vitest';
import { NO_SETTINGS, type SettingsWeb } from '../../src/config/settings.js';
import { parseSettings } from '../../src/config/settings-file.js';

function webOf(text: string): SettingsWeb {
  const parsed = parseSettings(text);
  if (parsed.kind === 'refused') throw new Error(JSON.stringify(parsed.findings));
  return parsed.value.web;
}

function findingsOf(text: string) {
  const parsed = parseSettings(text);
  return parsed.kind === 'refused' ? parsed.findings : [];
}

test('names a proxy and what is allowed beside the public network', () => {
  const text = `web:
  proxy: http://proxy.internal:3128
  allow-private: [docs.internal, 10.1.0.0/16, 10.2.3.4, "fd00::/8", "::1", bücher.internal]
`;
  expect(webOf(text)).toEqual({
    proxy: 'http://proxy.internal:3128',
    allowPrivate: ['docs.internal', '10.1.0.0/16', '10.2.3.4', 'fd00::/8', '::1', 'bücher.internal'],
  });
});

test.each(['', 'web: {}', 'web: {allow-private: []}'])('nothing is said by %j', (text) => {
  expect(webOf(text)).toEqual(NO_SETTINGS.web);
});

test.each([
  ['web: {proxy: "https://proxy:3128"}', 'web.proxy', 'http://<host>:<port>'],
  ['web: {proxy: "proxy:3128"}', 'web.proxy', 'http://<host>:<port>'],
  ['web: {proxy: "socks5://proxy:1080"}', 'web.proxy', 'http://<host>:<port>'],
  ['web: {proxy: "http://me:hush@proxy:3128"}', 'web.proxy', 'without user, password or path'],
  ['web: {proxy: "http://proxy:3128/path"}', 'web.proxy', 'without user, password or path'],
  ['web: {proxy: 3128}', 'web.proxy', 'text'],
  ['web: {allow-private: docs.internal}', 'web.allow-private', 'a list'],
  ['web: {allow-private: ["*.internal"]}', 'web.allow-private[0]', 'one host name, address or range'],
  ['web: {allow-private: ["http://docs.internal"]}', 'web.allow-private[0]', 'without *, scheme or port'],
  ['web: {allow-private: ["docs.internal:8080"]}', 'web.allow-private[0]', 'without *, scheme or port'],
  ['web: {allow-private: ["10.0.0.0/33"]}', 'web.allow-private[0]', 'one host name, address or range'],
  ['web: {allow-private: ["127.1"]}', 'web.allow-private[0]', 'one host name, address or range'],
  ['web: {allow-private: ["0x7f000001"]}', 'web.allow-private[0]', 'one host name, address or range'],
  ['web: {allow-private: ["fe80::1%eth0"]}', 'web.allow-private[0]', 'one host name, address or range'],
  ['web: {allow-private: [ok.internal, ""]}', 'web.allow-private[1]', 'one host name, address or range'],
])('%s is refused with its line, the place and what may stand there', (text, place, allowed) => {
  const findings = findingsOf(text);
  expect(findings).toMatchObject([{ code: 'bad-value', severity: 'error', path: '~/.bnerd.yaml', line: 1 }]);
  expect(findings[0]?.message).toContain(place);
  expect(findings[0]?.message).toContain(allowed);
  expect(findings[0]?.message).not.toContain('hush');
});

test.each([
  ['web: {allow_private: []}', 'allow-private'],
  ['web: {allowPrivate: []}', 'allow-private'],
  ['web: {Proxy: x}', 'proxy'],
])('another spelling is refused with the right one: %s', (text, right) => {
  expect(findingsOf(text)).toMatchObject([{ code: 'key-spelling', remedy: `write ${right}` }]);
});

test('a key that is none is refused with those that are', () => {
  expect(findingsOf('web: {hosts: []}')).toMatchObject([
    { code: 'unknown-key', message: expect.stringContaining('proxy, allow-private') },
  ]);
});
