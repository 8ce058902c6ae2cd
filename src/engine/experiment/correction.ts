/**
 * Figures of a pipeline, corrected by people's labels of the pairs that the judge answered; see
 * core/metrics/corrected.ts.
 */
import { throwIfCancelled } from '../../core/errors.ts';
import { correctionOf, withCorrectedDifferences } from '../../core/metrics/corrected.ts';
import type { Correction } from '../../core/metrics/correction.ts';
import type { Measure } from '../../core/metrics/measures.ts';
import type { JudgedPair } from '../../shared/requests/passages.ts';
import type { Budget } from '../judgements/budget.ts';
import type { QueryPair } from '../judgements/judgement-service.ts';
import type { StoredPassage, WorkOptions } from '../types.ts';
import { questionRun, type Analysed } from './analyses.ts';
import type { FigureQuery } from './judge-figures.ts';
import { isOfPeople } from './label-source.ts';
import type { PipelineRuns } from './pipeline-runs.ts';

/**
 * `undefined` if figures rest on no judge, or if there are no labels.
 *
 * @param baseline the pipeline that others are compared with; it has no differences itself
 */
export function correctedOf(
  runs: PipelineRuns,
  measures: readonly Measure[],
  { judgements }: Pick<Analysed, 'judgements'>,
  baseline: PipelineRuns | undefined,
): Correction | undefined {
  const { opinions } = judgements;
  if (!opinions) return undefined;
  const run = questionRun(runs, { judgements });
  const correction = correctionOf(run, measures, opinions);
  return baseline && baseline !== runs
    ? withCorrectedDifferences(correction, run, questionRun(baseline, { judgements }), opinions)
    : correction;
}

/** The cost of comparing a judge with labels. */
export interface ValidationCost {
  /** Pairs answered in this run. */
  readonly held: number;
  readonly requests: number;
  readonly tokens: number;
}

export const NO_VALIDATION: ValidationCost = { held: 0, requests: 0, tokens: 0 };

/**
 * Has the judge answer the pairs in the top k of queries with labels, so that it can be compared with people.
 * Stored answers are not asked for again.
 *
 * @throws ParallaxError `cancelled`
 */
export async function judgeLabelled(
  queries: readonly FigureQuery[],
  { k, budget }: { readonly k: number; readonly budget: Budget },
  { signal }: WorkOptions,
): Promise<ValidationCost> {
  const open = await validationPairs(queries, k);
  const labels = queries[0]?.labels;
  if (!labels?.judge || open.length === 0) return NO_VALIDATION;
  let held = 0;
  const { requests, tokens } = await labels.judgePairs(
    open,
    (_, judgement, { cached, unparsable }) => {
      if (!cached) budget.spend(judgement);
      if (!unparsable) held++;
    },
    { signal, ...budget.asking },
  );
  throwIfCancelled(signal);
  return { held, requests, tokens: tokens.prompt + tokens.completion };
}

/** Pairs without an answer of the judge, of queries with labels. Empty for plain qrels without a "no", which correct nothing. */
export async function validationPairs(
  queries: readonly FigureQuery[],
  k: number,
): Promise<readonly QueryPair[]> {
  const pairs: QueryPair[] = [];
  let isOneSided = true;
  for (const query of queries) {
    const { open, labels } = await labelledPairs(query, k);
    pairs.push(...open);
    if (labels.some(({ judgement }) => judgement.verdict === 'no')) isOneSided = false;
  }
  return isOneSided && queries[0]?.labels.kind === 'plain' ? [] : pairs;
}

/** People's labels in the top k, and the pairs of a query with labels that the judge has not answered. */
async function labelledPairs(
  { index, labels, query, rankings }: FigureQuery,
  k: number,
): Promise<{ readonly open: readonly QueryPair[]; readonly labels: readonly JudgedPair[] }> {
  const slots = new Set(rankings.flatMap((ranking) => ranking.slice(0, k)));
  const passages = index.passages([...slots]).filter(({ text }) => text !== '');
  // A document that an eval set expects is not an opinion to compare a judge with.
  const perspectives = query.perspectives.filter(({ document }) => document === undefined);
  const task = { query, perspectives, passages };
  const known = await labels.known(task);
  const ofPeople = known.filter(({ judgement }) => isOfPeople(judgement));
  if (ofPeople.length === 0) return { open: [], labels: [] };
  const answered = new Set(
    (await labels.answered(task)).map(({ slot, perspectiveId }) => `${slot} ${perspectiveId}`),
  );
  const pairOf = (passage: StoredPassage): QueryPair[] =>
    perspectives
      .filter(({ id }) => !answered.has(`${passage.slot} ${id}`))
      .map((perspective) => ({ query, passage, perspective }));
  return { open: passages.flatMap(pairOf), labels: ofPeople };
}
