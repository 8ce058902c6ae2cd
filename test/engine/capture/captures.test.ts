import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { EngineClient } from '../../../src/extension/engine-process/engine-client.ts';
import { Captures } from '../../../src/features/capture/engine/captures.ts';
import { KeptRetrievals } from '../../../src/features/capture/engine/kept-retrievals.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import type { Params, Result } from '../../../src/shared/rpc.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { answers, DOCS, send, setUp, until } from './support.ts';

const TRAMS: Params<'captured'>['queries'][number] = {
  id: 'trams',
  text: 'Should the trams run at night?',
  perspectives: [
    { id: 'home', text: 'Night trams bring workers home.', stance: 'support' },
    { id: 'noise', text: 'Night trams wake people who live beside the tracks.' },
  ],
};

interface Capturing {
  readonly url: string;
  /** The number of announced retrievals. */
  readonly announced: () => number;
  readonly ended: Promise<unknown>;
  stop(): Promise<unknown>;
}

async function capture(client: EngineClient): Promise<Capturing> {
  const controller = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let announced = 0;
  const ended = client.request(
    'capture',
    { keep: 'newest' },
    {
      signal: controller.signal,
      onNote: (note) => {
        if (note.type === 'capturing') resolve(note.url);
        if (note.type === 'captured') announced++;
      },
    },
  );
  ended.catch(reject);
  return {
    url: await promise,
    announced: () => announced,
    ended,
    stop: () => {
      controller.abort();
      return ended;
    },
  };
}

function listed(client: EngineClient, judge = 'labels', queries = [TRAMS]): Promise<Result<'captured'>> {
  return client.request('captured', { corpus: 'docs', judge, queries });
}

async function indexed(client: EngineClient): Promise<void> {
  await client.request('index', { corpus: 'docs', rebuild: false });
}

test('retrievals are recognised, matched to their question, and listed newest first', async (t) => {
  const { client } = setUp(t);
  await indexed(client);
  const capturing = await capture(client);
  await send(capturing.url, [
    {
      query: '  SHOULD the trams run\nat night? ',
      documents: [
        { id: 'docs/night.md' },
        { text: DOCS['noise.md'] },
        { text: `${DOCS['noise.md']} Really.` },
        { text: 'Something that no document of the corpus says.' },
        { id: 'gone' },
      ],
      attributes: { 'code.filepath': '/app/rag.py', 'code.lineno': 12 },
    },
    { query: 'Why?' },
  ]);
  await until(() => (capturing.announced() === 2 ? true : undefined), 'the retrievals were not announced');
  const { indexed: isIndexed, runs } = await listed(client);
  assert.equal(isIndexed, true);
  assert.deepEqual(
    runs.map(({ query, k }) => [query, k]),
    [
      ['Why?', 0],
      ['  SHOULD the trams run\nat night? ', 5],
    ],
  );
  const [unknown, run] = runs;
  assert.deepEqual(unknown?.perspectives, []);
  assert.equal(unknown?.figures, undefined);
  assert.deepEqual(run?.matches, { id: 1, text: 1, fuzzy: 1, foreign: 2 });
  assert.deepEqual(run.asked, { id: 'trams', text: TRAMS.text });
  assert.deepEqual(run.perspectives, TRAMS.perspectives);
  assert.deepEqual(run.code, { file: '/app/rag.py', line: 12 });
  assert.equal(run.scope, 'openinference.instrumentation.langchain');
  // Equal and similar texts are the same passage, at its better rank; k stays the number of results.
  assert.deepEqual(
    run.passages.map(({ documentId, recognised, excerpt }) => [
      recognised ? documentId : 'foreign',
      excerpt.split(' ', 2).join(' '),
    ]),
    [
      ['docs/night.md', 'Night trams'],
      ['docs/noise.md', 'Night trams'],
      ['foreign', 'Something that'],
      ['foreign', ''],
    ],
  );
  assert.deepEqual(run.figures, {
    k: 5,
    mrecall: { bound: 'least', value: 0, most: 1 },
    precision: { bound: 'least', value: 0, most: 0.8 },
    covered: { bound: 'least', value: 0, most: 2 },
    judgedPairs: 0,
    pairs: 8,
  });
  await capturing.stop();
});

