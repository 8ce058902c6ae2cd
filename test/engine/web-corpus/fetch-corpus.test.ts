/** A corpus from the web: fetched, stopped and gone on with, indexed. */
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { searchSettingsSchema } from '../../../src/features/web-corpus/core/search.ts';
import { SNAPSHOT_MANIFEST, SNAPSHOT_PAGES } from '../../../src/features/web-corpus/core/snapshot.ts';
import { evalCommand } from '../../../src/cli/commands/eval-command.ts';
import { indexCommand } from '../../../src/cli/commands/index-command.ts';
import { webCommand } from '../../../src/features/web-corpus/cli/web-command.ts';
import { CorpusIndex } from '../../../src/engine/corpora/corpus-index.ts';
import {
  fetchWebCorpus,
  type WebCorpusRequest,
} from '../../../src/features/web-corpus/engine/fetch-corpus.ts';
import { corpusSchema } from '../../../src/shared/config.ts';
import type { WebReport } from '../../../src/features/web-corpus/contract/web.ts';
import type { WorkOptions } from '../../../src/engine/types.ts';
import { lines, run, runJson } from '../cli/support.ts';
import { article, found, html, redirect, status, webFor, type Page, type Web } from './support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const QUERIES = [
  { id: 'q1', text: 'wind?' },
  { id: 'q2', text: 'sun?' },
];

/** Two queries: three pages for the first, one of them and another for the second. */
async function twoQueries(t: TestContext): Promise<Web> {
  const web = await webFor(t, {
    'a.test/1': html(article('wind')),
    'a.test/2': html(article('sail')),
    'b.test/': html(article('mill')),
    'c.test/': html(article('sun')),
  });
  const first = found(web.url('a.test/1'), web.url('a.test/2'), web.url('b.test/'));
  const second = found(web.url('b.test/#part'), web.url('c.test/'));
  web.pages['127.0.0.1/search'] = (response, request) =>
    (request.url?.includes('wind') ? first : second)(response, request);
  return web;
}

function requestFor(web: Web, folder: string, more: Partial<WebCorpusRequest> = {}): WebCorpusRequest {
  const search = searchSettingsSchema.parse({
    provider: 'searxng',
    baseUrl: `http://127.0.0.1:${web.port}`,
    results: 10,
  });
  return { queries: QUERIES, search, folder, apiKey: undefined, ...more };
}

const fetchInto = (web: Web, folder: string, work: WorkOptions = {}): Promise<WebReport> =>
  fetchWebCorpus(requestFor(web, folder), work, web.options);

type Json = Record<string, unknown>;

function readLines(folder: string, name: string): Json[] {
  const text = readFileSync(path.join(folder, name), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);
}

const ids = (folder: string): unknown[] => readLines(folder, SNAPSHOT_PAGES).map(({ _id }) => _id);

test('pages of all queries are stored once, with their manifest', async (t) => {
  const web = await twoQueries(t);
  const folder = path.join(temporaryFolder(t), 'new', 'snapshot');
  const notes: (string | undefined)[] = [];
  const report = await fetchInto(web, folder, { onProgress: ({ detail }) => notes.push(detail) });
  assert.deepEqual(
    { ...report, bytes: report.bytes > 0, fingerprint: report.fingerprint.length },
    {
      queries: 2,
      searchesKept: 0,
      searchesFailed: [],
      found: 4,
      fetched: 4,
      kept: 0,
      skipped: [],
      bytes: true,
      damaged: 0,
      fingerprint: 64,
    },
  );
  const urls = ['a.test/1', 'a.test/2', 'b.test/', 'c.test/'].map(web.url);
  assert.deepEqual(ids(folder).sort(), urls);
  const manifest = readLines(folder, SNAPSHOT_MANIFEST);
  assert.deepEqual(manifest[0], { type: 'snapshot', version: 1 });
  const searches = manifest.filter(({ type }) => type === 'search');
  assert.deepEqual(
    searches.map(({ queryId, query, provider, results }) => [
      queryId,
      query,
      provider,
      (results as Json[]).map(({ rank, url }) => [rank, url]),
    ]),
    [
      [
        'q1',
        'wind?',
        'searxng',
        [
          [1, urls[0]],
          [2, urls[1]],
          [3, urls[2]],
        ],
      ],
      [
        'q2',
        'sun?',
        'searxng',
        [
          [1, urls[2]],
          [2, urls[3]],
        ],
      ],
    ],
  );
  const page = manifest.find(({ type, url }) => type === 'page' && url === urls[3]);
  assert.equal(page?.['status'], 200);
  assert.match(String(page?.['hash']), /^[0-9a-f]{64}$/u);
  assert.ok(!Number.isNaN(Date.parse(String(page?.['at']))));
  assert.ok(notes.includes('Searching: wind?') && notes.includes('4 pages fetched'));
});

