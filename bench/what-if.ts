/**
 * The what-if sliders of the side panel: `node bench/what-if.ts [--json]`.
 *
 * A step is the cost of a slider movement without drawing: the new order, its figures, and the copy of the panel's
 * results that is sent. The order alone is also compared with projecting the vectors at every step, in the same run.
 * Exit code 1 if the median step takes 16 ms or more; the 99th percentile includes other work of the machine.
 */
import { parseArgs } from 'node:util';
import { mergeInTurns } from '../src/core/expansion/merge.ts';
import type { Perspective } from '../src/core/model.ts';
import { BUILT_IN_PIPELINES, parsePipeline } from '../src/core/pipeline.ts';
import { planProjection, scoreRows } from '../src/core/projection/project.ts';
import { ProjectionWhatIf, reduceProjection } from '../src/core/projection/what-if.ts';
import { similarityMatrix } from '../src/core/rerank/similarity.ts';
import { Answer } from '../src/features/inspector/host/answer.ts';
import { WhatIf } from '../src/features/inspector/host/what-if.ts';
import type { JudgedPair } from '../src/shared/requests/passages.ts';
import { seededRandom, type Random } from './support/random.ts';
import { milliseconds, percentiles, table, timeEach, times, type Percentiles } from './support/report.ts';
import { clusteredVectors, rowOf } from './support/vectors.ts';

const CANDIDATES = 100;
const K = 10;
const DIMENSIONS = 384;
const STEPS = 400;
const WARM_UP = 200;
const NAIVE_STEPS = 60;
const PROJECTED = parsePipeline({ retriever: { type: 'dense' }, projection: { method: 'pap+' }, k: K });
const FUSED = parsePipeline({ ...BUILT_IN_PIPELINES.hybrid, k: K });
/** For the weight of meaning. */
const MAX_FUSION_MS = 2;
/** One frame. */
const MAX_MS = 16;

interface Row {
  readonly perspectives: number;
  readonly order: Percentiles;
  readonly naive: Percentiles;
  readonly stepWeight: Percentiles;
  readonly stepBoth: Percentiles;
  readonly stepFusion: Percentiles;
}

const { values: options } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const rows: Row[] = [];
for (const perspectives of [2, 4, 8]) rows.push(await measure(perspectives, seededRandom(perspectives)));
console.log(
  options.json ? JSON.stringify({ candidates: CANDIDATES, k: K, dimensions: DIMENSIONS, rows }) : report(),
);
if (
  rows.some(
    ({ stepWeight, stepBoth, stepFusion }) =>
      Math.max(stepWeight.p50, stepBoth.p50) >= MAX_MS || stepFusion.p50 > MAX_FUSION_MS,
  )
)
  process.exitCode = 1;

async function measure(perspectives: number, random: Random): Promise<Row> {
  const vectors = clusteredVectors(CANDIDATES, DIMENSIONS, random);
  const texts = clusteredVectors(2 * perspectives + 1, DIMENSIONS, random);
  const root = rowOf(texts, 0, DIMENSIONS);
  const inputs = Array.from({ length: perspectives }, (_, i) => ({
    root,
    perspective: rowOf(texts, 1 + i, DIMENSIONS),
    query: rowOf(texts, 1 + perspectives + i, DIMENSIONS),
  }));
  const projections = inputs.map((input) => reduceProjection(input, vectors));
  const slots = Array.from({ length: CANDIDATES }, (_, slot) => slot);
  const reduced = new ProjectionWhatIf('pap+', projections, slots);
  const naive = (weight: number): number[] =>
    mergeInTurns(
      inputs.map((input) => ranked(scoreRows(planProjection('pap+', { ...input, weight }), vectors))),
      CANDIDATES,
    ).map(({ item }) => item);
  for (const weight of weights(20))
    if (
      naive(weight).join() !==
      reduced
        .rerank(weight)
        .map(({ item }) => item)
        .join()
    )
      throw new Error('The reduced and the full vectors disagree.');

  const { answer, whatIf } = panel(perspectives, projections, similarityMatrix(vectors, CANDIDATES), random);
  // Everything is loaded before the first timed step.
  await whatIf.try({ weight: 0.5 });
  const step = async (change: Parameters<WhatIf['try']>[0]): Promise<void> => {
    await whatIf.try(change);
    structuredClone({ ...answer.view(), ...whatIf.view() });
  };
  const stepWeight = await timeSteps((weight) => step({ weight }));
  await whatIf.try({ lambda: 0.5 });
  const stepBoth = await timeSteps((weight) => step({ weight }));
  const fused = panel(perspectives, projections, similarityMatrix(vectors, CANDIDATES), random, FUSED);
  const stepFusion = await timeSteps(async (weight) => {
    await fused.whatIf.try({ fusion: weight / 2 });
    structuredClone({ ...fused.answer.view(), ...fused.whatIf.view() });
  });
  return {
    perspectives,
    order: percentiles(timeEach(weights(WARM_UP + STEPS), (weight) => reduced.rerank(weight)).slice(WARM_UP)),
    naive: percentiles(timeEach(weights(NAIVE_STEPS), naive)),
    stepWeight,
    stepBoth,
    stepFusion,
  };
}

