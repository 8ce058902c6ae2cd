/**
 * How fast MRecall@5 becomes certain if one request answers all pairs of a passage: the width of its interval by the
 * number of requests, for several orders of passages. The debate data, gold labels as the model. Every order judges all
 * passages in the end, and its figures are compared with those of the full matrix.
 *
 *   npm run bench -- fewest-requests
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEvalSet } from '../src/core/formats/queries.ts';
import { parseQrels } from '../src/core/formats/exchange/trec.ts';
import { FewestCalls, requestsInTurn } from '../src/core/judging/fewest-calls.ts';
import type { GoalBounds } from '../src/core/judging/open-figures.ts';
import { mRecall, precision } from '../src/core/metrics/coverage-measures.ts';
import { relevanceOf, type TopicJudgements } from '../src/core/metrics/judgements.ts';
import type { Run } from '../src/core/model.ts';
import { BUILT_IN_PIPELINES, type Pipeline } from '../src/core/pipeline.ts';
import { mean } from '../src/core/statistics/mean.ts';
import { DEBATE, openDebate } from './support/debate.ts';
import { evaluate } from './support/evaluate.ts';
import { seededRandom } from './support/random.ts';
import { table, thousands } from './support/report.ts';

const K = 5;
const SEEDS = 20;
const SHARES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9] as const;

if (!existsSync(DEBATE)) {
  process.stderr.write(`${DEBATE} is absent: there is nothing to measure.\n`);
  process.exit(1);
}

/** A passage to judge, with the index of its query. */
interface Request {
  readonly query: number;
  readonly passageId: string;
}

/** A query with the top k of each pipeline. */
interface Case {
  readonly perspectives: readonly string[];
  readonly rankings: readonly (readonly string[])[];
  readonly truth: TopicJudgements;
}

/** After each request, from 0 on: the widths of the two intervals, averaged over queries and pipelines. */
interface Curve {
  readonly mRecall: readonly number[];
  readonly precision: readonly number[];
}

/** The next request. `undefined` if there are no more. */
type Order = (figures: readonly FewestCalls[]) => Request | undefined;

const read = (name: string): string => readFileSync(path.join(DEBATE, name), 'utf8');
const { queries } = parseEvalSet(read('queries.jsonl'), 'queries.jsonl');
const { qrels } = parseQrels(read('qrels.diversity.txt'));
const store = mkdtempSync(path.join(tmpdir(), 'parallax-bench-'));
const { corpus, services, close } = await openDebate(store);
const { bm25, dense, hybrid } = BUILT_IN_PIPELINES;
report('BM25', await casesOf([bm25]));
report('BM25, dense and hybrid together', await casesOf([bm25, dense, hybrid]));
await close();
rmSync(store, { recursive: true });

async function casesOf(pipelines: readonly Pipeline[]): Promise<Case[]> {
  const runs: Run[] = [];
  for (const pipeline of pipelines)
    runs.push((await evaluate({ corpus, services }, pipeline, queries, qrels, [], K)).run);
  return queries.map(({ id, perspectives }) => {
    const known = qrels.get(id);
    const ids = perspectives.map((perspective) => perspective.id);
    return {
      perspectives: ids,
      rankings: runs.map((run) => (run.get(id) ?? []).map(({ item }) => item)),
      truth: new Map(ids.map((perspective) => [perspective, known?.get(perspective) ?? new Map()])),
    };
  });
}

function report(name: string, cases: readonly Case[]): void {
  const byQuery = cases.flatMap(({ rankings }, query) =>
    [...new Set(rankings.flat())].map((passageId) => ({ query, passageId })),
  );
  const byRank = inRankOrder(cases);
  const all = byQuery.length;
  const random = Array.from({ length: SEEDS }, (_, seed) =>
    curveOf(cases, listed(shuffled(byQuery, seed + 1))),
  );
  const curves: readonly (readonly [string, readonly Curve[]])[] = [
    ['at random', random],
    ['rank by rank', [curveOf(cases, listed(byRank))]],
    ['query after query', [curveOf(cases, listed(byQuery))]],
    ['rank by rank, decided queries last', [curveOf(cases, listed(byRank, cases))]],
    ['query after query, decided ones last', [curveOf(cases, listed(byQuery, cases))]],
    ['in turn, one at a time', [curveOf(cases, inTurn(1))]],
    ['in turn, 16 at a time', [curveOf(cases, inTurn(16))]],
  ];
  const rows = curves.map(([order, drawn]) =>
    rowOf(
      order,
      all,
      drawn.map(({ mRecall: widths }) => widths),
    ),
  );
  if (cases.every(({ rankings }) => rankings.length === 1))
    rows.push(rowOf('who knows the answers: the bound', all, [foreseen(cases, all)]));
  const marks = SHARES.map((share) => thousands(share * all));
  process.stdout.write(
    `${name}: ${cases.length} claims, k = ${K}, ${thousands(all)} passages to judge. Width of MRecall@${K}'s interval in\n` +
      `points after so many requests; mean width over the whole run; requests until MRecall@${K} is exact.\n` +
      `${table(['order of requests', ...marks, 'mean', 'exact'], rows)}\n` +
      `Width of Precision@${K}'s interval:\n` +
      `${table(
        ['order of requests', ...marks, 'mean', 'exact'],
        curves.map(([order, drawn]) =>
          rowOf(
            order,
            all,
            drawn.map(({ precision: widths }) => widths),
          ),
        ),
      )}\n\n`,
  );
}

