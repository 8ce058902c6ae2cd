/**
 * A ranking made by a judge looks best to that same judge: it puts first what the judge calls support, errors
 * included, so its figure rises with the judge's errors. Such a figure does not prove a gain.
 *
 * Source: Clarke and Dietz 2024, LLM-based relevance assessment still can't replace human relevance assessment.
 */
import { needsOf } from '../../core/pipeline-needs.ts';
import type { Pipeline } from '../../core/pipeline.ts';
import { judgeTypeOf, type JudgeConfig } from '../../shared/judge-config.ts';
import type { CollectedJudgements } from './collected-judgements.ts';
import { isOfPeople } from './label-source.ts';
import type { PipelineRuns } from './pipeline-runs.ts';

interface Models {
  readonly judges: Readonly<Record<string, JudgeConfig>>;
  /** The judge whose model writes for steps that name no model. */
  readonly generator?: string | undefined;
}

/**
 * @param scoring name of the judge that figures rest on
 * @returns the judge of a step (or the judge that writes what is searched for) that is the same or shares a model;
 *   `undefined` if the two are different
 */
export function judgeOfBoth(
  pipeline: Pipeline,
  scoring: string | undefined,
  { judges, generator }: Models,
): string | undefined {
  if (scoring === undefined) return undefined;
  const needs = needsOf(pipeline);
  const writers = needs.writers.flatMap((writer) => writer ?? generator ?? []);
  const scored = modelsOf(scoring, judges);
  return [...needs.judges, ...writers].find(
    (judge) => judge === scoring || [...modelsOf(judge, judges)].some((model) => scored.has(model)),
  );
}

/** The models that a judge asks, directly or through other judges. Prompts differ, but a model has one opinion. */
function modelsOf(
  name: string,
  judges: Models['judges'],
  seen: Set<string> = new Set(),
): ReadonlySet<string> {
  const config = seen.has(name) || !Object.hasOwn(judges, name) ? undefined : judges[name];
  seen.add(name);
  if (!config) return new Set();
  const { modelKey, asks } = judgeTypeOf(config);
  const models = (asks?.(config) ?? []).flatMap((other) => [...modelsOf(other, judges, seen)]);
  const own = modelKey?.(config);
  return new Set(own === undefined ? models : [own, ...models]);
}

/** The judge that both made the ranking and scores it. `undefined` if all judgements are by people or other judges. */
export function circularIn(
  { judgeOfBoth: judge }: Pick<PipelineRuns, 'judgeOfBoth'>,
  { tally }: Pick<CollectedJudgements, 'tally'>,
): string | undefined {
  const isAsked = tally.by.some((by) => !isOfPeople(by));
  return isAsked ? judge : undefined;
}
