/** Queries of eval sets, and how a question that somebody typed is found among them. */
import type { Query } from '../core/model.ts';
import { questionKey } from '../core/text/question.ts';

export interface EvalQuery extends Query {
  /** Path of its eval set relative to the workspace. */
  readonly evalSet: string;
}

/** Perspectives of an eval query, found by the question's text: case and outer whitespace do not matter. */
export function findEvalQuery(queries: readonly EvalQuery[], text: string): EvalQuery | undefined {
  const wanted = questionKey(text);
  return queries.find((query) => questionKey(query.text) === wanted);
}
