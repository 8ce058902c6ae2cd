/** The judgements behind a gate's figures: human labels, what the judge answered before, and what it answers now. */
import * as l10n from '@vscode/l10n';
import { ParallaxError, throwIfCancelled } from '../../core/errors.ts';
import type { Baseline, JudgementSummary } from '../../core/gate/baseline.ts';
import type { EvaluatedDataset, EvaluatedQuery } from '../../core/gate/evaluated.ts';
import { depthOf } from '../../core/gate/spec.ts';
import type { Judge } from '../judges/judge.ts';
import type { JudgementService, JudgingTask } from '../judgements/judgement-service.ts';
import { Pace } from '../concurrency/pace.ts';
import type { Slot, StoredPassage, WorkOptions } from '../types.ts';
import type { GateDataset } from './eval-sets.ts';
import type { GateConditions, GateCorpus, PipelineSlots } from './evaluate-dataset.ts';
import { JudgementTally } from './judgement-tally.ts';

/** @throws ParallaxError as `evaluateDataset` */
export async function judgeDataset(
  dataset: GateDataset,
  runs: readonly PipelineSlots[],
  corpus: GateCorpus,
  conditions: GateConditions,
  { signal, onProgress }: WorkOptions,
): Promise<EvaluatedDataset> {
  const judging = new GateJudging(runs, corpus, conditions, signal);
  const kept = baselineRankings(conditions.baseline, dataset.name);
  const pace = new Pace({ signal });
  const qrels = new Map<string, Topic>();
  for (const query of dataset.queries) {
    qrels.set(query.id, await judging.topic(query, kept.get(query.id) ?? []));
    const { length: total } = dataset.queries;
    onProgress?.({ done: qrels.size, total, detail: l10n.t`Judging ${dataset.name}` });
    if (pace.due) await pace.rest();
  }
  return {
    ...dataset,
    corpus: corpus.described,
    qrels,
    judgements: judging.summary,
    // The index may be closed by the time anybody asks.
    pathOf: (passage) => judging.paths.get(passage) ?? passage,
    pipelines: runs.map(({ slots, ...pipeline }) => ({
      ...pipeline,
      run: new Map(
        [...slots].map(([query, ranked]) => [
          query,
          ranked.map((slot, place) => ({ item: corpus.index.passageId(slot), score: -place })),
        ]),
      ),
    })),
  };
}

/** Relevance by perspective and passage id. */
type Topic = Map<string, Map<string, number>>;
type Learn = Parameters<JudgementService['judge']>[2];

class GateJudging {
  readonly #runs: readonly PipelineSlots[];
  readonly #corpus: GateCorpus;
  readonly #conditions: GateConditions;
  readonly #signal: AbortSignal | undefined;
  readonly #tally: JudgementTally;
  /** Documents by the ids of their passages, as far as anything is known of them. */
  readonly paths = new Map<string, string>();

  constructor(
    runs: readonly PipelineSlots[],
    corpus: GateCorpus,
    conditions: GateConditions,
    signal: AbortSignal | undefined,
  ) {
    this.#runs = runs;
    this.#corpus = corpus;
    this.#conditions = conditions;
    this.#signal = signal;
    this.#tally = new JudgementTally(conditions.judge, corpus.judge?.heuristic ?? false);
  }

  get summary(): JudgementSummary {
    return this.#tally.summary;
  }

