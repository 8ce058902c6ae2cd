/** The judgements of all queries of a data set on everything that a pipeline retrieved for them. */
import type { Probes } from '../../core/analysis/lost.ts';
import type { ProbeResults } from '../../core/coverage.ts';
import { throwIfCancelled } from '../../core/errors.ts';
import { LABELLED, WhoJudged, type JudgedLine } from '../../core/formats/judged-qrels.ts';
import { JudgementTally } from '../../core/judging/judgement-tally.ts';
import { StageCount } from '../../core/judging/judging-stages.ts';
import type { QrelsKind } from '../../core/metrics/evaluate.ts';
import type { TwoOpinions } from '../../core/metrics/corrected.ts';
import type { Basis } from '../../core/metrics/judgements.ts';
import type { Qrels, Query, Ranked, Run } from '../../core/model.ts';
import { passageName } from '../../core/text/passage-name.ts';
import type { JudgedPair } from '../../shared/requests/passages.ts';
import { Pace } from '../concurrency/pace.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import { probeResults } from '../../features/look-deeper/engine/probes.ts';
import type { Slot, StoredPassage, WorkOptions } from '../types.ts';
import type { Judge } from '../judges/judge.ts';
import type { JudgingTask } from '../judgements/judgement-service.ts';
import { emptyTopic, isOfPeople, type LabelSource, type Topics } from './label-source.ts';
import type { PipelineRuns, SlotRun } from './pipeline-runs.ts';
import { groupedPerspectives } from './questions.ts';

export interface NamedPassage {
  readonly id: string;
  /** The name that people read. */
  readonly name: string;
}

export interface CollectingOptions {
  /** Pairs of a passage in the top k of a question count as what figures rest on. */
  readonly k: number;
  /** Further passages to judge beside the retrieved ones, by query id. */
  readonly others?: ReadonlyMap<string, readonly string[]>;
  /** Whether to keep who judged what, for a file. */
  readonly keepsWho?: boolean | undefined;
}

export class CollectedJudgements {
  readonly tally: JudgementTally;
  /** How the judge came to its answers about the top k. */
  readonly stages: StageCount;
  readonly #qrels: Topics;
  /**
   * People's verdicts, the judge's own on the same pairs, and the probability with which each query was drawn
   * for people.
   */
  readonly #people: Topics;
  readonly #judge: Topics;
  readonly #chances = new Map<string, number>();
  readonly #isGiven: boolean;
  readonly #passages = new Map<Slot, NamedPassage>();
  readonly #names = new Map<string, string>();
  readonly #probes = new Map<string, Map<string, ProbeResults>>();
  readonly #who: WhoJudged | undefined;
  readonly #index: CorpusIndex;
  readonly #labels: LabelSource;
  readonly #options: CollectingOptions;
  /** Whether people labelled something and the judge is not a heuristic. */
  #isLabelled = false;

  private constructor(
    queries: readonly Query[],
    index: CorpusIndex,
    labels: LabelSource,
    options: CollectingOptions,
  ) {
    this.#index = index;
    this.#labels = labels;
    this.#options = options;
    this.#qrels = labels.topics(queries);
    this.#who = options.keepsWho === true ? new WhoJudged() : undefined;
    this.#people = new Map(queries.map(({ id, perspectives }) => [id, emptyTopic(perspectives)]));
    this.#judge = new Map(queries.map(({ id, perspectives }) => [id, emptyTopic(perspectives)]));
    this.#isGiven =
      labels.kind === 'diversity' && queries.every(({ perspectives }) => perspectives.length > 0);
    this.stages = new StageCount(labels.judge?.discardsWith);
    this.tally = new JudgementTally(labels.judge?.heuristic ? labels.judge.name : undefined);
  }

  /**
   * Collects the judgements of everything that was retrieved. A heuristic is free, so it judges the rest. Any other
   * judge counts with its stored answers.
   *
   * @throws ParallaxError `cancelled`
   */
  static async collect(
    queries: readonly Query[],
    runs: readonly PipelineRuns[],
    { index, labels }: { readonly index: CorpusIndex; readonly labels: LabelSource },
    options: CollectingOptions,
    { signal, onProgress }: WorkOptions,
  ): Promise<CollectedJudgements> {
    const judgements = new CollectedJudgements(queries, index, labels, options);
    const pace = new Pace({ signal });
    for (const [place, query] of queries.entries()) {
      await judgements.#collect(query, runs, signal);
      throwIfCancelled(signal);
      onProgress?.({ done: place + 1, total: queries.length });
      if (pace.due) await pace.rest();
    }
    return judgements;
  }

