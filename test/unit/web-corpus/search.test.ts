/** The protocols of search providers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  PROVIDERS,
  requestsPerQuery,
  SEARCH_PROVIDERS,
  searchSettingsSchema,
  searchUrl,
} from '../../../src/features/web-corpus/core/search.ts';
import { Manifest, parseManifest } from '../../../src/features/web-corpus/core/snapshot.ts';

const settings = (value: object) => searchSettingsSchema.parse(value);

test('SearXNG requires an address, the others have one', () => {
  assert.equal(searchSettingsSchema.safeParse({ provider: 'searxng' }).success, false);
  assert.equal(searchSettingsSchema.safeParse({ provider: 'searxng', baseUrl: 'ftp://x' }).success, false);
  assert.equal(settings({ provider: 'brave' }).results, 20);
});

test('requests of each provider', () => {
  const serper = PROVIDERS.serper.request('a b?', 2);
  assert.equal(searchUrl(settings({ provider: 'serper' }), serper), 'https://google.serper.dev/search');
  assert.deepEqual(serper.body, { q: 'a b?', num: 10, page: 2 });
  assert.equal(
    searchUrl(settings({ provider: 'brave' }), PROVIDERS.brave.request('a b?', 2)),
    'https://api.search.brave.com/res/v1/web/search?q=a+b%3F&count=20&offset=1',
  );
  for (const baseUrl of ['http://localhost:8888/sx', 'http://localhost:8888/sx/'])
    assert.equal(
      searchUrl(settings({ provider: 'searxng', baseUrl }), PROVIDERS.searxng.request('ä', 1)),
      'http://localhost:8888/sx/search?q=%C3%A4&format=json&pageno=1',
    );
});

test('sends as many requests as the wanted results need', () => {
  assert.equal(requestsPerQuery({ provider: 'brave', results: 20 }), 1);
  assert.equal(requestsPerQuery({ provider: 'brave', results: 21 }), 2);
  assert.equal(requestsPerQuery({ provider: 'serper', results: 100 }), 10);
});

test('reads answers of each provider and omits entries without an address', () => {
  const hits = [{ url: 'https://a.org/', title: 'A' }];
  assert.deepEqual(
    PROVIDERS.serper.read({
      organic: [{ link: 'https://a.org/', title: 'A', position: 1 }, { title: 'ad' }],
    }),
    { hits },
  );
  assert.deepEqual(
    PROVIDERS.brave.read({ type: 'search', web: { results: [{ url: 'https://a.org/', title: 'A' }, 7] } }),
    { hits },
  );
  assert.deepEqual(PROVIDERS.brave.read({ type: 'search' }), { hits: [] });
  assert.deepEqual(PROVIDERS.searxng.read({ results: [{ url: 'https://a.org/', title: 'A' }] }), { hits });
});

test('SearXNG fails if none of its engines answers', () => {
  const silent = PROVIDERS.searxng.read({ results: [], unresponsive_engines: [['google', 'CAPTCHA']] });
  assert.match(silent?.trouble ?? '', /google \(CAPTCHA\)/u);
  assert.deepEqual(PROVIDERS.searxng.read({ results: [], unresponsive_engines: [] }), { hits: [] });
  const some = PROVIDERS.searxng.read({
    results: [{ url: 'https://a.org/', title: 'A' }],
    unresponsive_engines: [['google', 'CAPTCHA']],
  });
  assert.equal(some?.hits.length, 1);
  assert.equal(some.trouble, undefined);
});

test('no answer throws', () => {
  fc.assert(
    fc.property(fc.constantFrom(...SEARCH_PROVIDERS), fc.jsonValue(), (provider, answer) => {
      for (const { url, title } of PROVIDERS[provider].read(answer)?.hits ?? []) {
        assert.equal(typeof url, 'string');
        assert.equal(typeof title, 'string');
      }
    }),
  );
});

test('the last of several lines about a page or a query counts', () => {
  const manifest = new Manifest();
  const at = '2026-01-01T00:00:00.000Z';
  manifest.add({ type: 'skipped', url: 'u', reason: 'timeout', message: 'm', passing: true, at });
  assert.equal(manifest.skipped('u')?.reason, 'timeout');
  assert.equal(manifest.page('u'), undefined);
  manifest.add({
    type: 'page',
    url: 'u',
    finalUrl: 'u',
    status: 200,
    contentType: '',
    bytes: 1,
    hash: 'h',
    at,
  });
  assert.equal(manifest.skipped('u'), undefined);
  assert.equal(manifest.page('u')?.hash, 'h');
  manifest.add({
    type: 'search',
    queryId: 'q',
    query: 'why',
    provider: 'brave',
    wanted: 20,
    results: [],
    at,
  });
  assert.ok(manifest.search('brave', 'why', 20));
  assert.equal(manifest.search('brave', 'why', 21), undefined);
  assert.equal(manifest.search('serper', 'why', 20), undefined);
});

const AT = '2026-01-01T00:00:00.000Z';
const page = (url: string): object => ({
  type: 'page',
  url,
  finalUrl: url,
  status: 200,
  contentType: 'text/html',
  bytes: 1,
  hash: 'h',
  at: AT,
});
const searched = (query: string, urls: readonly string[], provider = 'brave'): object => ({
  type: 'search',
  queryId: 'q',
  query,
  provider,
  wanted: 20,
  results: urls.map((url, at) => ({ rank: at + 1, url, title: '' })),
  at: AT,
});
const twin = {
  type: 'skipped',
  url: 'c',
  reason: 'duplicate',
  message: '',
  passing: false,
  at: AT,
  twin: 'a',
};

test('pages of a question are in the corpus, with duplicates replaced by their original', () => {
  const lines = [
    { type: 'snapshot', version: 1 },
    searched('why', ['b', 'c', 'gone', 'a']),
    searched(' why ', ['d', 'b'], 'serper'),
    searched('how', ['e']),
    ...['a', 'b', 'd', 'e'].map(page),
    twin,
  ];
  const manifest = parseManifest(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n \n`, 'm.jsonl');
  assert.deepEqual(manifest.questions, ['why', 'how']);
  assert.deepEqual(
    manifest.pages.map(({ url }) => url),
    ['a', 'b', 'd', 'e'],
  );
  assert.deepEqual(manifest.pagesFor(' why'), ['b', 'a', 'd']);
  assert.deepEqual(manifest.pagesFor('how'), ['e']);
  assert.equal(manifest.pagesFor('when'), undefined);
  manifest.forget('e');
  assert.deepEqual(manifest.pagesFor('how'), []);
});

test('reports an invalid line of a manifest by its number', () => {
  for (const line of ['{"type": "page"', '{"type": "page"}'])
    assert.throws(() => parseManifest(`${JSON.stringify(page('a'))}\n${line}`, 'm.jsonl'), {
      id: 'bad-file',
      message: /^m\.jsonl, line 2: /u,
    });
});
