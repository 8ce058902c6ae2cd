/** Whether an address contains a secret: anything that a client would read as a password, in any form. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parse } from 'pg-connection-string';
import { endpointUrl } from '../../../src/core/external/endpoint-url.ts';
import { externalRetrieverSchema } from '../../../src/core/external/spec.ts';
import { isTorn, mayHoldSecret, namesUser, shownAddress } from '../../../src/core/text/address-secrets.ts';
import { searchSettingsSchema } from '../../../src/features/web-corpus/core/search.ts';
import { judgeSchema } from '../../../src/shared/judge-config.ts';

const SECRET = [
  'postgres://user:secret@host/db',
  'postgres://user:@host/db',
  // The @ before the server and the / before the database, in the user and the password.
  'postgres://us@er:pa/ss@host/db',
  'postgres://us@er:secret@host/db',
  'postgres://user:pa/ss@host/db',
  'postgres://user:pa?ss@host/db',
  'postgres://user:pa#ss@host/db',
  'postgres://us@er@host/db',
  'postgres://host/db?password=secret',
  'postgres://host/db?PassWord=secret',
  'postgres://host/db?p%61ssword=secret',
  'postgres://host/db?a=1&pwd=secret',
  'postgres://host/db?a=1?password=secret',
  'postgres://host/db?sslpassword=secret',
  'postgres://host/db;password=secret?x=;password=secret',
  'postgres://host/db?options=-c%20app.token%3Dsecret',
  'postgres://host/db?proxy=http://user:secret@other',
  'postgres://host/db?user=u&x=a@b',
  'postgresql+psycopg://user:secret@host/db',
  'jdbc:postgresql://user:secret@host/db',
  'user:secret@host/db',
  'host=h user=u password=secret',
  'postgres://user/pa@ss/db',
  'postgres://one:5432,user:secret/db',
  'postgres://host/db?a=%zz',
  'postgres://host/db secret',
  // Incomplete addresses.
  'postgres://user:secr',
  'postgres://user:secret@',
  'https://user:secret@host/v1',
  'https://host/v1?api-key=secret',
  'https://host/v1?access_token=secret',
  'redis://:secret@host',
  's3://user:secret@bucket/path',
];
const NONE = [
  '',
  'postgres',
  'postgres://',
  'postgres://host',
  'postgres://user@host:5432/db',
  'postgres://user@one:5432,two:5433/db?sslmode=verify-full&sslkey=/k.pem&target_session_attrs=any',
  'mongodb+srv://user@cluster.example/?authSource=admin&authMechanism=SCRAM-SHA-256',
  'postgresql://us%40er@[::1]:5432/db',
  'postgres:///db?host=/tmp&user=a@b',
  'postgres://user@host/db?options=-c%20search_path%3Dapp',
  'https://',
  'http://127.0.0.1:8000/v1',
  'https://host/search?q={query}&k={k}',
  's3://bucket/path',
  's3+ddb://bucket/path?ddbTableName=t',
];

describe('mayHoldSecret', () => {
  for (const address of SECRET)
    it(`is true for ${address}`, () => assert.equal(mayHoldSecret(address), true));
  for (const address of NONE)
    it(`is false for ${address}`, () => assert.equal(mayHoldSecret(address), false));

  it('is true wherever the client of PostgreSQL or the web reads a password', () => {
    const sign = fc.constantFrom(
      ...'ab1:@/?#&=%.,;[]\\ '.split(''),
      '%40',
      '%3A',
      'password=',
      'user=',
      '//',
    );
    const address = fc
      .tuple(fc.constantFrom('postgres://', 'postgresql://', 'https://'), fc.array(sign, { maxLength: 14 }))
      .map(([scheme, signs]) => scheme + signs.join(''));
    fc.assert(
      fc.property(address, (text) => {
        const said = mayHoldSecret(text);
        for (const read of [() => parse(text).password, () => new URL(text).password])
          if (passwordBy(read) !== '') assert.equal(said, true, text);
      }),
      { numRuns: 7_000, seed: 7 },
    );
  });
});

/** The password that a client reads. `undefined` if it refuses the address. */
function passwordBy(read: () => string | undefined): string {
  try {
    return read() ?? '';
  } catch {
    return '';
  }
}

it('refuses a user in every configured address', () => {
  const taken: Readonly<Record<string, (address: string) => boolean>> = {
    endpoint: (address) => endpointUrl.safeParse(address).success,
    retriever: (url) => externalRetrieverSchema.safeParse({ type: 'http', url }).success,
    search: (baseUrl) => searchSettingsSchema.safeParse({ provider: 'searxng', baseUrl }).success,
    judge: (baseUrl) => judgeSchema.safeParse({ type: 'openai', baseUrl, model: 'm' }).success,
    chroma: (url) =>
      externalRetrieverSchema.safeParse({ type: 'chroma', url, collection: 'c', embedder: 'e' }).success,
  };
  for (const [what, takes] of Object.entries(taken)) {
    assert.equal(takes('https://host/v1'), true, what);
    for (const address of [
      'https://user:secret@host/v1',
      'https://secret@host/v1',
      'https:\\\\user:secret@host',
      'https:user:secret@host',
      '\r\nhttps://user:secret@host',
      'a-b+https://user:secret@host',
    ])
      assert.equal(takes(address), false, `${what}: ${address}`);
  }
});

it('shows an address without user and parameters', () => {
  assert.equal(shownAddress('https://host:1/a/b?key=secret#x'), 'https://host:1/a/b');
  assert.equal(shownAddress('https://us@er:secret@host/a@b'), 'https://host/a@b');
});

it('finds a user before the server, in any form', () => {
  for (const address of [
    'redis:user@host',
    'http://user@a host',
    'h:\\\\user@host',
    'https:/\t/user:secret@host',
    'https:/\t/:secret@host',
    'https:/\t/user@host',
  ])
    assert.equal(namesUser(address), true, address);
  for (const address of ['https://host/@a', 'https://host?x=@', 'https://host/a:b@c', 'a host:80/@'])
    assert.equal(namesUser(address), false, address);
});

it('finds an address in which part of a password follows the server', () => {
  for (const address of [
    'postgres://user:pa/ss@host/db',
    'postgres://user:pa?ss@host/db',
    'postgres://host/a@b?user=x',
    'postgres://host/db?a=1&b=c@d',
    'postgres://host/db?options=a@b#c',
    'postgres://host/db?x_user=a@b',
  ])
    assert.equal(isTorn(address), true, address);
  for (const address of [
    'postgres://user:secret@host/db?a=1',
    'postgres://host/db?user=a@b&password=c@d',
    'postgres://host/db?options=@',
  ])
    assert.equal(isTorn(address), false, address);
});