test('figures use verdicts of people and the judge only', async (t) => {
  const { client } = setUp(t);
  await indexed(client);
  const capturing = await capture(client);
  const documents = [{ id: 'docs/night.md' }, { text: DOCS['noise.md'] }];
  await send(capturing.url, [{ query: TRAMS.text, documents }]);
  const figures = async (judge?: string) => (await listed(client, judge)).runs[0]?.figures;
  assert.equal((await figures())?.judgedPairs, 0);
  assert.equal((await figures('vscode'))?.judgedPairs, 0, 'nobody was asked yet');
  assert.equal((await figures('lexical'))?.judgedPairs, 0, 'guesses are no judgements');
  const [run] = (await listed(client)).runs;
  const slots = run!.passages.map(({ slot }) => slot);
  const { perspectives } = TRAMS;
  const report = await client.request('judge', {
    corpus: 'docs',
    judge: 'vscode',
    query: run!.asked,
    perspectives,
    slots,
  });
  assert.equal(report.answered, 4);
  assert.equal((await figures('vscode'))?.judgedPairs, 4);
  assert.equal((await figures())?.judgedPairs, 0, 'the model is not a person');
  for (const [place, perspective] of perspectives.entries())
    await client.request('label', {
      corpus: 'docs',
      slot: slots[place]!,
      query: run!.asked,
      perspective,
      verdict: 'yes' as const,
      by: 'ada',
    });
  assert.deepEqual(await figures(), {
    k: 2,
    mrecall: { bound: 'exact', value: 1 },
    precision: { bound: 'exact', value: 1 },
    covered: { bound: 'exact', value: 2 },
    judgedPairs: 2,
    pairs: 4,
  });
  await capturing.stop();
});

test('stopping closes the port, and every start has another token', async (t) => {
  const { client } = setUp(t);
  const first = await capture(client);
  assert.equal(await answers(first.url), true);
  assert.deepEqual(await first.stop(), {});
  assert.equal(await answers(first.url), false);
  const second = await capture(client);
  const tokenOf = (url: string): string => new URL(url).pathname.split('/')[1]!;
  assert.notEqual(tokenOf(first.url), tokenOf(second.url));
  const withOldToken = second.url.replace(tokenOf(second.url), tokenOf(first.url));
  assert.equal((await fetch(withOldToken, { method: 'POST' })).status, 401);
  assert.equal((await listed(client)).runs.length, 0);
  await second.stop();
});

test('a captured retrieval outlives its receiver until it is deleted', async (t) => {
  const { client } = setUp(t);
  const capturing = await capture(client);
  await send(capturing.url, [{ query: 'Why?' }]);
  await capturing.stop();
  assert.equal((await listed(client)).runs.length, 1);
  await client.request('forgetCaptured', {});
  assert.deepEqual((await listed(client)).runs, []);
});

test('what a program returned is a pipeline that returns the same passages', async (t) => {
  const { client, folder } = setUp(t);
  await indexed(client);
  const capturing = await capture(client);
  const documents = [{ text: 'Outside of the corpus.' }, { id: 'docs/noise.md' }];
  await send(capturing.url, [{ query: TRAMS.text, documents }]);
  await capturing.stop();
  const [run] = (await listed(client)).runs;
  const file = path.join(folder, 'shown', 'captured.jsonl');
  await client.request('writeCaptured', { id: run!.id, question: TRAMS.text, file });
  const { candidates } = await client.request('search', {
    corpus: 'docs',
    query: { id: TRAMS.id!, text: TRAMS.text },
    perspectives: [...TRAMS.perspectives],
    pipeline: parsePipeline({ retriever: { type: 'run', file }, k: 2 }),
  });
  assert.deepEqual(
    candidates.map(({ slot }) => slot),
    run!.passages.map(({ slot }) => slot),
  );
  await assert.rejects(client.request('writeCaptured', { id: 'gone', question: TRAMS.text, file }), (error) =>
    ParallaxError.is(error, 'not-found'),
  );
});

test('captured retrievals and their passages outlive the window until they are deleted', async (t) => {
  const { client, reload } = setUp(t);
  await indexed(client);
  const capturing = await capture(client);
  await send(capturing.url, [{ query: TRAMS.text, documents: [{ id: 'docs/night.md' }] }, { query: 'Why?' }]);
  await until(() => (capturing.announced() === 2 ? true : undefined), 'the retrievals were not announced');
  const { runs: before } = await listed(client);
  const ended = capturing.ended.catch(() => undefined);
  const next = reload();
  await ended;
  assert.deepEqual((await listed(next)).runs, before);
  // New ones are added.
  const again = await capture(next);
  await send(again.url, [{ query: 'Who?' }]);
  await until(() => (again.announced() === 1 ? true : undefined), 'the retrieval was not announced');
  await again.stop();
  const queries = async (client: EngineClient) => (await listed(client)).runs.map(({ query }) => query);
  assert.deepEqual(await queries(next), ['Who?', 'Why?', TRAMS.text]);
  await next.request('forgetCaptured', {});
  assert.deepEqual(await queries(reload()), []);
});

