// Which addresses may be spoken with: the table, and the spellings of addresses that lead to it.
import { describe, expect, test } from 'vitest';
import { addressRange } from '../../../src/shared/address-range.js';
import {
  type AllowedAddresses,
  addressProblem,
  NO_ALLOWED_ADDRESSES,
} from '../../../src/tools/web/addresses.js';
import { webTarget } from '../../../src/tools/web/web-url.js';

const problem = (address: string, allowed = NO_ALLOWED_ADDRESSES, own: readonly string[] = []) =>
  addressProblem(address, 'example.org', allowed, own);

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '93.184.216.34',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '168.63.129.15',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '191.255.255.255',
  '192.0.1.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2001:4860:4860::8888',
  '2001:200::1',
  '2a00:1450:4001:82a::200e',
  '2606:4700::5efe', // the word of ISATAP in another place
  '2003::1',
];

const REFUSED: readonly (readonly [address: string, what: RegExp])[] = [
  ['0.0.0.0', /this machine/],
  ['0.1.2.3', /this machine/],
  ['10.0.0.0', /private/],
  ['10.255.255.255', /private/],
  ['100.64.0.1', /carrier/],
  ['100.100.100.200', /carrier/], // metadata of a cloud
  ['100.127.255.255', /carrier/],
  ['127.0.0.1', /loopback/],
  ['127.255.255.254', /loopback/],
  ['168.63.129.16', /cloud platform/],
  ['169.254.0.1', /link-local/],
  ['169.254.169.254', /link-local/], // metadata of most clouds
  ['172.16.0.1', /private/],
  ['172.31.255.255', /private/],
  ['192.0.0.1', /reserved/],
  ['192.0.0.192', /reserved/], // metadata of a cloud
  ['192.0.2.7', /documentation/],
  ['192.31.196.1', /reserved/],
  ['192.52.193.1', /reserved/],
  ['192.88.99.1', /6to4/],
  ['192.168.0.1', /private/],
  ['192.175.48.1', /reserved/],
  ['198.18.0.1', /benchmarks/],
  ['198.19.255.255', /benchmarks/],
  ['198.51.100.1', /documentation/],
  ['203.0.113.1', /documentation/],
  ['224.0.0.1', /multicast/],
  ['239.255.255.250', /multicast/],
  ['240.0.0.1', /reserved/],
  ['255.255.255.255', /broadcast/],
  ['::', /unspecified/],
  ['::1', /loopback/],
  ['0:0:0:0:0:0:0:1', /loopback/],
  ['::127.0.0.1', /IPv4 address in IPv6/],
  ['::ffff:127.0.0.1', /IPv4 address in IPv6/],
  ['::ffff:7f00:1', /IPv4 address in IPv6/],
  ['::FFFF:8.8.8.8', /IPv4 address in IPv6/],
  ['::ffff:0:127.0.0.1', /reserved/], // SIIT
  ['64:ff9b::7f00:1', /translated/],
  ['64:ff9b::8.8.8.8', /translated/],
  ['64:ff9b:1::10.0.0.1', /translated/],
  ['64:ff9b:1:ffff::1', /translated/],
  ['100::1', /discards/],
  ['100:0:0:1::1', /reserved/],
  ['2001::1', /Teredo/],
  ['2001:0:53aa:64c:0:fbff:ad8d:d1fe', /Teredo/],
  ['2001:2::1', /benchmarks/],
  ['2001:10::1', /reserved/], // ORCHID
  ['2001:20::1', /reserved/],
  ['2001:db8::1', /documentation/],
  ['3fff::1', /documentation/],
  ['2002:7f00:1::1', /6to4/],
  ['2002:a9fe:a9fe::', /6to4/],
  ['2620:4f:8000::1', /reserved/],
  ['2606:4700::5efe:10.0.0.1', /tunnelled/],
  ['2606:4700::200:5efe:7f00:1', /tunnelled/],
  ['fc00::1', /private/],
  ['fd00:ec2::254', /private/], // metadata of a cloud
  ['fe80::1', /link-local/],
  ['fe80::5efe:192.0.2.1', /link-local/],
  ['febf::1', /link-local/],
  ['fec0::1', /site-local/],
  ['feff::1', /site-local/],
  ['ff02::1', /multicast/],
  ['4000::1', /reserved/],
  ['5f00::1', /reserved/],
  ['e000::1', /reserved/],
  ['fe80::1%eth0', /zone/],
  ['2606:4700::1%1', /zone/],
  ['', /no address/],
  ['127.1', /no address/], // only a parser of URLs reads it, and writes it out
  ['example.org', /no address/],
];

