/** Estimates the cost of a run before anything is paid for. */
import { twoSided } from '../../../core/analysis/leaning.ts';
import type { Query } from '../../../core/model.ts';
import type { Pipeline } from '../../../core/pipeline.ts';
import { dependsOnWriting, needsOf } from '../../../core/pipeline-needs.ts';
import type { Workload } from '../../../shared/judge-effort.ts';
import type { Params } from '../../../shared/rpc.ts';
import type { Effort } from '../../../shared/requests/spending.ts';
import { judgeEffort } from '../../../shared/named-judges.ts';
import { embeddingRequests } from '../../../shared/config.ts';
import type { AgentHost, AgentWork, AgentWorkspace } from './host.ts';
import { compareRequest, type Run } from './run.ts';

export interface RunCost {
  /** Upper bound of the requests that steps of the pipelines send to models; Infinity if there is none. */
  readonly pipelineRequests: number;
  /** The user's own retrievers that are queried, by the names of their pipelines. */
  readonly ownRetrievers: readonly string[];
  /** `undefined` if no judge is asked. */
  readonly judging: JudgingCost | undefined;
}

export interface JudgingCost {
  readonly judge: string;
  /** Upper bound of the pairs without a verdict. */
  readonly pairs: number;
  readonly effort: Effort;
}

/** Assumed length of a passage that is not known yet, in characters: about 100 words. */
const USUAL_PASSAGE = 600;

/**
 * Sends no requests to models. If every pipeline is free to run, counts the unjudged pairs; else estimates an upper
 * bound.
 *
 * @throws ParallaxError the engine's error
 */
export async function runCost(
  run: Run,
  host: Pick<AgentHost, 'request'>,
  workspace: AgentWorkspace,
  work: AgentWork,
): Promise<RunCost> {
  const { corpus } = run;
  const { indexed, passages } = await host.request('status', { corpus }, work);
  const pipelineRequests = modelRequests(run, workspace, indexed ? passages : undefined);
  const ownRetrievers = run.pipelines.flatMap(({ name, pipeline }) =>
    needsOf(pipeline).external ? [name] : [],
  );
  const estimated = run.judge ? judgingAtMost(run, workspace) : undefined;
  const isFree = pipelineRequests === 0 && ownRetrievers.length === 0;
  const isCounted = estimated !== undefined && estimated.effort.requests.most > 0 && indexed && isFree;
  return {
    pipelineRequests,
    ownRetrievers,
    judging: isCounted ? await countedJudging(run, host, workspace, work) : estimated,
  };
}

/** Counts unjudged pairs in the top k. This runs the pipelines, whose results are cached. */
export async function countedJudging(
  run: Run,
  host: Pick<AgentHost, 'request'>,
  workspace: AgentWorkspace,
  work: AgentWork,
  limit: Pick<Params<'figuresCost'>, 'budget'> = {},
): Promise<JudgingCost> {
  const { judge, prices } = workspace;
  const request = { ...compareRequest(run, workspace), scope: 'figures' as const, prices, ...limit };
  const { pairs, known, effort } = await host.request('figuresCost', request, work);
  return { judge, pairs: pairs - known, effort };
}

function judgingAtMost(run: Run, { judge, judges, prices }: AgentWorkspace): JudgingCost {
  const passageCount = run.pipelines.length * run.k;
  const pairs = run.queries.reduce((sum, { perspectives }) => sum + passageCount * perspectives.length, 0);
  const workload = { pairs, passages: passageCount * run.queries.length, passageLength: USUAL_PASSAGE };
  return { judge, pairs, effort: judgeEffort(judge, judges, workload, prices) };
}

/**
 * Upper bound of the requests that steps of the pipelines send to models while they search. Cached replies may reduce
 * it.
 *
 * @param passages of the corpus; `undefined` before it has an index
 */
export function modelRequests(run: Run, workspace: AgentWorkspace, passages: number | undefined): number {
  return run.pipelines.reduce(
    (sum, { pipeline }) => sum + requestsOf(pipeline, run.queries, workspace, passages),
    0,
  );
}

function requestsOf(
  pipeline: Pipeline,
  queries: Run['queries'],
  { config, judges }: AgentWorkspace,
  passages: number | undefined,
): number {
  const needs = needsOf(pipeline);
  const searches = dependsOnWriting(needs) ? queries.length : searchesOf(queries);
  const most = mostPerspectives(queries);
  const embedded = [...new Set(needs.embedders)].map((name) => {
    const embedder = Object.hasOwn(config.embedders, name) ? config.embedders[name] : undefined;
    if (embedder?.type !== 'openai') return 0;
    if (passages === undefined) return Number.POSITIVE_INFINITY;
    // A projection or an expansion also embeds perspectives or written passages.
    return searches * (2 + most + needs.writers.length) + embeddingRequests(passages, embedder);
  });
  return embedded.reduce((sum, one) => sum + one, chatRequests(pipeline, { queries, searches, judges }));
}

/** Upper bound of the requests to chat models by steps of a pipeline. */
export function chatRequests(
  pipeline: Pipeline,
  {
    queries,
    searches = queries.length,
    judges,
  }: {
    readonly queries: readonly Pick<Query, 'perspectives'>[];
    readonly searches?: number;
    readonly judges: AgentWorkspace['judges'];
  },
): number {
  const most = mostPerspectives(queries);
  const judged = pipeline.rerank.map((step) => {
    if (step.type !== 'coverage') return 0;
    const names = [step.judge, ...(step.also ?? [])];
    const passageCount = searches * pipeline.candidates * names.length;
    const pairs = Math.min(passageCount * most, searches * (step.requests ?? Number.POSITIVE_INFINITY));
    const workload: Workload = {
      pairs,
      passages: Math.min(passageCount, pairs),
      passageLength: USUAL_PASSAGE,
    };
    return Math.max(...names.map((name) => judgeEffort(name, judges, workload, {}).requests.most));
  });
  return judged.reduce((sum, one) => sum + one, needsOf(pipeline).writers.length * queries.length);
}

function mostPerspectives(queries: readonly Pick<Query, 'perspectives'>[]): number {
  return Math.max(0, ...queries.map(({ perspectives }) => perspectives.length));
}

/** A comparison also searches for both sides of a question, and for each perspective with a group. */
function searchesOf(queries: Run['queries']): number {
  const grouped = queries.map(({ perspectives }) => perspectives.filter(({ group }) => group !== undefined));
  const roots = grouped.filter(({ length }) => length > 0).length;
  return queries.length + 2 * twoSided(queries).length + grouped.flat().length + roots;
}
