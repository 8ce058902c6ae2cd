/** Annotated perspectives compared with extracted ones, with a scripted model on loopback. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { parsePirTask } from '../../../src/core/formats/pir.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { compareExtraction } from '../../../src/features/papers/engine/pir/extraction-comparison.ts';
import type { ChatRequest } from '../../fixtures/model-server.ts';
import { openBench } from '../retrieval/support.ts';

const TASK = parsePirTask(
  JSON.stringify({
    corpus: ['workers ride trams home', 'neighbours hear trams', 'cats sleep', 'dogs bark at the moon'],
    queries: ['trams for workers', 'trams for neighbours', 'pets that sleep', 'pets that bark'],
    source_queries: ['trams', 'trams', 'pets', 'pets'],
    perspectives: ['for workers', 'for neighbours', 'that sleep', 'that bark'],
    query_labels: ['a', 'b', 'a', 'b'],
    key_ref: { 0: [0], 1: [1], 2: [2], 3: [3] },
  }),
  'task',
);
const PIPELINE = parsePipeline({ retriever: { type: 'dense' }, projection: {}, k: 1 });
const BM25 = parsePipeline({ retriever: { type: 'bm25' }, k: 1 });

/** The fenced query of a prompt. */
const queryOf = ({ messages }: ChatRequest): string => /<query-\w+>\n(.*)\n/u.exec(messages[1]!.content)![1]!;
const annotatedSplit = (query: string): string => {
  const found = TASK.queries.find(({ text }) => text === query)!;
  return JSON.stringify({ root: found.root, perspective: found.perspective });
};

test('a model that extracts the annotation agrees fully and loses nothing', async (t) => {
  const { corpus, services, server } = await openBench(
    t,
    TASK.corpus.map(({ text }) => text),
    (request) => ({ text: annotatedSplit(queryOf(request)) }),
  );
  const progress: number[] = [];
  const compared = await compareExtraction(TASK, PIPELINE, { corpus, services, model: 'local' }, 1, {
    onProgress: ({ done, total }) => progress.push(done / total!),
  });
  assert.deepEqual(compared.agreement, { tokenF1: 1, intersectionOverUnion: 1 });
  assert.deepEqual(compared.extracted, compared.annotated);
  assert.deepEqual(compared.unsplit, []);
  assert.equal(compared.queries, 4);
  assert.equal(server.chatRequests.length, 4);
  assert.equal(progress.at(-1), 1);
});

test('unreadable or missing extractions search the query unchanged, are listed, and do not agree', async (t) => {
  const { corpus, services } = await openBench(
    t,
    TASK.corpus.map(({ text }) => text),
    (request) => {
      const query = queryOf(request);
      if (query === 'trams for workers') return { text: 'Sorry?' };
      if (query === 'pets that bark') return { text: '{"root": "pets that bark", "perspective": null}' };
      if (query === 'pets that sleep') return { text: '{"root": "pets", "perspective": "that"}' };
      return { text: annotatedSplit(query) };
    },
  );
  const { agreement, unsplit, extracted, annotated } = await compareExtraction(
    TASK,
    BM25,
    { corpus, services },
    1,
  );
  assert.deepEqual(
    unsplit.map(({ queryId }) => queryId),
    ['0', '3'],
  );
  assert.match(unsplit[0]!.reason, /"trams for workers"/u);
  assert.match(unsplit[1]!.reason, /nothing narrows/u);
  // "that" of "that sleep": F1 2/3, intersection over union 1/2. One agrees fully, two do not at all.
  assert.ok(Math.abs(agreement.tokenF1 - (2 / 3 + 1) / 4) < 1e-12);
  assert.equal(agreement.intersectionOverUnion, (1 / 2 + 1) / 4);
  assert.equal(annotated.recall, 1);
  assert.equal(extracted.recall, 3 / 4, 'without "sleep" the cats are not found');
  assert.equal(extracted.pRecall, 3 / 4);
});

test('without a reachable model nothing is compared', async (t) => {
  const { corpus, services } = await openBench(t, ['a'], () => ({ fault: 'status', status: 401 }));
  await assert.rejects(
    compareExtraction(TASK, BM25, { corpus, services }, 1),
    (error) => ParallaxError.is(error) && error.id !== 'model-answer',
  );
});

test('the comparison can be cancelled', async (t) => {
  const { corpus, services } = await openBench(t, ['a'], (request) => ({
    text: annotatedSplit(queryOf(request)),
  }));
  await assert.rejects(
    compareExtraction(TASK, BM25, { corpus, services }, 1, { signal: AbortSignal.abort() }),
    (error) => ParallaxError.is(error, 'cancelled'),
  );
});

const STORY = '../shared/data/pir/story.json';
test(
  'on a real task, with a model that finds only the first word of every perspective',
  { skip: existsSync(STORY) ? false : 'cannot run here: ../shared/data is absent' },
  async (t) => {
    const task = parsePirTask(await readFile(STORY, 'utf8'), 'story');
    const bySplit = new Map(task.queries.map((query) => [query.text.replace(/\s+/gu, ' '), query]));
    const { corpus, services } = await openBench(
      t,
      task.corpus.map(({ text }) => text),
      (request) => {
        const query = bySplit.get(queryOf(request).replace(/\s+/gu, ' '));
        return { text: JSON.stringify({ root: query?.root, perspective: query?.perspective.split(' ')[0] }) };
      },
    );
    const compared = await compareExtraction(task, PIPELINE, { corpus, services }, 5);
    assert.equal(compared.queries, 100);
    assert.equal(compared.extracted.queries, 100);
    assert.ok(compared.agreement.tokenF1 > 0 && compared.agreement.tokenF1 < 1);
    assert.ok(compared.agreement.intersectionOverUnion < compared.agreement.tokenF1);
  },
);