test('a torn line of stored retrievals is omitted, and a failed write reported', async (t) => {
  const file = path.join(temporaryFolder(t), 'captured.jsonl');
  const logged: string[] = [];
  const kept = new KeptRetrievals(file, (message) => void logged.push(message));
  assert.deepEqual([await kept.read(), logged], [{ retrievals: [], questions: [] }, []]);
  const about = { name: 'n', service: 's', scope: 'c', at: 1, step: 'retriever', results: [] } as const;
  const [a, b] = ['a', 'b'].map((id) => ({ ...about, id, query: id }));
  kept.add(a!, [a!]);
  appendFileSync(file, '{"id":"torn\n{"id":7}\n');
  kept.add(b!, [a!, b!]);
  kept.addQuestion({ run: 'a', question: 'Why?' });
  assert.deepEqual(await kept.read(), {
    retrievals: [a, b],
    questions: [{ run: 'a', question: 'Why?' }],
  });
  kept.replace([b!]);
  assert.deepEqual(await kept.read(), { retrievals: [b], questions: [] });
  kept.forget();
  assert.deepEqual([await kept.read(), logged], [{ retrievals: [], questions: [] }, []]);
  new KeptRetrievals(path.dirname(file), (message) => void logged.push(message)).add(a!, [a!]);
  assert.match(logged.join(), /^Captured retrievals cannot be kept in /u);
});

test('passages are recognised once the corpus is indexed', async (t) => {
  const { client } = setUp(t);
  const capturing = await capture(client);
  await send(capturing.url, [{ query: 'Why?', documents: [{ text: DOCS['night.md'] }] }]);
  const before = await listed(client);
  assert.equal(before.indexed, false);
  assert.deepEqual(before.runs[0]?.matches, { id: 0, text: 0, fuzzy: 0, foreign: 1 });
  await indexed(client);
  const after = await listed(client);
  assert.equal(after.indexed, true);
  assert.deepEqual(after.runs[0]?.matches, { id: 0, text: 1, fuzzy: 0, foreign: 0 });
  await capturing.stop();
});

test('the newest 200 are kept', async (t) => {
  const { client } = setUp(t);
  const capturing = await capture(client);
  await send(
    capturing.url,
    Array.from({ length: 205 }, (_, n) => ({ query: `q${n}` })),
  );
  await until(() => (capturing.announced() === 205 ? true : undefined), 'not all were announced');
  const { runs } = await listed(client);
  assert.equal(runs.length, 200);
  assert.deepEqual([runs[0]?.query, runs.at(-1)?.query], ['q204', 'q5']);
  const after = async (id: string): Promise<string[]> => {
    const params = { corpus: 'docs', judge: 'labels', queries: [], after: id };
    return (await client.request('captured', params)).runs.map(({ query }) => query);
  };
  assert.deepEqual(await after(runs[2]!.id), ['q204', 'q203']);
  assert.deepEqual(await after(runs[0]!.id), []);
  assert.equal((await after('forgotten')).length, 200);
  await capturing.stop();
});

test('nothing is captured in an untrusted workspace, or twice at a time', async (t) => {
  const isError = (id: string) => (error: unknown) => ParallaxError.is(error) && error.id === id;
  await assert.rejects(capture(setUp(t, { trusted: false }).client), isError('untrusted'));
  const { client } = setUp(t);
  const capturing = await capture(client);
  await assert.rejects(capture(client), isError('bad-argument'));
  assert.equal(await answers(capturing.url), true);
  await capturing.stop();
});

test('the port closes with the engine, and with the window', async (t) => {
  const { client } = setUp(t);
  const capturing = await capture(client);
  client.stop();
  await assert.rejects(capturing.ended, (error) => ParallaxError.is(error, 'engine-stopped'));
  await until(async () => ((await answers(capturing.url)) ? undefined : true), 'the port stays open');
});

test('the token is never logged, whatever is sent', async (t) => {
  const { client, log } = setUp(t);
  const capturing = await capture(client);
  const token = new URL(capturing.url).pathname.split('/')[1]!;
  await send(capturing.url, [{ query: 'Why?' }]);
  const headers = { 'content-type': 'application/json' };
  for (const body of ['{', '{"resourceSpans": 4}'])
    await fetch(capturing.url, { method: 'POST', headers, body });
  await fetch(`${capturing.url}x`, { method: 'POST' });
  await assert.rejects(client.request('captured', { corpus: 'none', judge: 'labels', queries: [] }));
  await capturing.stop();
  assert.ok(
    log.some((line) => /could not be read/u.test(line)),
    log.join('\n'),
  );
  assert.ok(log.every((line) => !line.includes(token)));
});

test('everything that is kept of a retrieval counts, not only its texts', () => {
  const captures = new Captures(() => undefined);
  for (let at = 0; at < 3; at++)
    captures.add(
      {
        id: `t:${at}`,
        name: '',
        service: '',
        scope: '',
        at,
        step: 'retriever',
        query: 'why?',
        results: [{ id: 'x'.repeat(16_000_000) }],
      },
      'newest',
    );
  const { retrievals, forgotten } = captures.take();
  assert.deepEqual([retrievals.map(({ id }) => id), forgotten], [['t:1', 't:2'], 1]);
});