test('a failing page is omitted with a reason, and the rest continues', async (t) => {
  const web = await twoQueries(t);
  web.pages['a.test/1'] = status(404);
  web.pages['b.test/'] = redirect('http://10.0.0.1/');
  const folder = temporaryFolder(t);
  const report = await fetchInto(web, folder);
  assert.equal(report.fetched, 2);
  assert.deepEqual(report.skipped.map(({ url, reason }) => [url, reason]).sort(), [
    [web.url('a.test/1'), 'status'],
    [web.url('b.test/'), 'url'],
  ]);
  assert.equal(readLines(folder, SNAPSHOT_MANIFEST).filter(({ type }) => type === 'skipped').length, 2);
});

test('results that must not be fetched are skipped without a request', async (t) => {
  const web = await twoQueries(t);
  web.pages['127.0.0.1/search'] = found(
    'http://10.0.0.1/',
    'ftp://a.test/',
    'no url',
    'http://u:p@a.test/',
    web.url('c.test/'),
  );
  const report = await fetchInto(web, temporaryFolder(t));
  assert.deepEqual(
    report.skipped.map(({ reason }) => reason),
    ['url', 'url', 'url', 'url'],
  );
  assert.equal(report.fetched, 1);
});

test('a page with the text of another is stored once', async (t) => {
  const web = await twoQueries(t);
  web.pages['a.test/2'] = html(article('wind'));
  const report = await fetchInto(web, temporaryFolder(t));
  assert.deepEqual(
    report.skipped.map(({ url, reason }) => [url, reason]),
    [[web.url('a.test/2'), 'duplicate']],
  );
});

test('a repeated run requests only what may have appeared since', async (t) => {
  const web = await twoQueries(t);
  web.pages['a.test/1'] = status(500);
  web.pages['a.test/2'] = status(404);
  const folder = temporaryFolder(t);
  await fetchInto(web, folder);
  web.requests.length = 0;
  web.pages['a.test/1'] = html(article('wind'));
  const report = await fetchInto(web, folder);
  assert.deepEqual(web.requests, ['a.test/robots.txt', 'a.test/1']);
  assert.deepEqual([report.fetched, report.kept, report.skipped.length, report.searchesKept], [1, 2, 1, 2]);
});

test('a cancelled run continues where it stopped, and ends like an uninterrupted one', async (t) => {
  const web = await twoQueries(t);
  const whole = await fetchInto(web, temporaryFolder(t));
  const folder = temporaryFolder(t);
  const controller = new AbortController();
  const { signal } = controller;
  const page: Page = html(article('sail'));
  web.pages['a.test/2'] = (response, request) => {
    controller.abort();
    page(response, request);
  };
  await assert.rejects(fetchInto(web, folder, { signal }), (error) => ParallaxError.is(error, 'cancelled'));
  const before = ids(folder).length;
  assert.ok(before > 0 && before < 4);
  web.requests.length = 0;
  web.pages['a.test/2'] = page;
  const resumed = await fetchInto(web, folder);
  assert.equal(resumed.fetched + before, 4);
  assert.equal(resumed.fingerprint, whole.fingerprint);
  assert.ok(!web.requests.includes('a.test/1'));
  assert.equal(ids(folder).length, 4);
});

test('leftovers of a crash are removed: half a line, a page without its line, and the reverse', async (t) => {
  const web = await twoQueries(t);
  const folder = temporaryFolder(t);
  const { fingerprint } = await fetchInto(web, folder);
  const corpus = path.join(folder, SNAPSHOT_PAGES);
  const manifest = path.join(folder, SNAPSHOT_MANIFEST);
  appendFileSync(corpus, '{"_id":"http://x.test/","title":"","text":"never acknowledged"}\n{"_id":"http://y');
  appendFileSync(manifest, '{"type":"page","url":"http://z');
  const after = await fetchInto(web, folder);
  assert.deepEqual([after.fetched, after.damaged, after.fingerprint], [0, 0, fingerprint]);
  assert.equal(ids(folder).length, 4);
  assert.ok(readLines(folder, SNAPSHOT_MANIFEST).length > 0);
  // A page that somebody edited is no longer what was fetched; one that is gone is fetched again.
  const [first, , ...rest] = readFileSync(corpus, 'utf8').trimEnd().split('\n');
  writeFileSync(corpus, [first!.replace(/\b(\w+)0 /u, 'edited '), ...rest, ''].join('\n'));
  const repaired = await fetchInto(web, folder);
  assert.deepEqual([repaired.fetched, repaired.damaged, repaired.fingerprint], [2, 2, fingerprint]);
  assert.equal(new Set(ids(folder)).size, 4);
});

