import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import { mRecall } from '../../../src/core/metrics/coverage-measures.ts';
import { coverageRerank } from '../../../src/core/rerank/coverage.ts';
import { Bm25Index } from '../../../src/engine/bm25/bm25-index.ts';
import '../../fixtures/built.ts';

const DATA = '../shared/data/debate';
const skip = existsSync(DATA) ? false : 'cannot run here: ../shared/data is absent';
const PARAMS = { k1: 0.9, b: 0.4, variant: 'lucene', epsilon: 0.25 } as const;
const CANDIDATES = 100;
const K = 5;

interface Claim {
  readonly _id: string;
  readonly text: string;
}

/** Claim → side → passages written on that side of the debate. */
type Sides = Map<string, Map<string, Map<string, number>>>;

let claims: Claim[];
let sides: Sides;
/** Claim → its candidates. */
let candidates: Map<string, string[]>;

before(async () => {
  if (skip) return;
  const lines = async <T>(file: string): Promise<T[]> =>
    (await readFile(`${DATA}/${file}`, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as T);
  claims = await lines<Claim>('queries.jsonl');
  sides = new Map(
    claims.map(({ _id }) => [
      _id,
      new Map([
        ['support', new Map()],
        ['oppose', new Map()],
      ]),
    ]),
  );
  for (const line of (await readFile(`${DATA}/qrels.diversity.txt`, 'utf8')).trim().split('\n')) {
    const [claim, side, passage, relevance] = line.split(' ');
    sides.get(claim!)!.get(side!)!.set(passage!, Number(relevance));
  }
  const corpus = await lines<Claim>('corpus.jsonl');
  const { index } = await Bm25Index.open(undefined, 'english');
  corpus.forEach(({ text }, slot) => index.add(slot, text));
  await index.flush();
  const live = { count: corpus.length, has: () => true };
  candidates = new Map(
    claims.map(({ _id, text }) => [
      _id,
      index.search(text, PARAMS, CANDIDATES, live).map(({ item }) => corpus[item]!._id),
    ]),
  );
});

/** Reranks a claim's candidates with the gold labels as the judge. */
function withGoldLabels(claim: string, calls?: number): { ranking: string[]; calls: number } {
  const passages = candidates.get(claim)!;
  const gold = [...sides.get(claim)!.values()];
  const steps = coverageRerank({ candidates: passages.length, perspectives: gold.length, calls });
  let step = steps.next([]);
  while (!step.done)
    step = steps.next(
      step.value.map(({ candidate, perspective }) =>
        gold[perspective]!.has(passages[candidate]!) ? 'yes' : 'no',
      ),
    );
  return { ranking: step.value.order.map((position) => passages[position]!), calls: step.value.calls };
}

const percent = (successes: readonly number[]): number =>
  (100 * successes.reduce((a, b) => a + b, 0)) / successes.length;

test(
  'debate: with gold labels as judge, MRecall@5 reaches the ceiling of the 100 candidates',
  { skip },
  () => {
    const reached = claims.map(({ _id }) => mRecall(withGoldLabels(_id).ranking, sides.get(_id)!, K));
    const possible = claims.map(({ _id }) =>
      [...sides.get(_id)!.values()].every((side) => candidates.get(_id)!.some((passage) => side.has(passage)))
        ? 1
        : 0,
    );
    assert.equal(claims.length, 178);
    assert.deepEqual(reached, possible);
    assert.ok(percent(reached) >= 92 && percent(reached) <= 95, `${percent(reached)}`);
  },
);

test('debate: more calls never cover less, and none keep the order', { skip }, () => {
  const share = (calls: number): number =>
    percent(claims.map(({ _id }) => mRecall(withGoldLabels(_id, calls).ranking, sides.get(_id)!, K)));
  const shares = [0, 5, 10, 20, 50, 200].map(share);
  assert.deepEqual(
    shares,
    shares.toSorted((a, b) => a - b),
  );
  assert.equal(
    shares[0],
    percent(claims.map(({ _id }) => mRecall(candidates.get(_id)!, sides.get(_id)!, K))),
  );
});
