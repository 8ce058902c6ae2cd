/** One answered question: the retrieved passages and everything known about them. */
import { verdictBy } from '../../../core/facts.ts';
import { coverageOf, type KnownSupport } from '../../../core/coverage.ts';
import { JudgementTally } from '../../../core/judging/judgement-tally.ts';
import type { Judgement, Perspective, Ranked, Verdict } from '../../../core/model.ts';
import type { Pipeline } from '../../../core/pipeline.ts';
import { LABEL_KINDS } from '../../../core/words.ts';
import { fullPassageName, passageName } from '../../../core/text/passage-name.ts';
import {
  perspectiveMark,
  type InspectorState,
  type JudgementView,
  type ResultView,
} from '../contract/panel.ts';
import {
  knownSupportOf,
  probeResultsOf,
  type Candidate,
  type JudgedPair,
  type Known,
  type Probe,
} from '../../../shared/requests/passages.ts';
import type { Params, Result } from '../../../shared/rpc.ts';
import type { PassageEvidence } from '../../../extension/passages/open-passage.ts';

/** The passage to open when the user clicks a result. */
export interface OpenTarget {
  readonly passage: Omit<Candidate, 'score'>;
  /** Evidence within the passage to scroll to. */
  readonly focus: Judgement['evidence'][number] | undefined;
}

type Results = NonNullable<InspectorState['results']>;

export class Answer {
  readonly corpus: string;
  /** With its id if it is from an eval set. */
  readonly query: Params<'search'>['query'];
  readonly perspectives: readonly Perspective[];
  readonly pipeline: Pipeline;
  readonly candidates: readonly Candidate[];
  readonly #retrieval: Result<'search'>;
  readonly #judgements = new Map<string, Judgement>();
  #knownSupport = new Map<string, KnownSupport[]>();
  #probes = new Map<string, Probe>();
  /** Positions among the candidates, in an order that is being tried out. */
  #order: readonly number[] | undefined;
  #pending = false;
  #stale = false;

  /** @param asked the search request */
  constructor(retrieval: Result<'search'>, { corpus, query, perspectives, pipeline }: Params<'search'>) {
    this.#retrieval = retrieval;
    this.corpus = corpus;
    this.query = query;
    this.perspectives = perspectives;
    this.pipeline = pipeline;
    this.candidates = retrieval.candidates;
    if (retrieval.known) this.#learnAll(retrieval.known);
  }

  /** Sentences about components that the search could not load on this machine. */
  get notices(): readonly string[] {
    return this.#retrieval.notices;
  }

  /** Whether the search compared meaning for only some passages. */
  get isPartial(): boolean {
    return this.#retrieval.meaning !== undefined;
  }

  /** Positions of the candidates in the pipeline's order, with their scores. */
  get ranking(): Ranked<number>[] {
    return this.candidates.map(({ score }, item) => ({ item, score }));
  }

  /**
   * Shows the candidates in another order.
   *
   * @param order positions of the candidates; defaults to the pipeline's order
   */
  reorder(order: readonly number[] | undefined): void {
    this.#order = order;
  }

