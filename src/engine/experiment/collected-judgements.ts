/** The judgements of all queries of a data set on everything that any pipeline retrieved for them. */
import { throwIfCancelled } from '../../core/errors.ts';
import type { Query, Ranked, Run } from '../../core/model.ts';
import type { DatasetView } from '../../shared/compare.ts';
import type { JudgedPair } from '../../shared/requests/passages.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import type { Judge } from '../judges/judge.ts';
import type { JudgementService } from '../judgements/judgement-service.ts';
import { Pace } from '../concurrency/pace.ts';
import type { Slot, StoredPassage } from '../types.ts';
import type { PipelineRuns, SlotRun } from './pipeline-runs.ts';
import { groupedPerspectives } from './questions.ts';

export interface JudgementSources {
  readonly index: CorpusIndex;
  readonly judgementService: JudgementService;
  /** Absent for human labels only. Heuristics are asked here; models only count with what they answered before. */
  readonly judge: Judge | undefined;
}

export interface NamedPassage {
  readonly id: string;
  readonly title: string;
}

export class CompareJudgements {
  readonly qrels = new Map<string, Map<string, Map<string, number>>>();
  readonly #passages = new Map<Slot, NamedPassage>();
  readonly #tally = new Map<string, DatasetView['sources'][number]>();
  readonly #sources: JudgementSources;
  readonly #k: number;

  private constructor(sources: JudgementSources, k: number) {
    this.#sources = sources;
    this.#k = k;
  }

  /**
   * @param k pairs of a passage in the top k of a question count as what the figures rest on
   * @throws ParallaxError `cancelled`
   */
  static async collect(
    queries: readonly Query[],
    runs: readonly PipelineRuns[],
    sources: JudgementSources,
    k: number,
    signal: AbortSignal | undefined,
  ): Promise<CompareJudgements> {
    const judgements = new CompareJudgements(sources, k);
    const pace = new Pace({ signal });
    for (const query of queries) {
      await judgements.#collect(query, runs, signal);
      throwIfCancelled(signal);
      if (pace.due) await pace.rest();
    }
    return judgements;
  }

  /** How many pairs within the top k rest on whose word. */
  get sources(): DatasetView['sources'] {
    return [...this.#tally.values()].sort((a, b) => b.count - a.count);
  }

  /** What a retrieved slot holds; nothing where the passage was deleted meanwhile. */
  passage(slot: Slot): NamedPassage | undefined {
    return this.#passages.get(slot);
  }

  /** A run by passage ids, as the measures read it. */
  named(run: SlotRun): Run {
    return new Map([...run].map(([id, slots]) => [id, this.#ranked(slots)]));
  }

  #ranked(slots: readonly Slot[]): Ranked[] {
    return slots.flatMap((slot, index) => {
      const passage = this.#passages.get(slot);
      return passage ? [{ item: passage.id, score: -index }] : [];
    });
  }

  async #collect(
    query: Query,
    runs: readonly PipelineRuns[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { index, judgementService, judge } = this.#sources;
    const { perspectives } = query;
    const top = new Set(runs.flatMap(({ questions }) => questions.get(query.id)?.slice(0, this.#k) ?? []));
    const passages = index.passages([...new Set(runs.flatMap((run) => retrievedFor(query, run, this.#k)))]);
    for (const { slot, id, title } of passages) this.#passages.set(slot, { id, title });
    const topic = new Map(perspectives.map(({ id }) => [id, new Map<string, number>()]));
    this.qrels.set(query.id, topic);
    const learn = ({ slot, perspectiveId, judgement }: JudgedPair): void => {
      const passage = this.#passages.get(slot);
      if (passage) topic.get(perspectiveId)?.set(passage.id, judgement.verdict === 'yes' ? 1 : 0);
      if (top.has(slot)) this.#count(judgement);
    };
    const judgingTask = { query, perspectives, passages };
    for (const pair of await judgementService.known(judgingTask, judge)) learn(pair);
    // What costs nothing is asked at once; a model is asked only when the user says so.
    if (judge?.heuristic) await judgementService.judge(judgingTask, judge, learn, { signal });
    const passagesOf = (documentId: string): StoredPassage[] => index.passagesOf(documentId);
    const supporters = await judgementService.supporters(query, perspectives, passagesOf, judge);
    for (const { perspectiveId, passageId } of supporters) topic.get(perspectiveId)?.set(passageId, 1);
  }

  #count({ source, judge }: JudgedPair['judgement']): void {
    const key = source === 'human' ? source : `${source} ${judge}`;
    const entry = this.#tally.get(key) ?? { source, judge, count: 0, heuristic: source === 'lexical' };
    this.#tally.set(key, { ...entry, count: entry.count + 1 });
  }
}

/** All that counts in any figure: questions as deep as they were run, everything else to k. */
function retrievedFor(query: Query, run: PipelineRuns, k: number): Slot[] {
  const { questions, exact, sides, perspectives } = run;
  const fully = [questions, exact].flatMap((own) => own?.get(query.id) ?? []);
  const sided = [sides?.support, sides?.oppose, perspectives?.root].flatMap(
    (own) => own?.get(query.id)?.slice(0, k) ?? [],
  );
  const full = perspectives
    ? groupedPerspectives([query]).flatMap(({ id }) => perspectives.full.get(id)?.slice(0, k) ?? [])
    : [];
  return [...fully, ...sided, ...full];
}