test.each(PUBLIC)('%s is of the public network', (address) => {
  expect(problem(address)).toBeUndefined();
});

test.each(REFUSED)('%s is refused', (address, what) => {
  expect(problem(address)).toMatch(what);
});

describe('beside the public network', () => {
  const allowed = (hosts: readonly string[], ranges: readonly string[]): AllowedAddresses => ({
    hosts: new Set(hosts),
    ranges: ranges.flatMap((text) => addressRange(text) ?? []),
  });

  test('a range that was named is allowed, and nothing beside it', () => {
    const named = allowed([], ['10.1.0.0/16', 'fd12::/16', '169.254.169.254']);
    for (const address of ['10.1.0.0', '10.1.255.255', 'fd12::9', '169.254.169.254'])
      expect(problem(address, named), address).toBeUndefined();
    for (const address of ['10.0.255.255', '10.2.0.0', 'fd13::', '169.254.169.253', '127.0.0.1'])
      expect(problem(address, named), address).toBeDefined();
  });

  test('a range of IPv4 says nothing of the same address in IPv6 form', () => {
    const named = allowed([], ['127.0.0.0/8', '0.0.0.0/0']);
    expect(problem('127.0.0.1', named)).toBeUndefined();
    expect(problem('::ffff:127.0.0.1', named)).toMatch(/IPv6 form/);
    expect(problem('::1', named)).toMatch(/loopback/);
    expect(problem('::ffff:127.0.0.1', allowed([], ['::ffff:0:0/96']))).toBeUndefined();
  });

  test('a host that was named may have an address at home, and none that no host has', () => {
    const named = allowed(['docs.internal'], []);
    const of = (address: string, host: string) => addressProblem(address, host, named, []);
    for (const address of ['10.0.0.7', '192.168.1.1', '127.0.0.1', '100.64.0.1', 'fd00::1', '::1'])
      expect(of(address, 'docs.internal'), address).toBeUndefined();
    for (const address of [
      '169.254.169.254',
      '0.0.0.0',
      '224.0.0.1',
      'fe80::1',
      '::ffff:10.0.0.7',
      '2002:a00::1',
    ])
      expect(of(address, 'docs.internal'), address).toBeDefined();
    for (const host of ['other.internal', 'x.docs.internal', 'docs.internal.evil.org'])
      expect(of('10.0.0.7', host), host).toMatch(/private/);
  });

  test('the public address of this very machine is refused, and may be named', () => {
    const own = ['93.184.216.34', 'fe80::1', '2606:4700::77'];
    expect(problem('93.184.216.34', NO_ALLOWED_ADDRESSES, own)).toMatch(/this machine/);
    expect(problem('2606:4700:0::77', NO_ALLOWED_ADDRESSES, own)).toMatch(/this machine/);
    expect(problem('93.184.216.35', NO_ALLOWED_ADDRESSES, own)).toBeUndefined();
    expect(problem('93.184.216.34', allowed([], ['93.184.216.34']), own)).toBeUndefined();
  });
});

test.each([
  '10.0.0.0/33',
  '10.0.0.0/-1',
  '10.0.0/8',
  '10.0.0.0/8/8',
  'fd00::/129',
  'fe80::1%1',
  '[::1]',
  'x',
  '',
  '/',
])('%j is no range', (text) => {
  expect(addressRange(text)).toBeUndefined();
});