  /** All candidates in the order in view: the pipeline's order or the what-if's. */
  get #ranked(): readonly Candidate[] {
    return this.#order ? this.#order.map((position) => this.candidates[position]!) : this.candidates;
  }

  /** The passages in view. The candidates below them only serve to find lost perspectives. */
  get #top(): readonly Candidate[] {
    return this.#ranked.slice(0, this.pipeline.k);
  }

  get topSlots(): number[] {
    return this.#top.map(({ slot }) => slot);
  }

  /** The unjudged pairs of the top k. Passages without text cannot be judged. */
  get openPairs(): string[] {
    return this.#top
      .filter(({ text }) => text !== '')
      .flatMap(({ slot }) => this.perspectives.map(({ id }) => pairKey(slot, id)))
      .filter((pair) => this.isOpen(pair));
  }

  /** @param pair of {@link openPairs} */
  isOpen(pair: string): boolean {
    return !this.#judgements.has(pair);
  }

  candidate(passageId: string): Candidate | undefined {
    return this.candidates.find(({ id }) => id === passageId);
  }

  /** The slot of a passage that was retrieved or found by looking deeper. */
  slotOf(passageId: string): number | undefined {
    return this.#slots.get(passageId);
  }

  get #slots(): ReadonlyMap<string, number> {
    const probed = [...this.#probes.values()].flatMap(({ passages }) => passages);
    return new Map([
      ...probed.map(({ passageId, slot }) => [passageId, slot] as const),
      ...this.candidates.map(({ id, slot }) => [id, slot] as const),
    ]);
  }

  learn(pairs: readonly JudgedPair[]): void {
    for (const { slot, perspectiveId, judgement } of pairs)
      this.#judgements.set(pairKey(slot, perspectiveId), judgement);
  }

  /** Replaces human labels, because people may have removed some. */
  learnAgain(known: Known): void {
    for (const [key, { source }] of this.#judgements)
      if (LABEL_KINDS.some((kind) => kind === source)) this.#judgements.delete(key);
    this.#learnAll(known);
  }

  #learnAll(known: Known): void {
    this.learn(known.pairs);
    this.#knownSupport = knownSupportOf(known);
    this.#probes = new Map(known.probes.map((probe) => [probe.perspectiveId, probe]));
  }

  /** Updates a perspective after looking deeper for it. */
  learnDeeper(perspectiveId: string, known: Known): void {
    this.learn(known.pairs);
    this.#knownSupport.set(perspectiveId, knownSupportOf(known).get(perspectiveId) ?? []);
    for (const probe of known.probes) this.#probes.set(probe.perspectiveId, probe);
  }

  /** Sets whether the judge is working on the unjudged pairs of the top k. */
  setPending(pending: boolean): void {
    this.#pending = pending;
  }

  /** Marks the figures as out of date; they stay visible. */
  markStale(): void {
    this.#stale = true;
  }

  /** For each passage with judgements, the positions of the perspectives that it supports. */
  get supports(): Record<string, number[]> {
    const supports: Record<string, number[]> = {};
    for (const { id, slot } of this.candidates) {
      const verdicts = this.perspectives.map(
        (perspective) => this.#judgements.get(pairKey(slot, perspective.id))?.verdict,
      );
      if (verdicts.some((verdict) => verdict !== undefined))
        supports[id] = verdicts.flatMap((verdict, place) => (verdict === 'yes' ? [place] : []));
    }
    return supports;
  }

  /** The evidence in a passage, in the colours of the perspectives that it supports. */
  evidence(slot: number): PassageEvidence[] {
    return this.perspectives.flatMap(({ id, text }, index) => {
      const judgement = this.#judgements.get(pairKey(slot, id));
      if (judgement?.verdict !== 'yes') return [];
      return judgement.evidence.map((span) => ({
        span,
        ...perspectiveMark(index),
        perspective: text,
        verdictBy: saidBy(judgement),
      }));
    });
  }

  /** @param passages the number of passages of the corpus, if known */
  view(
    passages?: number,
  ): Omit<
    Results,
    'whatIf' | 'projectionSlider' | 'fusionSlider' | 'likeness' | 'likenessProblem' | 'lookDeeperPassages'
  > {
    const slots = this.#slots;
    const verdictOf = (passageId: string, perspectiveId: string): Verdict | undefined =>
      this.#judgements.get(pairKey(slots.get(passageId) ?? -1, perspectiveId))?.verdict;
    const { perspectives, metrics } = coverageOf({
      perspectives: this.perspectives.map(({ id }) => id),
      ranking: this.#ranked.map(({ id }) => id),
      k: this.pipeline.k,
      verdictOf,
      knownSupport: this.#knownSupport,
      judgedOf: (perspectiveId) =>
        [...slots.keys()].filter((passageId) => verdictOf(passageId, perspectiveId) !== undefined).length,
      passages,
      probes: probeResultsOf({ probes: [...this.#probes.values()] }),
    });
    return {
      ...(this.query.id === undefined ? {} : { queryId: this.query.id }),
      items: this.#top.map((candidate, index) => this.#resultView(candidate, index + 1)),
      metrics: { ...metrics, sources: this.#sources() },
      candidates: this.candidates.length,
      coverage: perspectives,
      deeper: this.#deeper(verdictOf),
      ...(this.#retrieval.splits ? { splits: this.#retrieval.splits } : {}),
      ...(this.#retrieval.matches ? { matches: this.#retrieval.matches } : {}),
      ...(this.#retrieval.certainty ? { certainty: this.#retrieval.certainty } : {}),
      ...(this.#retrieval.short ? { short: this.#retrieval.short } : {}),
      ...(this.#retrieval.meaning ? { meaning: this.#retrieval.meaning } : {}),
      ...(this.#retrieval.validated && this.#restsOn(this.#retrieval.validated.judge)
        ? { validated: this.#retrieval.validated }
        : {}),
      ...(this.#retrieval.takenErrors ? { takenErrors: this.#retrieval.takenErrors } : {}),
      search: this.#retrieval.search,
      milliseconds: this.#retrieval.milliseconds,
      stale: this.#stale,
    };
  }

  /** The first passages found by looking deeper, with their verdicts, and the perspective that was looked for. */
  #deeper(verdictOf: (passageId: string, perspectiveId: string) => Verdict | undefined): Results['deeper'] {
    const ranks = new Map(this.#ranked.map(({ id }, place) => [id, place + 1]));
    return [...this.#probes.values()].map(({ perspectiveId, passages }) => {
      const all = passages.map((passage) => ({
        passageId: passage.passageId,
        title: passage.name,
        ...placeOf(passage),
        text: passage.text,
        ranks: passage.ranks,
        ...(ranks.has(passage.passageId) ? { rank: ranks.get(passage.passageId)! } : {}),
        verdict: verdictOf(passage.passageId, perspectiveId) ?? ('unjudged' as const),
        evidence: this.#judgements.get(pairKey(passage.slot, perspectiveId))?.evidence ?? [],
      }));
      return {
        perspectiveId,
        found: all.length,
        unjudged: all.filter(({ verdict }) => verdict === 'unjudged').length,
        refused: all.filter(({ verdict }) => verdict === 'no').length,
        passages: all.filter(({ verdict }, place) => place < SHOWN_DEEPER || verdict === 'yes'),
      };
    });
  }

  #resultView(candidate: Candidate, rank: number): ResultView {
    const { id, score, text, slot, raised } = candidate;
    const movement = this.#movement(candidate, rank);
    return {
      rank,
      passageId: id,
      title: passageName(candidate),
      fullTitle: fullPassageName(candidate),
      ...placeOf(candidate),
      score,
      ...(movement === undefined ? {} : { movement }),
      // The reasons apply only to the pipeline's order.
      ...(raised && !this.#order ? { raised } : {}),
      text,
      judgements: this.perspectives.map((perspective) => this.#judgementView(slot, perspective.id)),
    };
  }

  /** In a what-if compared with the pipeline's order, else with the order before the pipeline's rerankers. */
  #movement(candidate: Candidate, rank: number): number | undefined {
    if (this.#order) return this.candidates.indexOf(candidate) + 1 - rank;
    if (this.pipeline.rerank.length === 0 || candidate.retrievedRank === undefined) return undefined;
    return candidate.retrievedRank - rank;
  }

  #judgementView(slot: number, perspectiveId: string): JudgementView {
    const judgement = this.#judgements.get(pairKey(slot, perspectiveId));
    if (!judgement)
      return {
        perspectiveId,
        verdict: 'unjudged',
        evidence: [],
        ...(this.#pending ? { pending: true } : {}),
      };
    const { verdict, source, judge, rationale, confidence, evidence, evidenceNotFound } = judgement;
    return { perspectiveId, verdict, source, judge, rationale, confidence, evidence, evidenceNotFound };
  }

  #restsOn(judge: string): boolean {
    return this.#sources().some((each) => each.judge === judge);
  }

  /** The judges of the top k's figures. */
  #sources(): Results['metrics']['sources'] {
    const tally = new JudgementTally();
    for (const { slot } of this.#top)
      for (const { id } of this.perspectives) {
        const judgement = this.#judgements.get(pairKey(slot, id));
        if (judgement) tally.count(judgement);
      }
    return tally.by;
  }
}

/** Number of listed passages found by looking deeper. */
const SHOWN_DEEPER = 10;

const pairKey = (slot: number, perspectiveId: string): string => `${slot} ${perspectiveId}`;

/** The place of a passage as shown to the user. Without lines if its text differs from the file's. */
function placeOf({
  documentId,
  verbatim,
  lines,
}: Pick<Candidate, 'documentId' | 'verbatim' | 'lines'>): Pick<ResultView, 'path' | 'lines'> {
  return {
    path: documentId,
    ...(verbatim ? { lines: { first: lines.startLine + 1, last: lines.endLine + 1 } } : {}),
  };
}

function saidBy({ source, judge, rationale }: Judgement): string {
  const by = verdictBy({ source, judge });
  return rationale ? `${by}: ${rationale}` : by;
}
