/** Measures a run: judges what is unjudged within the budget, and compares the pipelines. */
import { throwIfCancelled } from '../../../core/errors.ts';
import { unreadableText } from '../../../core/judging/unreadable.ts';
import type { Evaluation } from '../../../evaluation/evaluation.ts';
import { judgeTypeOf } from '../../../shared/judge-config.ts';
import type { Params, Result } from '../../../shared/rpc.ts';
import type { CallBudget } from './call-budget.ts';
import { countedJudging } from './cost.ts';
import type { AgentHost, AgentWork, AgentWorkspace } from './host.ts';
import { prepare } from './prepare.ts';
import { compareRequest, type Run } from './run.ts';

/** The result of the judging before a measurement. */
interface Judging {
  readonly judge: string;
  /** The numbers of pairs asked about, of those with an answer, and of requests sent. */
  readonly asked?: number;
  readonly answered?: number;
  readonly requests?: number;
  /** Whether the budget ran out before all figures were settled. */
  readonly stopped?: boolean;
  /** A sentence on the number of unreadable answers, and on whether the figures are still valid. */
  readonly unreadable?: string;
  /** Why some pairs have no answer. */
  readonly error?: string;
  /** Why no judge was asked. */
  readonly refused?: string;
}

export interface Measured {
  readonly comparison: Evaluation;
  readonly judging: Judging | undefined;
  /** Refuses requests to models beyond the reserved ones. */
  readonly work: AgentWork;
}

/**
 * @throws ParallaxError `bad-argument` if the pipelines may exceed the budget of model requests, or the engine's error
 */
export async function measure(
  run: Run,
  host: AgentHost,
  workspace: AgentWorkspace,
  unlimited: AgentWork,
): Promise<Measured> {
  const request = compareRequest(run, workspace);
  const budget = host.budget();
  const { requests, work } = await prepare(run, host, workspace, budget, unlimited);
  const limit = budget.isLimited ? { budget: { requests } } : {};
  throwIfCancelled(work.signal);
  if (!run.judge)
    return {
      comparison: await host.request('compare', { ...request, ...limit }, work),
      judging: undefined,
      work,
    };
  const judging = await judgeOpen(run, host, workspace, budget, work, limit);
  throwIfCancelled(work.signal);
  // If the pairs were counted, the pipelines have run already and the replies are cached.
  const hasRun = budget.isLimited && !isOfPeople(workspace);
  const rest = hasRun ? { budget: { requests: 0 } } : limit;
  return { comparison: await host.request('compare', { ...request, ...rest }, work), judging, work };
}

/** Whether only human labels count and no model can be asked. */
function isOfPeople({ judge, judges }: AgentWorkspace): boolean {
  const config = judges[judge];
  return config !== undefined && judgeTypeOf(config).answeredBy === 'people';
}

/** The limit for requests by steps of the pipelines. */
type PipelineLimit = Pick<Params<'compare'>, 'budget'>;

/** @param work counts requests of pipelines, which may run again here; the judge's are limited by `budget` */
async function judgeOpen(
  run: Run,
  host: AgentHost,
  workspace: AgentWorkspace,
  budget: CallBudget,
  work: AgentWork,
  pipelines: PipelineLimit,
): Promise<Judging> {
  const { judge } = workspace;
  if (isOfPeople(workspace))
    return { judge, refused: 'People are the judge of this workspace: nobody else can be asked.' };
  const { pairs, effort } = await countedJudging(run, host, workspace, work, pipelines);
  if (pairs === 0) return { judge, asked: 0 };
  const most = Math.ceil(effort.requests.most);
  const requests = budget.beyond === 'stop' ? Math.min(most, budget.left) : most;
  const reserved = most > 0 && requests === 0 ? undefined : budget.reserve(requests);
  if (!reserved) {
    const why = budget.refusal(most, `The judge "${judge}"`);
    return { judge, refused: `${why} The figures rest on what was judged before.` };
  }
  // A judge without requests, such as a local model, needs no budget.
  const limit = most > 0 ? { budget: { requests } } : {};
  const report = await host.request(
    'judgeFigures',
    { ...compareRequest(run, workspace), scope: 'figures', ...limit },
    work,
  );
  reserved.settle(most > 0 ? report.requests : 0);
  return judgingOf(judge, report);
}

function judgingOf(judge: string, report: Result<'judgeFigures'>): Judging {
  const { asked, answered, unreadable, unreadableReason: reason, requests, stopped, error } = report;
  const unread = unreadableText({ unreadable, answers: answered + unreadable, reason });
  return {
    judge,
    asked,
    answered,
    requests,
    ...(stopped ? { stopped } : {}),
    ...(unread === undefined ? {} : { unreadable: unread }),
    ...(error === undefined ? {} : { error }),
  };
}
