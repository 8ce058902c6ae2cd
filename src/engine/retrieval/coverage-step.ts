/** The coverage reranker as a step of a pipeline: asks for verdicts, and says why it moved passages up. */
import { coverageReasons } from '../../core/rerank/coverage-reasons.ts';
import { coverageRerank, type CoveragePair, type CoverageVerdicts } from '../../core/rerank/coverage.ts';
import { expectedCoverageRerank } from '../../core/rerank/expected-coverage.ts';
import { CAUTIOUS_ERRORS, type JudgeErrors } from '../../core/rerank/judge-errors.ts';
import type { RerankerSpec } from '../../core/pipeline.ts';
import type { Raised, TakenErrors } from '../../core/validation/taken-errors.ts';
import type { Hit, Slot, WorkOptions } from '../types.ts';
import type { PipelineQuery, PipelineServices } from './pipeline-services.ts';
import { noPerspectives } from './query-parts.ts';

/** The error rates assumed of a judge, and the passages that moved for its answers. */
export interface CoverageEvidence {
  readonly errors: TakenErrors;
  readonly raised: ReadonlyMap<Slot, Raised>;
}

export interface CoverageOutcome {
  readonly hits: Hit[];
  /** Absent where people's labels were believed. */
  readonly evidence?: CoverageEvidence | undefined;
}

type CoverageSpec = Extract<RerankerSpec, { type: 'coverage' }>;

/** So that an endpoint is not asked one question after the other; more at a time would ask what an answer makes needless. */
const ASKED_AT_A_TIME = 4;

/** People are believed. */
const NO_ERRORS: JudgeErrors = { yesOfSupport: 1, yesOfNone: 0 };

/** @throws ParallaxError `bad-argument` without perspectives, and for a judge whose yes tells nothing */
export async function coverageStep(
  spec: CoverageSpec,
  candidates: readonly Hit[],
  query: PipelineQuery,
  k: number,
  services: PipelineServices,
  work: WorkOptions,
): Promise<CoverageOutcome> {
  const { perspectives } = query;
  if (perspectives.length === 0) throw noPerspectives('coverage');
  const { judge, calls, aim = 'MRecall' } = spec;
  const input = { candidates: candidates.length, perspectives: perspectives.length, calls };
  const ask = (pairs: readonly CoveragePair[]): Promise<CoverageVerdicts> =>
    services.verdicts(
      judge,
      query,
      pairs.map(({ candidate, perspective }) => ({
        slot: candidates[candidate]!.item,
        perspective: perspectives[perspective]!,
      })),
      work,
    );
  const expected = { ...input, k, aim, lookahead: ASKED_AT_A_TIME };
  if (judge === 'labels') {
    const { order } =
      aim === 'MRecall'
        ? await asked(coverageRerank(input), ask)
        : await asked(expectedCoverageRerank({ ...expected, errors: NO_ERRORS }), ask);
    return { hits: inOrder(candidates, order) };
  }
  const { taken, errors } = await errorsOf(spec, query, services);
  const found = await asked(expectedCoverageRerank({ ...expected, errors }), ask);
  const raised = new Map(
    coverageReasons(found, k).map(({ candidate, perspective, supports, only }) => [
      candidates[candidate]!.item,
      { perspectiveId: perspectives[perspective]!.id, supports, only },
    ]),
  );
  return { hits: inOrder(candidates, found.order), evidence: { errors: taken, raised } };
}

/** Those of the pipeline; else those that a validation measured; else cautious ones. */
async function errorsOf(
  { judge, errors: given }: CoverageSpec,
  query: PipelineQuery,
  services: PipelineServices,
): Promise<{ readonly taken: TakenErrors; readonly errors: JudgeErrors }> {
  if (given) return { taken: { judge, ...given, from: 'pipeline' }, errors: given };
  const measured = await services.errorsOf(judge, query);
  const errors = measured ?? CAUTIOUS_ERRORS;
  return {
    taken: measured
      ? { judge, ...measured, from: 'validation' }
      : { judge, ...CAUTIOUS_ERRORS, from: 'default' },
    errors,
  };
}

async function asked<Order>(
  steps: Generator<readonly CoveragePair[], Order, CoverageVerdicts>,
  ask: (pairs: readonly CoveragePair[]) => Promise<CoverageVerdicts>,
): Promise<Order> {
  let step = steps.next();
  while (!step.done) step = steps.next(await ask(step.value));
  return step.value;
}

function inOrder(candidates: readonly Hit[], order: readonly number[]): Hit[] {
  return order.map((item, index) => ({ item: candidates[item]!.item, score: 1 / (index + 1) }));
}
