/** The addresses and URLs that the fetcher may use. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  isPublicAddress,
  MAX_URL_LENGTH,
  readPageUrl,
  type Reach,
} from '../../../src/features/web-corpus/core/page-url.ts';

const PUBLIC = [
  '8.8.8.8',
  '1.1.1.1',
  '93.184.215.14',
  '172.15.255.255',
  '172.32.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '2606:4700:4700::1111',
  '2a00:1450:4001:81b::200e',
];

/** The first and last address of special ranges, and the metadata addresses of cloud machines. */
const SPECIAL = [
  ...['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255'],
  ...['100.100.100.200', '127.0.0.1', '127.255.255.255', '168.63.129.16', '169.254.0.0', '169.254.169.254'],
  ...['172.16.0.0', '172.31.255.255', '192.0.0.0', '192.0.0.192', '192.0.2.1', '192.88.99.1', '192.168.0.0'],
  ...['192.168.255.255', '198.18.0.0', '198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.1'],
  ...['239.255.255.255', '240.0.0.0', '255.255.255.255'],
  ...['::', '::1', '::8.8.8.8', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:0:8.8.8.8'],
  ...['64:ff9b::8.8.8.8', '64:ff9b::7f00:1', '64:ff9b:1::1', '100::1', '2001::1', '2001:2::1', '2001:10::1'],
  ...['2001:20::1', '2001:db8::1', '2002:7f00:1::', '2002:808:808::1', '3fff::1', '4000::1', '5f00::1'],
  ...['fc00::1', 'fd00:ec2::254', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1'],
];

for (const address of PUBLIC)
  test(`${address} is public`, () => assert.equal(isPublicAddress(address), true));
for (const address of SPECIAL) test(`${address} is not`, () => assert.equal(isPublicAddress(address), false));

test('invalid addresses are not public', () => {
  for (const text of ['', 'localhost', 'example.org', '8.8.8.8.8', '[::1]', '8.8.8.8/32'])
    assert.equal(isPublicAddress(text), false, text);
});

const octet = fc.integer({ min: 0, max: 255 });

test('an address in a private network is not public in any spelling of a URL', () => {
  const inside = fc.oneof(
    fc.tuple(fc.constantFrom(0, 10, 127), octet, octet, octet),
    fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
    fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
    fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
    fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
    fc.tuple(fc.integer({ min: 224, max: 255 }), octet, octet, octet),
  );
  const spellings = [
    (octets: readonly number[]) => octets.join('.'),
    (octets: readonly number[]) => octets.map((part) => `0x${part.toString(16)}`).join('.'),
    (octets: readonly number[]) => octets.map((part) => `0${part.toString(8)}`).join('.'),
    (octets: readonly number[]) => String(octets.reduce((sum, part) => sum * 256 + part, 0)),
    (octets: readonly number[]) => `[::ffff:${octets.join('.')}]`,
    (octets: readonly number[]) => `[64:ff9b::${octets.join('.')}]`,
  ];
  fc.assert(
    fc.property(inside, fc.constantFrom(...spellings), (octets, spell) => {
      assert.ok('refused' in readPageUrl(`http://${spell(octets)}/`));
    }),
  );
});

test('an IPv4 address wrapped into IPv6 is never public', () => {
  const wrap = fc.constantFrom('::ffff:', '::', '64:ff9b::', '::ffff:0:');
  fc.assert(
    fc.property(wrap, fc.tuple(octet, octet, octet, octet), (prefix, octets) => {
      assert.equal(isPublicAddress(`${prefix}${octets.join('.')}`), false);
    }),
  );
});

const AT_MOST = 'https://example.org/'.padEnd(MAX_URL_LENGTH, 'a');

for (const [why, url, said] of [
  ['another scheme', 'ftp://example.org/', /http and https/],
  ['a file', 'file:///etc/passwd', /http and https/],
  ['a script', 'javascript:alert(1)', /http and https/],
  ['data', 'data:text/html,hello', /http and https/],
  ['a user name', 'https://user@example.org/', /user name or password/],
  ['a password', 'https://:secret@example.org/', /user name or password/],
  ['a port of something else', 'http://example.org:6379/', /Port 6379/],
  ['a host that is loopback', 'http://127.0.0.1/', /127\.0\.0\.1/],
  ['a host that is loopback in short', 'http://127.1/', /127\.0\.0\.1/],
  ['a host that is loopback in IPv6', 'http://[::1]/', /::1/],
  ['the metadata of a cloud machine', 'http://169.254.169.254/latest/meta-data/', /169\.254/],
  ['no URL', 'example.org', /not a URL/],
  ['nothing', '', /not a URL/],
  ['its length', `${AT_MOST}a`, /2048 characters/],
] as const)
  test(`refuses ${why}`, () => {
    const page = readPageUrl(url);
    assert.match('refused' in page ? page.refused : '', said);
  });

test('allows web pages, without their fragment', () => {
  assert.ok('url' in readPageUrl('http://example.org/'));
  assert.ok('url' in readPageUrl(AT_MOST));
  const page = readPageUrl('HTTPS://Example.org:443/a?b=c#part');
  assert.ok('url' in page);
  assert.equal(page.url.href, 'https://example.org/a?b=c');
});

test('checks the default port of a scheme against the allowed ports', () => {
  const only = (wanted: number): Reach => ({
    allowsAddress: () => true,
    allowsPort: (port) => port === wanted,
  });
  for (const [url, port] of [
    ['http://example.org/', 80],
    ['https://example.org/', 443],
    ['http://example.org:8080/', 8080],
  ] as const)
    for (const wanted of [80, 443, 8080])
      assert.equal('url' in readPageUrl(url, only(wanted)), port === wanted, `${url} ${wanted}`);
});

test('resolves a redirect relative to its page and checks it like any other URL', () => {
  const base = new URL('https://example.org/a/b');
  const near = readPageUrl('../c', undefined, base);
  assert.equal('url' in near && near.url.href, 'https://example.org/c');
  assert.ok('refused' in readPageUrl('//10.0.0.1/c', undefined, base));
});

test('any text is an allowed http URL or is refused with a sentence', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.webUrl(),
        fc.string(),
        fc.ipV4().map((ip) => `http://${ip}/`),
      ),
      (text) => {
        const page = readPageUrl(text);
        if ('refused' in page) assert.match(page.refused, /\.$/u);
        else {
          assert.match(page.url.protocol, /^https?:$/u);
          assert.equal(page.url.username + page.url.password + page.url.hash, '');
        }
      },
    ),
  );
});
