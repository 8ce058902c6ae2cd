/** Queries of eval sets, and how a question that somebody typed is found among them. */
import type { Query } from '../core/model.ts';
import { questionKey } from '../core/text/question.ts';

export interface EvalQuery extends Query {
  /** Path of its eval set relative to the workspace. */
  readonly evalSet: string;
}

/** The question with its perspectives as requests for rankings take it: nothing of its eval set, no gold answers. */
export function plainQuery({ id, text, perspectives, tags }: EvalQuery): Omit<Query, 'answers'> {
  return { id, text, perspectives, ...(tags ? { tags } : {}) };
}

/** Perspectives of an eval query, found by the question's text: case and outer whitespace do not matter. */
export function findEvalQuery(queries: readonly EvalQuery[], text: string): EvalQuery | undefined {
  const wanted = questionKey(text);
  return queries.find((query) => questionKey(query.text) === wanted);
}
