/** Queries of eval sets, and the lookup of a typed question among them. */
import type { Query } from '../core/model.ts';
import { questionKey } from '../core/text/question.ts';

export interface EvalQuery extends Query {
  /** Path of its eval set relative to the workspace. */
  readonly evalSet: string;
}

/** The question and its perspectives for ranking requests, without its eval set and gold answers. */
export function plainQuery({ id, text, perspectives, tags, answerable }: EvalQuery): Omit<Query, 'answers'> {
  return {
    id,
    text,
    perspectives,
    ...(tags ? { tags } : {}),
    ...(answerable === false ? { answerable } : {}),
  };
}

/** Whether pipelines are compared on it: it has perspectives to cover, or it has no answer. */
export function isMeasured({
  perspectives,
  answerable,
}: Pick<Query, 'perspectives' | 'answerable'>): boolean {
  return perspectives.length > 0 || answerable === false;
}

/** Finds the eval query with a question's text, ignoring case and surrounding whitespace. */
export function findEvalQuery(queries: readonly EvalQuery[], text: string): EvalQuery | undefined {
  const key = questionKey(text);
  return queries.find((query) => questionKey(query.text) === key);
}

/** The queries of one eval set with perspectives, to measure a change of a pipeline on. */
export interface MeasuredSet {
  readonly evalSet: string;
  readonly queries: readonly EvalQuery[];
}

/** The eval set of a question, or else the first one. `undefined` if none has perspectives. */
export function measuredSet(queries: readonly EvalQuery[], text: string): MeasuredSet | undefined {
  const covered = queries.filter(({ perspectives }) => perspectives.length > 0);
  const evalSet = (findEvalQuery(covered, text) ?? covered[0])?.evalSet;
  if (evalSet === undefined) return undefined;
  return { evalSet, queries: covered.filter((query) => query.evalSet === evalSet) };
}
