/**
 * MMR compared with a literal implementation of its definition on the same candidates in the same run, and the what-if
 * slider.
 *
 *     node bench/rerank.ts [--json]
 */
import { parseArgs } from 'node:util';
import { mmr, MmrWhatIf } from '../src/core/rerank/mmr.ts';
import { similarityMatrix } from '../src/core/rerank/similarity.ts';
import { makeCandidates, naiveMmr, type Candidates, type Spread } from './support/mmr-candidates.ts';
import { seededRandom } from './support/random.ts';
import { milliseconds, percentiles, table, timeEach, times } from './support/report.ts';

const CANDIDATES = 100;
const K = 10;
const LAMBDA = 0.75;
const RUNS = 400;
const WARM_UP = 300;
/** The number of steps of the slider. */
const SLIDER_STEPS = 21;

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

function measure(dimensions: number, relevance: Spread): Row {
  const random = seededRandom(dimensions);
  const queries = Array.from({ length: 20 }, () => makeCandidates(random, CANDIDATES, dimensions, relevance));
  const matrices = queries.map(({ vectors }) => similarityMatrix(vectors, CANDIDATES));
  const whatIfs = queries.map((query, i) => new MmrWhatIf(query.relevance, matrices[i]!));
  const median = (work: (query: Candidates, run: number) => void, runs: number, warmUp = WARM_UP): number => {
    const turns = Array.from({ length: runs }, (_, run) => run);
    const turn = (run: number): void => work(queries[run % queries.length]!, run);
    turns.slice(0, warmUp).forEach(turn);
    return percentiles(timeEach(turns, turn)).p50;
  };
  return {
    dimensions,
    relevance,
    mmrMs: median((query) => mmr(query.relevance, query.vectors, { lambda: LAMBDA, k: K }), RUNS),
    naiveMs: median((query) => naiveMmr(query, LAMBDA, K), 60),
    whatIfBuildMs: median(({ vectors }) => similarityMatrix(vectors, CANDIDATES), 60),
    whatIfStepMs: median(
      (_, run) => whatIfs[run % whatIfs.length]!.rerank((run % SLIDER_STEPS) / (SLIDER_STEPS - 1)),
      RUNS,
    ),
  };
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
