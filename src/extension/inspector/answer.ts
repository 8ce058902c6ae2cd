/** One answered question: the retrieved passages and everything known about them. */
import { coverageOf, type KnownSupport } from '../../core/coverage.ts';
import { JudgementTally } from '../../core/judging/judgement-tally.ts';
import type { Judgement, Perspective, Ranked, Verdict } from '../../core/model.ts';
import type { Pipeline } from '../../core/pipeline.ts';
import { LABEL_KINDS } from '../../core/words.ts';
import { fullPassageName, passageName } from '../../core/text/passage-name.ts';
import {
  perspectiveMark,
  type InspectorState,
  type JudgementView,
  type ResultView,
} from '../../shared/panels/inspector.ts';
import {
  knownSupportOf,
  probeResultsOf,
  type Candidate,
  type JudgedPair,
  type Known,
  type Probe,
} from '../../shared/requests/passages.ts';
import type { Params, Result } from '../../shared/rpc.ts';
import type { PassageEvidence } from '../passages/open-passage.ts';

/** The passage to open when the user clicks a result. */
export interface OpenTarget {
  readonly passage: Omit<Candidate, 'score'>;
  /** Evidence within the passage to scroll to. */
  readonly focus: Judgement['evidence'][number] | undefined;
}

type Results = NonNullable<InspectorState['results']>;

export class Answer {
  readonly corpus: string;
  /** With its id where it is from an eval set. */
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

  /** @param asked what was searched for, and how */
  constructor(retrieval: Result<'search'>, { corpus, query, perspectives, pipeline }: Params<'search'>) {
    this.#retrieval = retrieval;
    this.corpus = corpus;
    this.query = query;
    this.perspectives = perspectives;
    this.pipeline = pipeline;
    this.candidates = retrieval.candidates;
    if (retrieval.known) this.#learnAll(retrieval.known);
  }

  /** Parts that the search could not load on this machine, as sentences. */
  get notices(): readonly string[] {
    return this.#retrieval.notices;
  }

  /** Meaning was compared for some passages alone. */
  get isPartial(): boolean {
    return this.#retrieval.meaning !== undefined;
  }

  /** Positions of the candidates in the pipeline's own order, with their scores. */
  get ranking(): Ranked<number>[] {
    return this.candidates.map(({ score }, item) => ({ item, score }));
  }

  /**
   * Shows the candidates in another order.
   *
   * @param order their positions; the pipeline's own order when left out
   */
  reorder(order: readonly number[] | undefined): void {
    this.#order = order;
  }

  /** All candidates, in the order in view: the pipeline's, or that of the what-if. */
  get #ranked(): readonly Candidate[] {
    return this.#order ? this.#order.map((position) => this.candidates[position]!) : this.candidates;
  }

  /** The passages in view; the candidates below serve to find lost perspectives. */
  get #top(): readonly Candidate[] {
    return this.#ranked.slice(0, this.pipeline.k);
  }

  get topSlots(): number[] {
    return this.#top.map(({ slot }) => slot);
  }

  /** The pairs of the top k that somebody could still judge; without a text nobody can. */
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

  /** The slot of a passage that was retrieved, or that looking deeper found. */
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

  /** Replaces what people said, since they may have taken it back. */
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

  /** Reads one perspective anew after somebody looked deeper for it. */
  learnDeeper(perspectiveId: string, known: Known): void {
    this.learn(known.pairs);
    this.#knownSupport.set(perspectiveId, knownSupportOf(known).get(perspectiveId) ?? []);
    for (const probe of known.probes) this.#probes.set(probe.perspectiveId, probe);
  }

  /** The judge is at work on the unjudged pairs of the top k. */
  setPending(pending: boolean): void {
    this.#pending = pending;
  }

  /** Something changed since: figures stay visible, marked as out of date. */
  markStale(): void {
    this.#stale = true;
  }

  /** The places of the perspectives that a passage supports, for each that somebody judged. */
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

  /** @param passages how many the corpus has, where that is known */
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

  /** The first passages that looking deeper found, with what is known of them, and the one that was looked for. */
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
      // Another order that is tried out has other reasons.
      ...(raised && !this.#order ? { raised } : {}),
      text,
      judgements: this.perspectives.map((perspective) => this.#judgementView(slot, perspective.id)),
    };
  }

  /** Against the pipeline's order in a what-if, else against the order before the pipeline's rerankers. */
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

  /** On whose word the figures of the top k rest. */
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

/** Passages that are listed of what looking deeper found. */
const SHOWN_DEEPER = 10;

const pairKey = (slot: number, perspectiveId: string): string => `${slot} ${perspectiveId}`;

/** Where a passage stands, for people: without lines where its text is not that of the file. */
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
  return rationale ? `${judge} (${source}): ${rationale}` : `${judge} (${source})`;
}