  /** @param kept passages that the baseline ranked */
  async topic(query: EvaluatedQuery, kept: readonly string[]): Promise<Topic> {
    const { index, judgementService, judge } = this.#corpus;
    const { spec } = this.#conditions;
    const { perspectives } = query;
    const top = new Set(this.#retrieved(query, spec.k));
    const deep = index.passages([...new Set(this.#retrieved(query, Infinity))]);
    const passages = distinct([...deep, ...kept.flatMap((id) => index.passageById(id) ?? [])]);
    const topic: Topic = new Map(perspectives.map(({ id }) => [id, new Map<string, number>()]));
    const ids = new Map(passages.map(({ slot, id }) => [slot, id]));
    for (const { id, documentId } of passages) this.paths.set(id, documentId);
    this.#tally.expect(top.size * perspectives.length);
    const learn: Learn = ({ slot, perspectiveId, judgement }) => {
      topic.get(perspectiveId)!.set(ids.get(slot)!, judgement.verdict === 'yes' ? 1 : 0);
      if (top.has(slot)) this.#tally.count(judgement);
    };

    const judgingTask: JudgingTask = { query, perspectives, passages };
    for (const pair of await judgementService.known(judgingTask, judge)) learn(pair);
    if (judge) await this.#judge(query, judgingTask, kept, judge, learn);
    throwIfCancelled(this.#signal);
    await this.#addSupporters(query, topic);
    return topic;
  }

  #retrieved({ id }: EvaluatedQuery, depth: number): Slot[] {
    return this.#runs.flatMap(({ slots }) => slots.get(id)!.slice(0, depth));
  }

  async #judge(
    query: EvaluatedQuery,
    judgingTask: JudgingTask,
    kept: readonly string[],
    judge: Judge,
    learn: Learn,
  ): Promise<void> {
    const { spec, ask } = this.#conditions;
    const { judgementService } = this.#corpus;
    if (judge.heuristic) await judgementService.judge(judgingTask, judge, learn, { signal: this.#signal });
    else if (ask) {
      // What costs something is asked about what the figures look at, not about all candidates.
      const seen = new Set(this.#retrieved(query, depthOf(spec)));
      const looked = judgingTask.passages.filter(({ slot, id }) => seen.has(slot) || kept.includes(id));
      await this.#ask(query, { ...judgingTask, passages: looked }, judge, learn);
    }
  }

  async #ask(query: EvaluatedQuery, judgingTask: JudgingTask, judge: Judge, learn: Learn): Promise<void> {
    const { budget, judge: name, keepsAnswers } = this.#conditions;
    const { judgementService } = this.#corpus;
    const { failed, error } = await judgementService.judge(judgingTask, judge, learn, {
      budget,
      signal: this.#signal,
    });
    throwIfCancelled(this.#signal);
    if (failed > 0)
      throw new ParallaxError(
        error?.id ?? 'model-unreachable',
        error === undefined
          ? l10n.t`The judge "${name}" left ${failed} pairs of the query "${query.id}" unanswered.`
          : l10n.t`The judge "${name}" left ${failed} pairs of the query "${query.id}" unanswered. ${error.message}`,
        { cause: error },
      );
    if (budget.isSpent && (await judgementService.openPairs(judgingTask, judge)).length > 0)
      throw new ParallaxError(
        'model-unreachable',
        keepsAnswers
          ? l10n.t('The budget was spent before all pairs were judged. What was answered is kept.')
          : l10n.t(
              'The budget was spent before all pairs were judged. What was answered is kept only with --store.',
            ),
      );
  }

  /** Passages that no pipeline ranked, and that people labelled as supporting. */
  async #addSupporters(query: EvaluatedQuery, topic: Topic): Promise<void> {
    const { index, judgementService, judge } = this.#corpus;
    const passagesOf = (document: string): StoredPassage[] => index.passagesOf(document);
    const supporters = await judgementService.supporters(query, query.perspectives, passagesOf, judge);
    for (const { perspectiveId, passageId, path: document } of supporters) {
      topic.get(perspectiveId)!.set(passageId, 1);
      this.paths.set(passageId, document);
    }
  }
}

/** Everything that the baseline ranked for each query, so that its figures can be worked out again. */
function baselineRankings(baseline: Baseline | undefined, dataset: string): Map<string, string[]> {
  const rankings = new Map<string, string[]>();
  for (const { name, pipelines } of baseline?.datasets ?? [])
    if (name === dataset)
      for (const { queries } of pipelines)
        for (const { id, ranked } of queries) rankings.set(id, [...(rankings.get(id) ?? []), ...ranked]);
  return rankings;
}

function distinct(passages: readonly StoredPassage[]): StoredPassage[] {
  return [...new Map(passages.map((passage) => [passage.slot, passage])).values()];
}