describe('an address in a URL', () => {
  test.each<[url: string, literal: string, host?: string]>([
    ['http://127.0.0.1/', '127.0.0.1'],
    ['http://127.0.0.1./', '127.0.0.1'],
    ['http://2130706433/', '127.0.0.1'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://0x7f000001/', '127.0.0.1'],
    ['http://0177.0.0.1/', '127.0.0.1'],
    ['http://127.1/', '127.0.0.1'],
    ['http://127.0.1/', '127.0.0.1'],
    ['http://0/', '0.0.0.0'],
    ['http://１２７.0.0.1/', '127.0.0.1'],
    ['http://127。0。0。1/', '127.0.0.1'],
    ['http://%31%32%37.0.0.1/', '127.0.0.1'],
    ['http://[::1]/', '::1', '[::1]'],
    ['http://[0:0::1]/', '::1', '[::1]'],
    ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1', '[::ffff:7f00:1]'],
    ['http://[64:FF9B::127.0.0.1]/', '64:ff9b::7f00:1', '[64:ff9b::7f00:1]'],
  ])('%s is %s, whatever it looks like', (url, literal, host = literal) => {
    const target = webTarget(url);
    expect(target).toMatchObject({ kind: 'target', literal, host });
    expect(problem(literal)).toBeDefined();
  });

  test.each<[url: string, host: string, authority?: string]>([
    ['HTTP://Example.ORG/', 'example.org'],
    ['https://example.org./x', 'example.org'],
    ['https://example.org..:8443/x', 'example.org', 'example.org:8443'],
    ['http://exa%6Dple.org/', 'example.org'],
    ['http://ｅｘａｍｐｌｅ.org/', 'example.org'],
    ['http://exam\nple.org/', 'example.org'],
    ['http:\\\\example.org\\x', 'example.org'],
    ['http:example.org', 'example.org'],
    ['http://bücher.example/', 'xn--bcher-kva.example'],
    ['http://еxample.org/', 'xn--xample-2of.org'], // its first letter is Cyrillic
  ])('%j is about the host %s, as rules see it', (url, host, authority = host) => {
    expect(webTarget(url)).toMatchObject({ kind: 'target', literal: undefined, host, authority });
  });

  test.each<[url: string, says: RegExp]>([
    ['', /no URL/],
    ['example.org', /no URL/],
    ['//example.org/', /no URL/],
    ['http://', /no URL/],
    ['http://.', /names no host/],
    ['http://...', /names no host/],
    ['http://exa mple.org', /no URL/],
    ['http://a/\0', /./],
    ['http://[fe80::1%25eth0]/', /no URL/],
    ['http://[::1', /no URL/],
    ['http://1.2.3.4.5/', /no URL/],
    ['http://256.1.1.1/', /no URL/],
    ['http://exa%00mple.org/', /no URL/],
    ['http://exa%2Fmple.org/', /no URL/],
    ['file:///etc/passwd', /scheme file:/],
    ['ftp://example.org/', /scheme ftp:/],
    ['gopher://example.org:70/_x', /scheme gopher:/],
    ['data:text/html,x', /scheme data:/],
    ['javascript:alert(1)', /scheme javascript:/],
    ['ws://example.org/', /scheme ws:/],
    ['unix:/var/run/docker.sock', /scheme unix:/],
    ['http+unix://x/', /scheme http\+unix:/],
    ['blob:http://example.org/x', /scheme blob:/],
    ['http://user@example.org/', /a user or a password/],
    ['http://user:hush@example.org/', /a user or a password/],
    ['http://:hush@example.org/', /a user or a password/],
    ['http://example.org@127.0.0.1/', /a user or a password/],
    ['http://example.org:22/', /port 22/],
    ['http://example.org:0/', /port 0/],
    ['http://example.org:6379:80/', /no URL/],
    ['http://example.org:25/', /port 25/],
    ['http://example.org:65536/', /no URL/],
    [`http://example.org/${'a'.repeat(4_100)}`, /longer than 4096/],
  ])('%j is refused', (url, says) => {
    const target = webTarget(url);
    if (url === 'http://a/\0') expect(target).toMatchObject({ url: 'http://a/' });
    else expect(target).toMatchObject({ kind: 'refused', text: expect.stringMatching(says) });
    expect(JSON.stringify(target)).not.toContain('hush');
  });
});
