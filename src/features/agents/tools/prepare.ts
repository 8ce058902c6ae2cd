/** Prepares a run: ensures that the corpus has an index, and reserves the model requests of the pipelines. */
import { Allowance } from '../../../shared/requests/spending.ts';
import type { CallBudget } from './call-budget.ts';
import { modelRequests } from './cost.ts';
import type { AgentHost, AgentWork, AgentWorkspace } from './host.ts';
import type { Run } from './run.ts';

export interface Prepared {
  /** The number of passages of the corpus. */
  readonly passages: number;
  /** Upper bound of the requests that the pipelines send to models. */
  readonly requests: number;
  /** Refuses further requests, because one that fails is sent again. */
  readonly work: AgentWork;
}

/** @throws ParallaxError `bad-argument` for more model requests than the budget allows, or the engine's error */
export async function prepare(
  run: Run,
  host: AgentHost,
  workspace: AgentWorkspace,
  budget: CallBudget,
  work: AgentWork,
): Promise<Prepared> {
  const { corpus, pipelines } = run;
  const names = pipelines.map(({ name }) => `"${name}"`).join(', ');
  // Indexing may include embedding the passages.
  budget.require(modelRequests(run, workspace, 0), names).settle(0);
  await host.prepareCorpus(corpus, work);
  const { passages } = await host.request('status', { corpus }, work);
  const requests = Math.ceil(modelRequests(run, workspace, passages));
  budget.require(requests, names);
  return { passages, requests, work: limited(work, requests, budget) };
}

/** @param requests that are reserved */
export function limited(work: AgentWork, requests: number, { isLimited }: CallBudget): AgentWork {
  return isLimited ? { ...work, allowance: new Allowance({ of: requests, left: requests }) } : work;
}
