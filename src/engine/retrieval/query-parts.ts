/** The parts of a query for steps that search once per perspective: its root, its perspectives, and both together. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { PerspectivesFrom, ProjectionSpec } from '../../core/rerank/rerankers.ts';
import type { WorkOptions } from '../types.ts';
import type { PipelineQuery, PipelineServices } from './pipeline-services.ts';
import type { Read } from '../../core/read.ts';
import type { querySplitSchema } from '../../features/inspector/contract/requests.ts';

export type QueryParts = Read<typeof querySplitSchema>;

/** The same with a perspective. */
export interface ProjectedQuery extends QueryParts {
  readonly perspective: string;
}

/**
 * The perspectives of a query that a step works with.
 *
 * @param step name of the step, for messages
 * @throws ParallaxError `bad-argument` if there are none, and what the services throw
 */
export async function perspectiveTexts(
  query: PipelineQuery,
  from: PerspectivesFrom,
  step: string,
  services: Pick<PipelineServices, 'propose'>,
  work: WorkOptions,
): Promise<readonly string[]> {
  const texts =
    from.perspectives === 'given'
      ? query.perspectives.map(({ text }) => text)
      : await services.propose(query.text, from, work);
  if (texts.length === 0) throw noPerspectives(step);
  return texts;
}

export function noPerspectives(step: string): ParallaxError {
  return new ParallaxError(
    'bad-argument',
    l10n.t`The step "${step}" needs perspectives, and this question has none. Add some.`,
  );
}

/**
 * The texts that a projection searches for, one entry per perspective.
 *
 * @throws ParallaxError as {@link perspectiveTexts}; `model-answer` naming a query that could not be split, since
 *   there is no silent substitute
 */
export async function queryParts(
  query: PipelineQuery,
  projection: ProjectionSpec,
  services: Pick<PipelineServices, 'propose' | 'split'>,
  work: WorkOptions,
): Promise<readonly QueryParts[]> {
  if (projection.split === 'model') return splitQueries(query, projection.model, services, work);
  const perspectives = await perspectiveTexts(query, projection, 'projection', services, work);
  const fullTexts = projection.perspectives === 'given' ? query.fullTexts : undefined;
  return perspectives.map((perspective, index) => ({
    root: query.text,
    perspective,
    full: fullTexts?.[index] ?? `${query.text} ${perspective}`,
  }));
}

/** Does not read the query's perspectives, since its results are measured by them. */
async function splitQueries(
  { text, fullTexts = [text] }: PipelineQuery,
  model: string | undefined,
  services: Pick<PipelineServices, 'split'>,
  work: WorkOptions,
): Promise<readonly QueryParts[]> {
  const parts: QueryParts[] = [];
  for (const full of fullTexts) parts.push({ full, ...(await services.split(full, model, work)) });
  return parts;
}