test('nothing is appended to a line without an end', async (t) => {
  const web = await twoQueries(t);
  const folder = temporaryFolder(t);
  const { fingerprint } = await fetchInto(web, folder);
  const corpus = path.join(folder, SNAPSHOT_PAGES);
  writeFileSync(corpus, readFileSync(corpus, 'utf8').trimEnd());
  const repaired = await fetchInto(web, folder);
  assert.deepEqual([repaired.damaged, repaired.fetched, repaired.fingerprint], [1, 1, fingerprint]);
  assert.equal(new Set(ids(folder)).size, 4);
});

test('line separators of Unicode within a text are text', async (t) => {
  const web = await twoQueries(t);
  web.pages['c.test/'] = (response) =>
    response
      .writeHead(200, { 'content-type': 'text/plain; charset=utf-8' })
      .end('one\u2028two\u2029three\u0085four');
  const folder = temporaryFolder(t);
  await fetchInto(web, folder);
  assert.deepEqual([(await fetchInto(web, folder)).damaged, ids(folder).length], [0, 4]);
});

test('folders with other content are not changed', async (t) => {
  const web = await twoQueries(t);
  const folder = temporaryFolder(t);
  writeFileSync(path.join(folder, SNAPSHOT_PAGES), '{"_id":"mine","text":"my own corpus"}\n');
  await assert.rejects(fetchInto(web, folder), (error) => ParallaxError.is(error, 'bad-file'));
  assert.match(readFileSync(path.join(folder, SNAPSHOT_PAGES), 'utf8'), /my own corpus/u);
  const other = temporaryFolder(t);
  writeFileSync(path.join(other, SNAPSHOT_MANIFEST), '{"type":"snapshot","version":2}\n');
  await assert.rejects(fetchInto(web, other), /line 1: this is not the manifest/u);
  const file = path.join(other, 'file');
  writeFileSync(file, '');
  await assert.rejects(fetchInto(web, file), (error) => ParallaxError.is(error, 'bad-file'));
  assert.deepEqual(web.requests, []);
});

test('a failing search omits its query, and a refusing provider is not asked again', async (t) => {
  const web = await twoQueries(t);
  const search = web.pages['127.0.0.1/search']!;
  web.pages['127.0.0.1/search'] = (response, request) =>
    (request.url?.includes('sun') ? status(500) : search)(response, request);
  const failed = await fetchInto(web, temporaryFolder(t));
  assert.deepEqual([failed.fetched, failed.searchesFailed.map(({ query }) => query)], [3, ['q2']]);

  const folder = temporaryFolder(t);
  web.pages['127.0.0.1/search'] = (response, request) =>
    (request.url?.includes('sun') ? status(402) : search)(response, request);
  web.requests.length = 0;
  const queries = [...QUERIES, { id: 'q3', text: 'rain?' }];
  const refused = await fetchWebCorpus(requestFor(web, folder, { queries }), {}, web.options);
  assert.deepEqual([refused.fetched, refused.searchesFailed.map(({ query }) => query)], [3, ['q2', 'q3']]);
  assert.ok(!web.requests.some((place) => place.includes('rain')));

  web.pages['127.0.0.1/search'] = status(402);
  const nothing = fetchInto(web, temporaryFolder(t));
  await assert.rejects(nothing, (error) => ParallaxError.is(error, 'retriever-failed'));
});

/** All passages of a snapshot, as its index has them. */
async function passagesOf(t: TestContext, folder: string): Promise<[string, string, string][]> {
  const config = corpusSchema.parse({ roots: [folder] });
  const store = temporaryFolder(t);
  const index = await CorpusIndex.open(
    { name: 'web', base: path.dirname(folder), config, excludeGlobs: [], store },
    {
      embedder: () => {
        throw new Error('Nothing is embedded here.');
      },
      crossEncoders: undefined as never,
      externals: undefined as never,
      approximateAbove: Number.POSITIVE_INFINITY,
      log: () => undefined,
    },
  );
  try {
    await index.update({});
    assert.deepEqual(index.skipped, []);
    return readLines(folder, SNAPSHOT_PAGES).flatMap(({ _id }) =>
      index
        .passagesOf(String(_id))
        .map(({ id, documentId, text }): [string, string, string] => [id, documentId, text]),
    );
  } finally {
    await index.close();
  }
}

