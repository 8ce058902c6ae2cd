/**
 * The gain of each remedy on the debate data for every built-in retriever: the table of docs/measured.md. The λ of MMR
 * is chosen on one part of the queries, and its row reports only the others. Also the time of all pipelines on warm
 * caches, as a ratio to the plain BM25 pipeline in the same run.
 *
 *   npm run bench -- remedies
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { splitQueries } from '../src/features/papers/core/query-split.ts';
import { parseEvalSet } from '../src/core/formats/queries.ts';
import { parseQrels } from '../src/core/formats/exchange/trec.ts';
import { measureDifferences } from '../src/core/metrics/differences.ts';
import { parseMeasure } from '../src/core/metrics/measures.ts';
import type { Query } from '../src/core/model.ts';
import { BUILT_IN_PIPELINES, parsePipeline, type Pipeline } from '../src/core/pipeline.ts';
import { QrelsLabels } from '../src/engine/experiment/qrels-labels.ts';
import { Probes } from '../src/features/look-deeper/engine/probes.ts';
import type { PipelineServices } from '../src/engine/retrieval/pipeline-services.ts';
import { openDatabase } from '../src/engine/store/database.ts';
import { DEBATE, openDebate } from './support/debate.ts';
import * as bench from './support/evaluate.ts';
import { milliseconds, table, times } from './support/report.ts';
import { timedComparison } from './support/timed-comparison.ts';

const LAMBDAS = [0.5, 0.75, 0.9, 0.95, 0.99];
const MEASURES = ['MRecall@5', 'Precision@5'];

if (!existsSync(DEBATE)) {
  process.stderr.write(`${DEBATE} is absent: there is nothing to measure.\n`);
  process.exit(1);
}
const read = (name: string): string => readFileSync(path.join(DEBATE, name), 'utf8');
const { queries } = parseEvalSet(read('queries.jsonl'), 'queries.jsonl');
const { qrels } = parseQrels(read('qrels.diversity.txt'));
const { development, test } = splitQueries(queries);

const store = mkdtempSync(path.join(tmpdir(), 'parallax-bench-'));
const local = await openDebate(store);
const gold = new QrelsLabels(qrels, {
  index: local.corpus,
  judgementService: local.judgementService,
  probes: new Probes(openDatabase(':memory:')),
  judge: undefined,
}).services(local.services);
let judgements = 0;
const services: PipelineServices = {
  propose: (...args) => gold.propose(...args),
  rewrite: (...args) => gold.rewrite(...args),
  split: (...args) => gold.split(...args),
  judgeFacts: (...args) => gold.judgeFacts(...args),
  measuredCorrelation: (...args) => gold.measuredCorrelation(...args),
  texts: (...args) => gold.texts(...args),
  verdicts: (judge, query, pairs, work) => {
    judgements += pairs.length;
    return gold.verdicts(judge, query, pairs, work);
  },
};

function evaluate(pipeline: Pipeline, asked: readonly Query[]): Promise<bench.Evaluation> {
  const judged = new Map(asked.map(({ id }) => [id, qrels.get(id)!]));
  const sources = { corpus: local.corpus, services };
  return bench.evaluate(sources, pipeline, asked, judged, MEASURES.map(parseMeasure), 100);
}

const withSteps = (plain: Pipeline, steps: object): Pipeline => parsePipeline({ ...plain, ...steps });

/** The best λ on the development part. */
async function tuned(plain: Pipeline): Promise<{ lambda: number; pipeline: Pipeline }> {
  let best = { lambda: 0, pipeline: plain, score: -1 };
  for (const lambda of LAMBDAS) {
    const pipeline = withSteps(plain, { rerank: [{ type: 'mmr', lambda }] });
    const score = (await evaluate(pipeline, development)).scores.mean['MRecall@5'] ?? 0;
    if (score > best.score) best = { lambda, pipeline, score };
  }
  return best;
}

const rows: string[][] = [];
function report(
  name: string,
  asked: readonly Query[],
  plain: bench.Evaluation,
  other?: bench.Evaluation,
): void {
  const shown = other ?? plain;
  const differences = other ? measureDifferences(plain.scores, other.scores) : {};
  const cells = MEASURES.flatMap((measure) => {
    const percent = ((shown.scores.mean[measure] ?? 0) * 100).toFixed(1);
    const found = differences[measure];
    const points = (share: number): string => `${share < 0 ? '−' : '+'}${Math.abs(share * 100).toFixed(1)}`;
    return [
      percent,
      found ? `${points(found.difference)} [${points(found.low)}, ${points(found.high)}]` : '',
    ];
  });
  rows.push([name, String(asked.length), ...cells]);
}

const pipelines: Pipeline[] = [];
for (const [name, plain] of Object.entries(BUILT_IN_PIPELINES)) {
  const all = await evaluate(plain, queries);
  report(name, queries, all);
  const { lambda, pipeline } = await tuned(plain);
  report(
    `${name} + MMR (λ ${lambda}, chosen on ${development.length})`,
    test,
    await evaluate(plain, test),
    await evaluate(pipeline, test),
  );
  const steps = {
    'xQuAD (given perspectives)': { rerank: [{ type: 'xquad' }] },
    'expansion (given perspectives)': { expansion: { type: 'perspectives' } },
    'coverage (gold labels as judge)': { rerank: [{ type: 'coverage' }] },
  };
  pipelines.push(plain);
  for (const [step, change] of Object.entries(steps)) {
    const changed = withSteps(plain, change);
    pipelines.push(changed);
    report(`${name} + ${step}`, queries, all, await evaluate(changed, queries));
  }
}
process.stdout.write(
  `${table(['pipeline', 'queries', 'MRecall@5', 'to plain', 'Precision@5', 'to plain'], rows)}\n\n`,
);

judgements = 0;
await evaluate(withSteps(BUILT_IN_PIPELINES.bm25, { rerank: [{ type: 'coverage' }] }), queries);
process.stdout.write(`bm25 + coverage: ${(judgements / queries.length).toFixed(1)} judgements per query.\n`);

const timed = async (asked: readonly Pipeline[]): Promise<number> => {
  const begun = performance.now();
  for (const pipeline of asked) await evaluate(pipeline, queries);
  return performance.now() - begun;
};
const single = await timed([BUILT_IN_PIPELINES.bm25]);
const elapsed = await timed(pipelines);
process.stdout.write(
  `${pipelines.length} pipelines × ${queries.length} queries on warm caches: ${milliseconds(elapsed)} ms, ` +
    `${times(elapsed / single)} the plain BM25 pipeline (${milliseconds(single)} ms).\n`,
);
await local.close();
rmSync(store, { recursive: true });

const { first, again } = await timedComparison(path.join(DEBATE, 'corpus.jsonl'), queries, qrels, pipelines);
process.stdout.write(
  `The same as one comparison of the engine, with judgements, intervals and p-values: ${first.toFixed(1)} s; ` +
    `again, nothing changed: ${again.toFixed(1)} s.\n`,
);
