/** Expansions with passages that a model writes: its requests, and the searches. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parsePipeline, type PipelineInput } from '../../../src/core/pipeline.ts';
import { runPipeline } from '../../../src/engine/retrieval/run-pipeline.ts';
import type { ChatReply, ChatRequest } from '../../fixtures/model-server.ts';
import { openBench, type Bench } from './support.ts';

const TEXTS = [
  'Trams are quiet and carry many people.',
  'Rails are dear to lay and dear to mend.',
  'A recipe for bread with seeds.',
  'Buses stand in the same jam as cars.',
];
const QUESTION = 'Should the city build trams?';
const DENSE = { retriever: { type: 'dense', embedder: 'hashing' } } as const;

/** As many different passages as requested. */
function writes({ messages }: ChatRequest): ChatReply {
  const number = /passage (\d) of/u.exec(messages.at(-1)!.content)?.[1] ?? '1';
  return { text: number === '1' ? 'Trams carry people quietly.' : 'Rails are dear to mend.' };
}

/** Ids of the passages, best first, and their scores. */
async function found({ corpus, services }: Bench, pipeline: PipelineInput): Promise<Map<number, number>> {
  const query = { text: QUESTION, perspectives: [] };
  const { hits } = await runPipeline(corpus.searches, services, parsePipeline(pipeline), query, 4);
  return new Map(hits.map(({ item, score }) => [item, score]));
}

describe('HyDE', () => {
  test('searches by the mean vector of its passages, optionally with the question', async (t) => {
    const bench = await openBench(t, TEXTS, writes);
    const scoresOf = async (text: string): Promise<Map<number, number>> => {
      const { hits } = await bench.corpus.searches.dense(
        { queries: [], passages: [text] },
        { type: 'dense', embedder: 'hashing', search: 'exact', ef: 100 },
        4,
        {},
      );
      return new Map(hits.map(({ item, score }) => [item, score]));
    };
    const alone = await Promise.all(
      ['Trams carry people quietly.', 'Rails are dear to mend.', QUESTION].map(scoresOf),
    );
    const wanted = (item: number, count: number): number =>
      alone.slice(0, count).reduce((sum, scores) => sum + scores.get(item)!, 0) / count;

    const two = await found(bench, { ...DENSE, expansion: { type: 'hyde', passages: 2 } });
    assert.equal(bench.server.chatRequests.length, 2);
    for (const [item, score] of two) assert.ok(Math.abs(score - wanted(item, 2)) < 1e-6);
    const three = await found(bench, { ...DENSE, expansion: { type: 'hyde', passages: 2, withQuery: true } });
    assert.equal(bench.server.chatRequests.length, 2, 'the passages are there');
    for (const [item, score] of three) assert.ok(Math.abs(score - wanted(item, 3)) < 1e-6);
  });

  test('with one passage equals the former search', async (t) => {
    const bench = await openBench(t, TEXTS, writes);
    const hyde = await found(bench, { ...DENSE, expansion: { type: 'hyde' } });
    const { hits } = await bench.corpus.searches.dense(
      'Trams carry people quietly.',
      { type: 'dense', embedder: 'hashing', search: 'exact', ef: 100 },
      4,
      {},
    );
    assert.deepEqual(
      [...hyde],
      hits.map(({ item, score }) => [item, score]),
    );
  });
});

test('MuGI searches by words and by vectors, each in a different way', async (t) => {
  const bench = await openBench(t, TEXTS, writes);
  const mugi = { type: 'mugi', passages: 2 } as const;
  const words = await found(bench, { retriever: { type: 'bm25' }, expansion: mugi });
  assert.equal(bench.server.chatRequests.length, 2);
  assert.ok(words.size >= 2, 'what either passage speaks of is found');
  const fused = await found(bench, {
    retriever: { type: 'hybrid', retrievers: [{ type: 'bm25' }, { type: 'dense', embedder: 'hashing' }] },
    expansion: mugi,
  });
  assert.equal(fused.size, 4);
  assert.equal(bench.server.chatRequests.length, 2);
});

test('a model may choose the number of perspectives, up to sixteen', async (t) => {
  const proposed = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`n${at}`, `Statement ${at}.`]));
  const bench = await openBench(t, TEXTS, () => ({ text: JSON.stringify(proposed) }));
  const from = { perspectives: 'model', count: 'auto' } as const;
  assert.equal((await bench.services.propose(QUESTION, from, {})).length, 16);
  assert.equal((await bench.services.propose(QUESTION, { ...from, count: 4 }, {})).length, 4);
  assert.equal(bench.server.chatRequests.length, 2, 'one is not remembered as the other');
});
