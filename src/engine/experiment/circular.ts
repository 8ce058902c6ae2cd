/**
 * A ranking that a judge made is at its best in that judge's eyes: what it says supports comes first, errors included,
 * so that the figure rises with the judge's errors. Such a figure certifies no gain.
 *
 * Source: Clarke and Dietz 2024, LLM-based relevance assessment still can't replace human relevance assessment.
 */
import { needsOf } from '../../core/pipeline-needs.ts';
import type { Pipeline } from '../../core/pipeline.ts';
import type { JudgeConfig } from '../../shared/judge-config.ts';
import type { CollectedJudgements } from './collected-judgements.ts';
import { isOfPeople } from './label-source.ts';
import type { PipelineRuns } from './pipeline-runs.ts';

type JudgeConfigs = Readonly<Record<string, JudgeConfig>>;

/**
 * @param scoring name of the judge whose answers figures rest on
 * @returns the judge of a step that is the same, or asks the same model; nothing where the two are different
 */
export function judgeOfBoth(
  pipeline: Pipeline,
  scoring: string | undefined,
  judges: JudgeConfigs,
): string | undefined {
  if (scoring === undefined) return undefined;
  return needsOf(pipeline).judges.find(
    (judge) => judge === scoring || haveSameModel(judges[judge], judges[scoring]),
  );
}

/** Prompts differ, but a model's opinion of a passage is one. */
function haveSameModel(one: JudgeConfig | undefined, other: JudgeConfig | undefined): boolean {
  if (one?.type === 'openai' && other?.type === 'openai')
    return one.model === other.model && one.baseUrl === other.baseUrl;
  if (one?.type === 'vscode' && other?.type === 'vscode') return one.id !== undefined && one.id === other.id;
  return false;
}

/** The judge that both made the ranking and scores it; nothing where only people, or others, have said anything. */
export function circularIn(
  { judgeOfBoth: judge }: Pick<PipelineRuns, 'judgeOfBoth'>,
  { tally }: Pick<CollectedJudgements, 'tally'>,
): string | undefined {
  const isAsked = tally.by.some((by) => !isOfPeople(by));
  return isAsked ? judge : undefined;
}
