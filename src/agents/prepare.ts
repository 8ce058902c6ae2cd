/** Before a run: the corpus has an index, and what the pipelines may ask models is set aside. */
import type { CallBudget } from './call-budget.ts';
import { modelRequests } from './cost.ts';
import type { AgentHost, AgentWork, AgentWorkspace } from './host.ts';
import type { Run } from './run.ts';

export interface Prepared {
  /** Of the corpus. */
  readonly passages: number;
  /** Requests to models that the pipelines may send, at most. */
  readonly requests: number;
}

/** @throws ParallaxError `bad-argument` for more requests to models than the budget allows; as the engine does */
export async function prepare(
  run: Run,
  host: AgentHost,
  workspace: AgentWorkspace,
  budget: CallBudget,
  work: AgentWork,
): Promise<Prepared> {
  const { corpus, pipelines } = run;
  const names = pipelines.map(({ name }) => `"${name}"`).join(', ');
  // Embedding the passages may be part of making the index.
  budget.require(modelRequests(run, workspace, 0), names).settle(0);
  await host.prepareCorpus(corpus, work);
  const { passages } = await host.request('status', { corpus }, work);
  // An answer may be asked for again: the estimate is what is set aside, and the limit.
  const requests = Math.ceil(modelRequests(run, workspace, passages));
  budget.require(requests, names);
  return { passages, requests };
}