test('a snapshot is indexed as 100-word passages with URLs as documents, reproducibly', async (t) => {
  const web = await twoQueries(t);
  web.pages['c.test/'] = html(article('sun', 1000));
  const folder = path.join(temporaryFolder(t), '.parallax', 'web', 'mine');
  await fetchInto(web, folder);
  const passages = await passagesOf(t, folder);
  const sun = passages.filter(([, documentId]) => documentId === web.url('c.test/'));
  assert.ok(sun.length >= 10);
  for (const [, , text] of sun) assert.ok(text.split(/\s+/u).length <= 100);
  assert.equal(new Set(passages.map(([, documentId]) => documentId)).size, 4);
  web.requests.length = 0;
  assert.deepEqual(await passagesOf(t, folder), passages);
  assert.deepEqual(web.requests, []);
});

test('parallax web: a summary, and a corpus for parallax index and eval', async (t) => {
  const web = await twoQueries(t);
  web.pages['a.test/2'] = status(404);
  const folder = temporaryFolder(t);
  const queries = path.join(folder, 'queries.jsonl');
  const qrels = path.join(folder, 'qrels.txt');
  const out = path.join(folder, 'web');
  writeFileSync(
    queries,
    lines(QUERIES.map(({ id, text }) => ({ _id: id, text, perspectives: [{ id: 'p', text: 'x' }] }))),
  );
  writeFileSync(qrels, `q1 p ${web.url('a.test/1')} 1\n`);
  const argv = [
    '--queries',
    queries,
    '--provider',
    'searxng',
    '--url',
    `http://127.0.0.1:${web.port}`,
    '--out',
    out,
  ];
  const command: typeof indexCommand = (given, io) => webCommand(given, io, web.options);
  const ran = await run(command, ...argv);
  assert.equal(ran.code, 0);
  assert.match(ran.stderr, /Up to 4 searches, 40 pages/u);
  assert.match(ran.stdout, /2 questions \(0 searched for earlier, 0 failed\), 4 pages found\.\n3 fetched/u);
  assert.match(ran.stdout, /skipped +pages\n─+\nstatus +1\n/u);
  const again = await runJson<WebReport>(command, ...argv);
  assert.deepEqual([again.fetched, again.kept], [0, 3]);
  const indexed = await run(indexCommand, out, '--store', path.join(folder, 'store'));
  assert.match(indexed.stdout, /^3 documents/u);
  const scores = await runJson<{ pipelines: { metrics: Record<string, number> }[] }>(
    evalCommand,
    ...[
      '--corpus',
      out,
      '--queries',
      queries,
      '--qrels',
      qrels,
      '--pipeline',
      '{"retriever":{"type":"bm25"}}',
    ],
  );
  assert.ok('MRecall@5' in scores.pipelines[0]!.metrics);
});

test('parallax web: wrong options, and a failed search', async (t) => {
  const web = await twoQueries(t);
  const folder = temporaryFolder(t);
  const command: typeof indexCommand = (given, io) => webCommand(given, io, web.options);
  const url = `http://127.0.0.1:${web.port}`;
  const good = ['--query', 'wind?', '--provider', 'searxng', '--out', path.join(folder, 'o')];
  await assert.rejects(run(command, ...good), /--url: .*SearXNG needs the address of a server/u);
  await assert.rejects(run(command, ...good, '--url', 'nonsense'), /--url/u);
  await assert.rejects(run(command, ...good, '--url', url, '--results', '0'), /--results/u);
  await assert.rejects(run(command, ...good, '--url', url, '--provider', 'bing'), /--provider/u);
  await assert.rejects(run(command, ...good, '--url', url, '--queries', 'x'), /not both/u);
  await assert.rejects(
    run(command, '--provider', 'searxng', '--url', url, '--out', folder),
    /--queries is missing/u,
  );
  assert.equal(existsSync(path.join(folder, 'o')), false);
  assert.equal((await run(command, ...good, '--url', url)).code, 0);
  web.pages['127.0.0.1/search'] = status(500);
  mkdirSync(path.join(folder, 'p'));
  const failed = await run(command, ...good.slice(0, -1), path.join(folder, 'p'), '--url', url);
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /q1: SearXNG answered 500/u);
});
