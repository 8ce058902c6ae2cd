/** Queries of eval sets, and how a question that somebody typed is found among them. */
import type { Query } from '../core/model.ts';
import { questionKey } from '../core/text/question.ts';

export interface EvalQuery extends Query {
  /** Path of its eval set relative to the workspace. */
  readonly evalSet: string;
}

/** The question with its perspectives as requests for rankings take it: nothing of its eval set, no gold answers. */
export function plainQuery({ id, text, perspectives, tags, answerable }: EvalQuery): Omit<Query, 'answers'> {
  return {
    id,
    text,
    perspectives,
    ...(tags ? { tags } : {}),
    ...(answerable === false ? { answerable } : {}),
  };
}

/** Whether pipelines are compared on it: it has perspectives to cover, or nothing may be found for it. */
export function isMeasured({
  perspectives,
  answerable,
}: Pick<Query, 'perspectives' | 'answerable'>): boolean {
  return perspectives.length > 0 || answerable === false;
}

/** Perspectives of an eval query, found by the question's text: case and outer whitespace do not matter. */
export function findEvalQuery(queries: readonly EvalQuery[], text: string): EvalQuery | undefined {
  const wanted = questionKey(text);
  return queries.find((query) => questionKey(query.text) === wanted);
}

/** The queries of one eval set that have perspectives: what a change of a pipeline is measured on. */
export interface MeasuredSet {
  readonly evalSet: string;
  readonly queries: readonly EvalQuery[];
}

/** The eval set of a question, or else the first one; `undefined` if none has perspectives. */
export function measuredSet(queries: readonly EvalQuery[], text: string): MeasuredSet | undefined {
  const covered = queries.filter(({ perspectives }) => perspectives.length > 0);
  const evalSet = (findEvalQuery(covered, text) ?? covered[0])?.evalSet;
  if (evalSet === undefined) return undefined;
  return { evalSet, queries: covered.filter((query) => query.evalSet === evalSet) };
}
