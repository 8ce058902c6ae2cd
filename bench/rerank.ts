/**
 * MMR against the definition taken literally, on the same candidates in the same run, and the what-if slider.
 *
 *     node bench/rerank.ts [--json]
 */
import { parseArgs } from 'node:util';
import { mmr, MmrWhatIf } from '../src/core/rerank/mmr.ts';
import { similarityMatrix } from '../src/core/rerank/similarity.ts';
import { seededRandom, type Random } from './support/random.ts';
import { milliseconds, percentiles, table, timeEach, times } from './support/report.ts';

const CANDIDATES = 100;
const K = 10;
const LAMBDA = 0.75;
const RUNS = 400;
const WARM_UP = 300;
const TOPICS = 8;
/** The slider is dragged in this many steps. */
const SLIDER_STEPS = 21;

interface Query {
  readonly relevance: readonly number[];
  readonly vectors: Float32Array;
}

interface Row {
  readonly dimensions: number;
  readonly relevance: Spread;
  readonly mmrMs: number;
  readonly naiveMs: number;
  readonly whatIfBuildMs: number;
  readonly whatIfStepMs: number;
}

const { values: options } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const rows = [384, 1024].flatMap((dimensions) =>
  (['falling', 'level'] as const).map((relevance) => measure(dimensions, relevance)),
);
if (options.json) console.log(JSON.stringify({ candidates: CANDIDATES, k: K, lambda: LAMBDA, rows }));
else print(rows);

/** `falling`: from 1 to 0.4 as BM25 gives. `level`: 1 to 0.95, where fewer comparisons can be spared. */
type Spread = 'falling' | 'level';

function measure(dimensions: number, relevance: Spread): Row {
  const random = seededRandom(dimensions);
  const queries = Array.from({ length: 20 }, () => makeQuery(random, dimensions, relevance));
  const matrices = queries.map(({ vectors }) => similarityMatrix(vectors, CANDIDATES));
  const whatIfs = queries.map((query, i) => new MmrWhatIf(query.relevance, matrices[i]!));
  const median = (work: (query: Query, run: number) => void, runs: number, warmUp = WARM_UP): number => {
    const turns = Array.from({ length: runs }, (_, run) => run);
    const turn = (run: number): void => work(queries[run % queries.length]!, run);
    turns.slice(0, warmUp).forEach(turn);
    return percentiles(timeEach(turns, turn)).p50;
  };
  return {
    dimensions,
    relevance,
    mmrMs: median((query) => mmr(query.relevance, query.vectors, { lambda: LAMBDA, k: K }), RUNS),
    naiveMs: median((query) => naiveMmr(query, dimensions), 60),
    whatIfBuildMs: median(({ vectors }) => similarityMatrix(vectors, CANDIDATES), 60),
    whatIfStepMs: median(
      (_, run) => whatIfs[run % whatIfs.length]!.rerank((run % SLIDER_STEPS) / (SLIDER_STEPS - 1)),
      RUNS,
    ),
  };
}

/** Passages scattered about a few topics, as the candidates of one question are. */
function makeQuery(random: Random, dimensions: number, spread: Spread): Query {
  const vector = (): Float32Array => Float32Array.from({ length: dimensions }, () => random() - 0.5);
  const topics = Array.from({ length: TOPICS }, vector);
  const vectors = new Float32Array(CANDIDATES * dimensions);
  for (let row = 0; row < CANDIDATES; row++) {
    const topic = topics[Math.floor(random() * TOPICS)]!;
    const own = vector();
    vectors.set(
      own.map((value, i) => value + topic[i]!),
      row * dimensions,
    );
  }
  const least = spread === 'falling' ? 0.4 : 0.95;
  const relevance = Array.from({ length: CANDIDATES }, () => least + (1 - least) * random() ** 3);
  return { relevance: relevance.sort((a, b) => b - a), vectors };
}

/** Every similarity anew at every rank, with both lengths. */
function naiveMmr({ relevance, vectors }: Query, dimensions: number): number[] {
  const cosine = (a: number, b: number): number => {
    let [ab, aa, bb] = [0, 0, 0];
    for (let x = a * dimensions, y = b * dimensions, i = 0; i < dimensions; i++, x++, y++) {
      ab += vectors[x]! * vectors[y]!;
      aa += vectors[x]! * vectors[x]!;
      bb += vectors[y]! * vectors[y]!;
    }
    return ab / Math.sqrt(aa * bb);
  };
  const maximum = Math.max(...relevance);
  const taken = [0];
  while (taken.length < K) {
    let best = -1;
    let bestScore = -Infinity;
    for (let i = 0; i < CANDIDATES; i++) {
      if (taken.includes(i)) continue;
      const nearest = Math.max(...taken.map((j) => cosine(i, j)));
      const score = (LAMBDA * relevance[i]!) / maximum - (1 - LAMBDA) * nearest;
      if (score > bestScore) [best, bestScore] = [i, score];
    }
    taken.push(best);
  }
  return taken;
}

function print(all: readonly Row[]): void {
  console.log(`MMR ${CANDIDATES} → ${K}, lambda ${LAMBDA}, medians in ms\n`);
  console.log(
    table(
      ['dimensions, relevance', 'MMR', 'naive', 'ratio', 'what-if: matrix', 'what-if: one lambda, all ranks'],
      all.map((row) => [
        `${row.dimensions}, ${row.relevance}`,
        row.mmrMs.toFixed(3),
        milliseconds(row.naiveMs),
        times(row.naiveMs / row.mmrMs),
        milliseconds(row.whatIfBuildMs),
        row.whatIfStepMs.toFixed(3),
      ]),
    ),
  );
}