  get kind(): QrelsKind {
    return this.#labels.kind;
  }

  /** Whether unjudged pairs are unknown, not "no". */
  get isOpen(): boolean {
    return this.#labels.isOpen;
  }

  /** Whether perspectives are given, and whether unjudged passages count as "no". */
  get basis(): Basis {
    if (this.isOpen) return 'open';
    return this.#isGiven ? 'given' : 'pooled';
  }

  /** What corrects figures. `undefined` if no judge counts beside labels, or if there are no labels. */
  get opinions(): TwoOpinions | undefined {
    const { judge } = this.#labels;
    if (!judge || !this.#isLabelled) return undefined;
    const fitted = fittedOf(judge);
    const [people, verdicts, chances] = [this.#people, this.#judge, this.#chances];
    return { annotators: people, judge: verdicts, chances, basis: this.basis, ...(fitted ? { fitted } : {}) };
  }

  /** Every query with all its perspectives. */
  get qrels(): Qrels {
    return this.#qrels;
  }

  /** The qrels of passages in the corpus: only their support can be retrieved. */
  get qrelsWithinCorpus(): Qrels {
    const isThere = (passage: string): boolean => this.#index.passageById(passage) !== undefined;
    return new Map(
      [...this.#qrels].map(([query, topic]) => [
        query,
        new Map(
          [...topic].map(([perspective, judged]) => [
            perspective,
            new Map([...judged].filter(([passage]) => isThere(passage))),
          ]),
        ),
      ]),
    );
  }

  /** All judged pairs, each with its judges. `undefined` unless `keepsWho`. */
  get lines(): readonly JudgedLine[] | undefined {
    return this.#who?.lines(this.#qrels);
  }

  /** Perspectives whose support was searched for more deeply. */
  get probes(): Probes {
    return this.#probes;
  }

  /** How many passages the corpus has. */
  get passages(): number {
    return this.#index.status.passages;
  }

  /** The passage of a retrieved slot. `undefined` if it has been deleted since. */
  passage(slot: Slot): NamedPassage | undefined {
    return this.#passages.get(slot);
  }

  /** The index may be closed when this is called. */
  nameOf(passage: string): string {
    return this.#names.get(passage) ?? passage;
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
    const { k, others } = this.#options;
    const { perspectives } = query;
    const top = new Set(runs.flatMap(({ questions }) => questions.get(query.id)?.slice(0, k) ?? []));
    const passages = this.#passagesOf(
      runs.flatMap((run) => retrievedFor(query, run, k)),
      [...(others?.get(query.id) ?? []), ...this.#probed(query)],
    );
    const texts = new Map(this.#who ? passages.map(({ slot, text }) => [slot, text]) : []);
    const topic = this.#qrels.get(query.id)!;
    this.tally.expect(top.size * perspectives.length);
    const learn = ({ slot, perspectiveId, judgement }: JudgedPair): void => {
      const passage = this.#passages.get(slot);
      if (passage) {
        const judged = topic.get(perspectiveId);
        // Qrels may have graded the support.
        const support = Math.max(1, judged?.get(passage.id) ?? 0);
        judged?.set(passage.id, judgement.verdict === 'yes' ? support : 0);
        this.#who?.note(query.id, perspectiveId, passage.id, {
          ...judgement,
          words: wordsOf(judgement, texts.get(slot) ?? ''),
        });
      }
      if (!top.has(slot)) return;
      this.tally.count(judgement);
      if (!isOfPeople(judgement)) this.stages.count(judgement);
    };
    const { judge } = this.#labels;
    const known = await this.#labels.known({ query, perspectives, passages });
    known.forEach(learn);
    await this.#collectOpinions({ query, perspectives, passages }, known);
    if (judge?.heuristic) await this.#askHeuristic(query, passages, known, learn, signal);
    for (const { perspectiveId, passageId, name } of await this.#labels.supporters(query)) {
      const judged = topic.get(perspectiveId);
      if (!judged?.has(passageId)) this.#who?.note(query.id, perspectiveId, passageId, LABELLED);
      judged?.set(passageId, Math.max(1, judged.get(passageId) ?? 0));
      this.#names.set(passageId, name);
    }
  }

