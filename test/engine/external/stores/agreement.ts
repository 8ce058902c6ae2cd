/** Whether a store finds what the embedded index finds, on the debate data. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { parsePipeline, type PipelineInput } from '../../../../src/core/pipeline.ts';
import type { Engine } from '../../../../src/engine/engine.ts';
import type { Loaded } from '../../../fixtures/stores/loading.ts';
import { context, debateLines, embedded, openEngine, storeSpec } from './support.ts';

const DENSE: PipelineInput = { retriever: { type: 'dense', embedder: 'hashing', search: 'exact' }, k: 5 };
export const onStore = (spec: object, rest: object = {}): PipelineInput => ({
  ...DENSE,
  ...rest,
  retriever: storeSpec(spec),
});

type Query = Pick<ReturnType<typeof debateLines>[number], 'text' | 'perspectives'>;

export async function top(
  engine: Engine,
  input: PipelineInput,
  { text, perspectives = [] }: Query,
): Promise<{ id: string; score: number }[]> {
  const pipeline = parsePipeline(input);
  const { candidates, matches } = await engine.search(
    { corpus: 'docs', query: { text }, perspectives: [...perspectives], pipeline },
    context,
  );
  if (matches) assert.equal(matches.foreign, 0);
  return candidates.slice(0, pipeline.k).map(({ id, score }) => ({ id, score }));
}

/** The servers add up in another order, and give distances in single precision. */
const SAME_SCORE = 1e-5;

/** Passages with the same score may come in any order, and any of them at the end of the list. */
function assertSameTop(
  ours: readonly { id: string; score: number }[],
  theirs: readonly { id: string; score: number }[],
  query: string,
): void {
  assert.equal(theirs.length, ours.length, query);
  for (const [place, { score }] of ours.entries())
    assert.ok(Math.abs(theirs[place]!.score - score) < SAME_SCORE, `${query}, rank ${place + 1}`);
  const bar = ours.at(-1)!.score + SAME_SCORE;
  const certain = (list: typeof ours): string[] =>
    list.flatMap(({ id, score }) => (score > bar ? [id] : [])).toSorted();
  assert.deepEqual(certain(theirs), certain(ours), query);
}

/**
 * Asks all questions plainly, and some with PAP and MMR, of both.
 *
 * @param load fills the store, and says how it is asked
 */
export async function assertAgreement(
  t: TestContext,
  load: (passages: readonly Loaded[]) => Promise<object>,
): Promise<void> {
  const corpus = debateLines('corpus.jsonl').map(({ _id: id, text }) => ({ id, text }));
  const queries = debateLines('queries.jsonl');
  const engine = await openEngine(t, corpus);
  const spec = await load(await embedded(corpus));
  for (const query of queries)
    assertSameTop(await top(engine, DENSE, query), await top(engine, onStore(spec), query), query.text);
  // Exact for PAP too: only the query is projected, and the store ranks by cosine.
  const rest: Partial<PipelineInput> = {
    projection: { method: 'pap' },
    rerank: [{ type: 'mmr', lambda: 0.5 }],
  };
  for (const query of queries.slice(0, 20)) {
    const ours = await top(engine, { ...DENSE, ...rest }, query);
    const theirs = await top(engine, onStore(spec, rest), query);
    assert.deepEqual(
      theirs.map(({ id }) => id),
      ours.map(({ id }) => id),
      query.text,
    );
  }
}
