/** Checks that a store finds what the embedded index finds, on the debate data. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
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

/** The servers add in another order and return distances in single precision. */
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

// Exact for PAP too: only the query is projected, and the store ranks by cosine.
const PROJECTED: Partial<PipelineInput> = {
  projection: { method: 'pap' },
  rerank: [{ type: 'mmr', lambda: 0.5, embedder: 'hashing' }],
};

interface Debate {
  readonly engine: Engine;
  readonly passages: readonly Loaded[];
  /** All questions without a projection, and some with PAP and MMR, with the results of the embedded index. */
  readonly plain: readonly Answered[];
  readonly projected: readonly Answered[];
}

interface Answered {
  readonly query: Query;
  readonly ours: readonly { id: string; score: number }[];
}

async function askDebate(): Promise<Debate> {
  const corpus = debateLines('corpus.jsonl').map(({ _id: id, text }) => ({ id, text }));
  const queries = debateLines('queries.jsonl');
  const engine = await openEngine({ after: (close) => closings.push(close) }, corpus);
  const answered = async (query: Query, rest: Partial<PipelineInput>): Promise<Answered> => ({
    query,
    ours: await top(engine, { ...DENSE, ...rest }, query),
  });
  const [plain, projected]: [Answered[], Answered[]] = [[], []];
  for (const query of queries) plain.push(await answered(query, {}));
  for (const query of queries.slice(0, PROJECTED_QUESTIONS)) projected.push(await answered(query, PROJECTED));
  return { engine, passages: await embedded(corpus), plain, projected };
}

/** Shared by all stores of a file, so it must not be closed with the first test. */
let debate: Promise<Debate> | undefined;
const closings: (() => Promise<void>)[] = [];
after(() => Promise.all(closings.map((close) => close())));

/** The number of questions for a scripted store, which works the same for each question. */
export const OF_A_SCRIPT = 20;
const OF_A_SERVER = 60;
const PROJECTED_QUESTIONS = 8;

/** @param load fills the store and returns its settings @param questions the number of plain questions */
export async function assertAgreement(
  load: (passages: readonly Loaded[]) => Promise<object>,
  questions = OF_A_SERVER,
): Promise<void> {
  const { engine, passages, plain, projected } = await (debate ??= askDebate());
  const spec = await load(passages);
  for (const { query, ours } of plain.slice(0, questions))
    assertSameTop(ours, await top(engine, onStore(spec), query), query.text);
  for (const { query, ours } of projected) {
    const theirs = await top(engine, onStore(spec, PROJECTED), query);
    assert.deepEqual(
      theirs.map(({ id }) => id),
      ours.map(({ id }) => id),
      query.text,
    );
  }
}