  /** Passages found by searching deeper, whatever pipelines retrieve. */
  #probed(query: Query): string[] {
    const probed = this.#labels.probed(query);
    this.#probes.set(query.id, new Map(probed.map((each) => [each.perspectiveId, probeResults(each)])));
    return probed.flatMap(({ passages }) => passages.map(({ passage }) => passage.id));
  }

  async #collectOpinions(task: JudgingTask & { query: Query }, known: readonly JudgedPair[]): Promise<void> {
    const { judge } = this.#labels;
    if (!judge || judge.heuristic) return;
    const { id } = task.query;
    const put = (topics: Topics, { slot, perspectiveId, judgement }: JudgedPair): void => {
      const passage = this.#passages.get(slot)!;
      topics
        .get(id)!
        .get(perspectiveId)
        ?.set(passage.id, judgement.verdict === 'yes' ? 1 : 0);
    };
    // On an expected document, people and the judge cannot disagree.
    const expected = new Set(
      task.perspectives.filter(({ document }) => document !== undefined).map((perspective) => perspective.id),
    );
    const opinions = known.filter(({ perspectiveId }) => !expected.has(perspectiveId));
    for (const pair of known)
      if (expected.has(pair.perspectiveId))
        for (const topics of [this.#people, this.#judge]) put(topics, pair);
    const ofPeople = opinions.filter(({ judgement }) => isOfPeople(judgement));
    for (const pair of opinions) put(isOfPeople(pair.judgement) ? this.#people : this.#judge, pair);
    for (const { judgement } of ofPeople)
      if (judgement.chance !== undefined)
        this.#chances.set(id, Math.max(judgement.chance, this.#chances.get(id) ?? 0));
    if (ofPeople.length === 0) return;
    this.#isLabelled = true;
    for (const pair of await this.#labels.answered(task)) put(this.#judge, pair);
  }

  async #askHeuristic(
    query: Query,
    passages: readonly StoredPassage[],
    known: readonly JudgedPair[],
    learn: (pair: JudgedPair) => void,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const keyOf = (slot: Slot, perspective: string): string => `${slot} ${perspective}`;
    const settled = new Set(known.map(({ slot, perspectiveId }) => keyOf(slot, perspectiveId)));
    const open = passages
      // A foreign retriever may return an id without its text, which cannot be judged.
      .filter(({ text }) => text !== '')
      .flatMap((passage) => query.perspectives.map((perspective) => ({ query, passage, perspective })))
      .filter(({ passage, perspective }) => !settled.has(keyOf(passage.slot, perspective.id)));
    await this.#labels.judgePairs(
      open,
      (place, judgement) => {
        const { passage, perspective } = open[place]!;
        const evidence = [...judgement.evidence];
        learn({ slot: passage.slot, perspectiveId: perspective.id, judgement: { ...judgement, evidence } });
      },
      { signal },
    );
  }

  #passagesOf(slots: readonly Slot[], others: readonly string[]): StoredPassage[] {
    const retrieved = this.#index.passages([...new Set(slots)]);
    const all = [...retrieved, ...others.flatMap((id) => this.#index.passageById(id) ?? [])];
    const passages = [...new Map(all.map((passage) => [passage.slot, passage])).values()];
    for (const passage of passages) {
      const name = passageName(passage);
      this.#passages.set(passage.slot, { id: passage.id, name });
      this.#names.set(passage.id, name);
    }
    return passages;
  }
}

/** The words that a verdict quotes. */
function wordsOf({ evidence }: JudgedPair['judgement'], text: string): string[] {
  return evidence.map(({ start, end }) => text.slice(start, end)).filter((words) => words !== '');
}

/** Everything that counts in a figure: questions at their full depth, all other searches to k. */
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

/** How a judge that was fitted to labels is compared with them. */
function fittedOf({ reading }: Judge): TwoOpinions['fitted'] {
  if (reading?.isFitted) return 'included';
  return reading?.without && (reading.labels?.() ?? 0) > 0 ? 'held-out' : undefined;
}