/** A slider dragged back and forth. */
function weights(count: number): number[] {
  return Array.from({ length: count }, (_, i) => 1 + Math.sin(i / 10) * 0.99);
}

async function timeSteps(step: (weight: number) => Promise<void>): Promise<Percentiles> {
  const taken: number[] = [];
  for (const weight of weights(WARM_UP + STEPS)) {
    const begun = performance.now();
    await step(weight);
    taken.push(performance.now() - begun);
  }
  return percentiles(taken.slice(WARM_UP));
}

function ranked(scores: Float64Array): number[] {
  return Array.from(scores.keys()).sort((a, b) => scores[b]! - scores[a]! || a - b);
}

/** An answer with every candidate judged, as in the side panel. */
function panel(
  count: number,
  projections: ReturnType<typeof reduceProjection>[],
  matrix: Float64Array,
  random: Random,
  pipeline = PROJECTED,
): { answer: Answer; whatIf: WhatIf } {
  const perspectives: Perspective[] = Array.from({ length: count }, (_, i) => ({
    id: `p${i}`,
    text: `P ${i}`,
  }));
  const text = 'A passage of about a hundred words, as retrieval usually has them. '.repeat(9);
  const position = { span: { start: 0, end: text.length }, lines: { startLine: 0, endLine: 1 } };
  const candidates = Array.from({ length: CANDIDATES }, (_, slot) => ({
    slot,
    id: `d${slot}`,
    documentId: `d${slot}`,
    title: '',
    path: '',
    text,
    hash: '',
    ...position,
    verbatim: true,
    score: 1 / (slot + 1),
  }));
  const answer = new Answer(
    { candidates, search: 'exact', notices: [], milliseconds: 1 },
    { corpus: 'c', query: { text: 'q' }, perspectives, pipeline },
  );
  const judgement = (): JudgedPair['judgement'] => ({
    verdict: random() < 0.1 ? 'yes' : 'no',
    evidence: [{ start: 0, end: 60 }],
    source: 'llm',
    judge: 'm',
    rationale: 'One short sentence.',
    standard: 's',
    at: '',
  });
  answer.learn(
    candidates.flatMap(({ slot }) =>
      perspectives.map(({ id }) => ({ slot, perspectiveId: id, judgement: judgement() })),
    ),
  );
  const engine = {
    request: (method: string) =>
      Promise.resolve(
        method === 'projections'
          ? { projections, order: candidates.map(({ slot }) => slot) }
          : method === 'search'
            ? { candidates }
            : { matrix },
      ),
  };
  return { answer, whatIf: new WhatIf(answer, engine as ConstructorParameters<typeof WhatIf>[1]) };
}

function report(): string {
  const print = ({ p50, p99 }: Percentiles): string => `${milliseconds(p50)} / ${milliseconds(p99)}`;
  return [
    table(
      [
        `${CANDIDATES} candidates, ${DIMENSIONS} dimensions, p50 / p99 in ms`,
        'PAP+ order',
        'step, PAP+',
        'step, PAP+ and MMR',
        'step, words ↔ meaning',
      ],
      rows.map(({ perspectives, order, stepWeight, stepBoth, stepFusion }) => [
        `${perspectives} perspectives`,
        print(order),
        print(stepWeight),
        print(stepBoth),
        print(stepFusion),
      ]),
    ),
    '',
    ...rows.map(
      ({ perspectives, order, naive }) =>
        `order against projecting the vectors anew, ${perspectives} perspectives: ${times(naive.p50 / order.p50)} faster (medians)`,
    ),
    `a step has to take less than ${MAX_MS} ms, one of words ↔ meaning ${MAX_FUSION_MS} ms at most`,
  ].join('\n');
}
