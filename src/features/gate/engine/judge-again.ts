/** Judges again what a gate would count as lost since the baseline. Each repeat has its own stored answers. */
import * as l10n from '@vscode/l10n';
import { ParallaxError, throwIfCancelled } from '../../../core/errors.ts';
import type { Baseline } from '../core/baseline.ts';
import { findInBaseline } from '../core/compare-baseline.ts';
import { scored, type EvaluatedDataset } from '../core/evaluated.ts';
import type { RepeatedVerdict } from '../core/repeated-verdict.ts';
import { losingQueries, type LosingQuery } from '../core/lost-since.ts';
import type { GateSpec } from '../core/spec.ts';
import type { CorpusIndex } from '../../../engine/corpora/corpus-index.ts';
import type { Budget } from '../../../engine/judgements/budget.ts';
import type { JudgementService } from '../../../engine/judgements/judgement-service.ts';
import type { Judge } from '../../../engine/judges/judge.ts';
import type { StoredPassage, WorkOptions } from '../../../engine/types.ts';

export interface JudgingAgain {
  readonly spec: GateSpec;
  readonly baseline: Baseline;
  readonly index: CorpusIndex;
  readonly budget: Budget;
  readonly service: JudgementService;
  /** @param repeat from 2 */
  readonly repeatOf: (repeat: number) => Judge;
}

/**
 * @returns one entry for each lost perspective of each pipeline
 * @throws ParallaxError of a judge that leaves a pair unanswered, or whose budget is spent; `cancelled`
 */
export async function judgeAgain(
  dataset: EvaluatedDataset,
  again: JudgingAgain,
  { signal }: WorkOptions,
): Promise<RepeatedVerdict[]> {
  const { spec, baseline } = again;
  const verdicts: RepeatedVerdict[] = [];
  for (const result of scored(spec, dataset)) {
    const then = findInBaseline(baseline, result);
    if (typeof then === 'string') continue;
    for (const losing of losingQueries(result, then.pipeline)) {
      const ranked = (result.pipeline.run.get(losing.query.id) ?? []).map(({ item }) => item);
      for (const verdict of await repeatedOf(losing, ranked, again, signal))
        verdicts.push({ ...verdict, query: losing.query.id, pipeline: result.pipeline.name });
    }
  }
  return verdicts;
}

type Counted = Pick<RepeatedVerdict, 'perspective' | 'runs' | 'now' | 'then'>;

async function repeatedOf(
  { query, before, perspectives }: LosingQuery,
  ranked: readonly string[],
  again: JudgingAgain,
  signal: AbortSignal | undefined,
): Promise<Counted[]> {
  const { k, baseline } = again.spec;
  const runs = baseline?.repeats ?? 0;
  const [now, then] = [ranked, before.ranked].map((ids) => passagesOf(again.index, ids.slice(0, k)));
  // Keeps perspectives covered by passages that have since been deleted.
  const isGone = then!.length < Math.min(k, before.ranked.length);
  const counts = perspectives.map((perspective) => ({ perspective, runs, now: 0, then: 0 }));
  const passages = [...new Map([...now!, ...then!].map((passage) => [passage.slot, passage])).values()];
  const targets = query.perspectives.filter(({ id }) => perspectives.includes(id));
  for (let run = 0; run < runs; run++) {
    const judge = again.repeatOf(run + 2);
    const supported = await supportedIn({ query, perspectives: targets, passages }, judge, again, signal);
    const covers = (perspective: string, some: readonly StoredPassage[]): boolean =>
      some.some(({ slot }) => supported.has(`${slot} ${perspective}`));
    for (const count of counts) {
      if (covers(count.perspective, now!)) count.now++;
      if (isGone || covers(count.perspective, then!)) count.then++;
    }
  }
  return counts;
}

/** Pairs of a slot and a perspective that the judge or people call supported. */
async function supportedIn(
  task: {
    readonly query: LosingQuery['query'];
    readonly perspectives: LosingQuery['query']['perspectives'];
    readonly passages: readonly StoredPassage[];
  },
  judge: Judge,
  { index, budget, service }: JudgingAgain,
  signal: AbortSignal | undefined,
): Promise<Set<string>> {
  const judging = { ...task, index };
  const { failed, error } = await service.judge(judging, judge, () => undefined, { signal, budget });
  throwIfCancelled(signal);
  const isCut = budget.isSpent && (await service.openPairs(judging, judge)).length > 0;
  if (failed > 0 || isCut)
    throw new ParallaxError(
      error?.id ?? 'model-unreachable',
      error?.message ?? l10n.t('The budget was spent before what was lost had been judged again.'),
      { cause: error },
    );
  const known = await service.known(judging, judge);
  return new Set(
    known
      .filter(({ judgement }) => judgement.verdict === 'yes')
      .map(({ slot, perspectiveId }) => `${slot} ${perspectiveId}`),
  );
}

function passagesOf(index: CorpusIndex, ids: readonly string[]): StoredPassage[] {
  return ids.flatMap((id) => index.passageById(id) ?? []);
}