/** The first places of all queries, then the second ones, and so on. */
function inRankOrder(cases: readonly Case[]): Request[] {
  const requests = Array.from({ length: K }, (_, rank) =>
    cases.flatMap(({ rankings }, query) =>
      rankings.flatMap((ranking) =>
        ranking[rank] === undefined ? [] : [{ query, passageId: ranking[rank] }],
      ),
    ),
  ).flat();
  return [...new Map(requests.map((request) => [`${request.query} ${request.passageId}`, request])).values()];
}

function shuffled(requests: readonly Request[], seed: number): Request[] {
  const random = seededRandom(seed);
  return requests
    .map((request) => ({ request, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ request }) => request);
}

/** @param skipping judges the rest of queries with certain MRecall only after all are certain */
function listed(requests: readonly Request[], skipping?: readonly Case[]): Order {
  const left = [...requests];
  return (figures) => {
    const open = skipping ? left.findIndex(({ query }) => mRecallWidth(figures[query]!.bounds()) > 0) : 0;
    return left.splice(Math.max(0, open), 1)[0];
  };
}

/** The order within a budget. @param atATime the number of concurrent requests before answers select the next ones */
function inTurn(atATime: number): Order {
  let round: Request[] = [];
  return (figures) => {
    if (round.length === 0)
      round = requestsInTurn(
        figures.map((of, query) => ({
          isMRecallDecided: of.isMRecallDecided,
          requests: [...new Set(of.next().map(({ passageId }) => passageId))].map((passageId) => ({
            query,
            passageId,
          })),
        })),
        atATime,
      );
    return round.shift();
  };
}

function curveOf(cases: readonly Case[], order: Order): Curve {
  const figures = cases.map((wanted) => new FewestCalls({ ...wanted, cutoffs: [K] }));
  const bounds = figures.map((of) => of.bounds());
  const widths = (of: (bounds: readonly GoalBounds[]) => number): number => mean(bounds.map(of));
  const curve = { mRecall: [widths(mRecallWidth)], precision: [widths(precisionWidth)] };
  for (let request = order(figures); request; request = order(figures)) {
    const { query, passageId } = request;
    for (const [perspectiveId, supporting] of cases[query]!.truth)
      figures[query]!.learn({ passageId, perspectiveId }, (supporting.get(passageId) ?? 0) > 0);
    bounds[query] = figures[query]!.bounds();
    curve.mRecall.push(widths(mRecallWidth));
    curve.precision.push(widths(precisionWidth));
  }
  for (const [query, { rankings, truth }] of cases.entries()) checkExact(bounds[query]!, rankings, truth);
  return curve;
}

/** @throws if a figure differs from that of the full matrix */
function checkExact(bounds: readonly GoalBounds[], rankings: Case['rankings'], truth: TopicJudgements): void {
  for (const [place, ranking] of rankings.entries()) {
    const exact = [mRecall(ranking, truth, K), precision(ranking, relevanceOf(truth), K)];
    const found = [bounds[place]!.mRecall, bounds[place]!.precision];
    if (found.some(({ low, high }, at) => low !== high || low !== exact[at]))
      throw new Error(`Not exact: ${JSON.stringify({ found, exact })}`);
  }
}

/** With one ranking, starts with the queries that need the fewest requests: no order makes more of them certain. */
function foreseen(cases: readonly Case[], all: number): number[] {
  const costs = cases.map(leastRequests).sort((a, b) => a - b);
  const widths = Array.from({ length: all + 1 }, () => 0);
  let spent = 0;
  for (const cost of costs) {
    spent += cost;
    for (let at = 0; at < spent; at++) widths[at]! += 1 / cases.length;
  }
  return widths;
}

/** The fewest passages that decide MRecall: a smallest cover, or all if there is none. */
function leastRequests({ rankings, perspectives, truth }: Case): number {
  const [ranking] = rankings as readonly [readonly string[]];
  const covers = Array.from({ length: 2 ** ranking.length }, (_, set) =>
    ranking.filter((_, place) => (set >> place) % 2 === 1),
  ).filter((set) => mRecall([...set, ...Array.from({ length: K }, () => '')], truth, K) === 1);
  if (perspectives.length === 0) return 0;
  return Math.min(ranking.length, ...covers.map((set) => set.length));
}

function mRecallWidth(bounds: readonly GoalBounds[]): number {
  return mean(bounds.map(({ mRecall: { low, high } }) => high - low));
}

function precisionWidth(bounds: readonly GoalBounds[]): number {
  return mean(bounds.map(({ precision: { low, high } }) => high - low));
}

/** @param drawn widths after each request, of one run or of several */
function rowOf(order: string, all: number, drawn: readonly (readonly number[])[]): string[] {
  const points = (widths: readonly number[]): string => (100 * mean(widths)).toFixed(1);
  const exact = drawn.map((widths) => widths.findIndex((width) => width < 1e-9));
  return [
    order,
    ...SHARES.map((share) => points(drawn.map((widths) => widths[Math.round(share * all)]!))),
    points(drawn.map((widths) => mean(widths))),
    thousands(mean(exact)),
  ];
}
