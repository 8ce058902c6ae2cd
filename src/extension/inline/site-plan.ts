/** What is to be run for a call site, and on which questions. Knows nothing of the editor. */
import { createHash } from 'node:crypto';
import { whatIfs, type WhatIf } from '../../core/inline/what-ifs.ts';
import { isExternal, type Pipeline } from '../../core/pipeline.ts';
import type { ParallaxConfig } from '../../shared/config.ts';
import type { Params } from '../../shared/rpc.ts';
import type { CallSite } from '../../sites/model.ts';
import { isRebuilt, rebuild, type NotRebuilt, type Origin } from '../../sites/rebuild.ts';
import { datasetNames } from '../compare/dataset-names.ts';
import { chooseJudge, judgeChoices } from '../inspector/judge-choice.ts';
import type { EvalQuery } from '../workspace/workspace-model.ts';

export interface PlanningWorkspace {
  readonly config: ParallaxConfig;
  readonly evalQueries: readonly EvalQuery[];
  readonly trusted: boolean;
  /** Setting `parallax.judge`. */
  readonly judge: string;
}

export interface SitePlan {
  readonly origin: Origin;
  readonly boundTo: string | undefined;
  /** What the call does, under the name that stands in the compare panel. */
  readonly base: { readonly name: string; readonly pipeline: Pipeline };
  readonly whatIfs: readonly WhatIf[];
  readonly evalSet: string;
  readonly corpus: string;
  readonly caveats: readonly string[];
}

export interface NotPlanned {
  readonly reason: NotRebuilt['reason'] | 'no-eval-set' | 'no-corpus' | 'untrusted';
  /** A sentence for the user. */
  readonly message: string;
}

/**
 * @param file path of the program relative to the workspace folder
 */
export function planSite(site: CallSite, file: string, workspace: PlanningWorkspace): SitePlan | NotPlanned {
  const { config, evalQueries, trusted } = workspace;
  // Models that a workspace names stay out of reach until it is trusted.
  const embedders = trusted ? config.embedders : {};
  const rebuilt = rebuild(site, file, { ...config, embedders });
  if (!isRebuilt(rebuilt)) return rebuilt;
  if (isExternal(rebuilt.pipeline.retriever) && !trusted)
    return {
      reason: 'untrusted',
      message: 'Trust this workspace before Parallax runs or contacts the retriever that it names.',
    };
  const corpus = config.corpus ?? Object.keys(config.corpora)[0];
  if (corpus === undefined) return { reason: 'no-corpus', message: 'parallax.json names no corpus.' };
  const evalSets = [...new Set(evalQueries.map(({ evalSet }) => evalSet))];
  const wanted = site.comment?.eval;
  const evalSet = wanted === undefined ? evalSets[0] : findEvalSet(evalSets, wanted);
  if (evalSet === undefined)
    return {
      reason: 'no-eval-set',
      message:
        wanted === undefined
          ? 'There is no eval set: name one under evalSets in parallax.json.'
          : `parallax.json names no eval set called "${wanted}".`,
    };
  const hasPerspectives = evalQueries.some(
    (query) => query.evalSet === evalSet && query.perspectives.length > 0,
  );
  const name = rebuilt.boundTo ?? `${site.callee} (rebuilt)`;
  return {
    origin: rebuilt.origin,
    boundTo: rebuilt.boundTo,
    base: { name, pipeline: rebuilt.pipeline },
    whatIfs: whatIfs(rebuilt.pipeline, hasPerspectives).filter((whatIf) => whatIf.name !== name),
    evalSet,
    corpus,
    caveats: [
      ...rebuilt.caveats,
      ...(wanted === undefined && evalSets.length > 1
        ? [
            `Asked on the first of ${evalSets.length} eval sets; a comment "parallax: eval=name" chooses another.`,
          ]
        : []),
      ...(site.assumesTopToBottom ? ['Read as if the cells are run from top to bottom.'] : []),
    ],
  };
}

export function isPlanned(planned: SitePlan | NotPlanned): planned is SitePlan {
  return 'base' in planned;
}

/** By its path, its file name, or the name up to any dot of it: `faq` is `eval/faq.parallax.jsonl`. */
export function findEvalSet(evalSets: readonly string[], wanted: string): string | undefined {
  const file = (path: string): string => path.split('/').at(-1) ?? path;
  return (
    evalSets.find((path) => path === wanted || file(path) === wanted) ??
    evalSets.find((path) => file(path).startsWith(`${wanted}.`))
  );
}

/** What the engine is asked. */
export function planRequest(
  plan: SitePlan,
  { config, evalQueries, judge }: PlanningWorkspace,
): Params<'compare'> {
  const queries = evalQueries
    .filter(({ evalSet }) => evalSet === plan.evalSet)
    .map(({ id, text, perspectives, tags }) => ({
      id,
      text,
      perspectives: [...perspectives],
      ...(tags ? { tags: [...tags] } : {}),
    }));
  const [name] = datasetNames([plan]);
  return {
    judge: chooseJudge(judgeChoices(config), config, judge).name,
    datasets: [{ name: name!, corpus: plan.corpus, evalSet: plan.evalSet, queries }],
    pipelines: [plan.base, ...plan.whatIfs].map(({ name, pipeline }) => ({ name, pipeline })),
    k: plan.base.pipeline.k,
  };
}

/** Of the queries of a snapshot, which stay the same object until a file changes. */
const fingerprints = new WeakMap<readonly EvalQuery[], string>();

/** The same for two plans whose figures are the same as long as corpus and judgements are. */
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
