/** The request for the figures of a call site, and a fingerprint of it. */
import { createHash } from 'node:crypto';
import { plainQuery, type EvalQuery } from '../../../shared/eval-query.ts';
import type { Params } from '../../../shared/rpc.ts';
import type { SitePlan, SiteWorkspace } from '../../../sites/plan.ts';
import { datasetNames } from '../../../extension/workspace/dataset-names.ts';
import { chooseJudge, judgeChoices } from '../../../extension/judging/judge-choice.ts';

export interface PlanningWorkspace extends SiteWorkspace {
  /** Setting `parallax.judge`. */
  readonly judge: string;
  /** Why `parallax.json` cannot be used, as a sentence. */
  readonly configProblem?: string | undefined;
}

/**
 * The request that compares the pipeline of a call with its what-ifs.
 *
 * @param questions ids of the questions to ask; defaults to the whole eval set
 */
export function planRequest(
  plan: SitePlan,
  { config, evalQueries, judge }: PlanningWorkspace,
  questions?: readonly string[],
): Params<'compare'> {
  const queries = evalQueries
    .filter(({ evalSet, id }) => evalSet === plan.evalSet && (questions?.includes(id) ?? true))
    .map(plainQuery);
  const [name] = datasetNames([plan]);
  return {
    judge: chooseJudge(judgeChoices(config), config, judge).name,
    datasets: [{ name: name!, corpus: plan.corpus, evalSet: plan.evalSet, queries }],
    pipelines: [plan.base, ...plan.whatIfs].map(({ name, pipeline }) => ({ name, pipeline })),
    k: plan.base.pipeline.k,
  };
}

/** By the queries of a snapshot, whose identity changes only with a file. */
const fingerprints = new WeakMap<readonly EvalQuery[], string>();

/** Equal for two plans whose figures are equal as long as the corpus and judgements do not change. */
export function fingerprint(plan: SitePlan, { config, evalQueries, judge }: PlanningWorkspace): string {
  let queries = fingerprints.get(evalQueries);
  if (queries === undefined) fingerprints.set(evalQueries, (queries = hash(evalQueries)));
  const { base, whatIfs: steps, evalSet, corpus } = plan;
  const embedders = config.embedders;
  const chosen = chooseJudge(judgeChoices(config), config, judge).name;
  return hash([base, steps, evalSet, corpus, config.corpora[corpus], embedders, chosen, queries]);
}

function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
}
