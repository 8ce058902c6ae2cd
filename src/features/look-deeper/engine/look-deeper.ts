/** Searches for a perspective beyond the candidates of a pipeline, and has the results judged until one supports it. */
import type { JudgedPair } from '../../../shared/requests/passages.ts';
import type { RetrieverSpec } from '../../../core/pipeline.ts';
import { retrieverLabel } from '../../../core/pipeline-label.ts';
import { Budget } from '../../../engine/judgements/budget.ts';
import type {
  JudgementService,
  JudgingTask,
  ReadReport,
} from '../../../engine/judgements/judgement-service.ts';
import type { Judge } from '../../../engine/judges/judge.ts';
import type { WorkOptions } from '../../../engine/types.ts';
import { probeSearches, readyRetrievers, type ProbeContext, type ProbeQuery } from './probe-searches.ts';
import type { ProbeFindings, Probed, Probes } from './probes.ts';

/**
 * Searches again if the corpus or the retrievers have changed since the last search.
 *
 * @throws ParallaxError as {@link probeSearches}
 */
export async function probe(
  probeQuery: ProbeQuery,
  retrievers: readonly RetrieverSpec[],
  probes: Probes,
  context: ProbeContext,
  work: WorkOptions,
): Promise<Probed> {
  const { index } = context;
  const read = (): Probed | undefined => probes.of(index, probeQuery.query, [probeQuery.perspective])[0];
  const ready = await readyRetrievers(index, retrievers);
  const known = read();
  if (known && isOf(known, ready)) return known;
  const findings: ProbeFindings = await probeSearches(probeQuery, ready, context, work);
  probes.put(index, probeQuery.query, probeQuery.perspective, findings);
  return read()!;
}

function isOf({ searches }: Probed, ready: readonly RetrieverSpec[]): boolean {
  const names = (labels: readonly string[]): string => [...new Set(labels)].join('\n');
  return names(searches.map(({ retriever }) => retriever)) === names(ready.map(retrieverLabel));
}

export interface JudgingDeeper {
  readonly task: JudgingTask;
  readonly judge: Judge;
  /** The most unjudged passages to ask the judge about. */
  readonly passages: number;
  /** The most requests. Defaults to no limit. */
  readonly requests?: number | undefined;
  readonly onJudgement: (pair: JudgedPair) => void;
}

/**
 * Asks about the passages in their order until one supports the perspective. Stores all answers.
 *
 * @returns undefined if support is known already, or nothing is left to ask
 */
export async function judgeUntilFound(
  service: JudgementService,
  { task, judge, passages, requests, onJudgement }: JudgingDeeper,
  work: WorkOptions,
): Promise<ReadReport | undefined> {
  const known = await service.known(task, judge);
  if (known.some(({ judgement }) => judgement.verdict === 'yes')) return undefined;
  const open = (await service.openPairs(task, judge)).slice(0, passages);
  if (open.length === 0) return undefined;
  const budget = new UntilFound(requests === undefined ? {} : { requests });
  const learn = (pair: JudgedPair): void => {
    if (pair.judgement.verdict === 'yes') budget.isFound = true;
    onJudgement(pair);
  };
  const turn = { ...task, passages: open.map(({ passage }) => passage) };
  return service.judge(turn, judge, learn, { ...work, budget });
}

/** Counts as spent once support is found, so that nothing more is asked. */
class UntilFound extends Budget {
  isFound = false;

  override get isSpent(): boolean {
    return this.isFound || super.isSpent;
  }
}
