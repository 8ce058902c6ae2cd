/** One answered question: the retrieved passages and everything known about them. */
import { coverageOf, type KnownSupport } from '../../core/coverage.ts';
import type { Judgement, Perspective } from '../../core/model.ts';
import type { Pipeline } from '../../core/pipeline.ts';
import { MmrWhatIf } from '../../core/rerank/mmr.ts';
import {
  perspectiveMark,
  type InspectorState,
  type JudgementView,
  type ResultView,
} from '../../shared/inspector.ts';
import type { Candidate, JudgedPair, Result } from '../../shared/rpc.ts';
import type { PassageEvidence } from '../passages/open-passage.ts';

/** What is opened when the user clicks a result. */
export interface OpenTarget {
  readonly passage: Omit<Candidate, 'score'>;
  /** Evidence within the passage to scroll to. */
  readonly focus: Judgement['evidence'][number] | undefined;
}

/** An order of the candidates that is being tried out. */
interface WhatIf {
  readonly lambda: number;
  readonly embedder: string;
  /** Positions among the candidates. */
  readonly order: readonly number[];
}

type Results = NonNullable<InspectorState['results']>;

export class Answer {
  readonly candidates: readonly Candidate[];
  readonly perspectives: readonly Perspective[];
  /** Id of the query in its eval set. */
  readonly queryId: string | undefined;
  readonly #retrieval: Result<'search'>;
  readonly #k: number;
  readonly #isReranked: boolean;
  readonly #judgements = new Map<string, Judgement>();
  #knownSupport = new Map<string, KnownSupport[]>();
  #whatIf: WhatIf | undefined;
  #pending = false;
  #stale = false;

  constructor(
    retrieval: Result<'search'>,
    pipeline: Pipeline,
    perspectives: readonly Perspective[],
    queryId: string | undefined,
  ) {
    this.#retrieval = retrieval;
    this.candidates = retrieval.candidates;
    this.#k = pipeline.k;
    this.#isReranked = pipeline.rerank.length > 0;
    this.perspectives = perspectives;
    this.queryId = queryId;
  }

  /** All candidates, in the order in view: the pipeline's, or that of the what-if. */
  get #ranked(): readonly Candidate[] {
    return this.#whatIf ? this.#whatIf.order.map((position) => this.candidates[position]!) : this.candidates;
  }

  /** The passages in view; the candidates below serve to find lost perspectives. */
  get #top(): readonly Candidate[] {
    return this.#ranked.slice(0, this.#k);
  }

  /**
   * Shows the candidates as MMR would order them.
   *
   * @param similarities [n, n] of the candidates, by this embedder
   */
  tryMmr(lambda: number, embedder: string, similarities: Float64Array): void {
    const relevance = this.candidates.map(({ score }) => score);
    const order = new MmrWhatIf(relevance, similarities).rerank(lambda).map(({ item }) => item);
    this.#whatIf = { lambda, embedder, order };
  }

  /** Back to the pipeline's own order. */
  endWhatIf(): void {
    this.#whatIf = undefined;
  }

  get whatIf(): Pick<WhatIf, 'lambda' | 'embedder'> | undefined {
    return this.#whatIf;
  }

  get topSlots(): number[] {
    return this.#top.map(({ slot }) => slot);
  }

  candidate(passageId: string): Candidate | undefined {
    return this.candidates.find(({ id }) => id === passageId);
  }

  learn(pairs: readonly JudgedPair[]): void {
    for (const { slot, perspectiveId, judgement } of pairs)
      this.#judgements.set(pairKey(slot, perspectiveId), judgement);
  }

  setSupporters(supporters: Result<'judgements'>['supporters']): void {
    this.#knownSupport = new Map();
    for (const { perspectiveId, passageId, path } of supporters) {
      const known = this.#knownSupport.get(perspectiveId);
      if (known) known.push({ passageId, path });
      else this.#knownSupport.set(perspectiveId, [{ passageId, path }]);
    }
  }

  /** The judge is at work on the unjudged pairs of the top k. */
  setPending(pending: boolean): void {
    this.#pending = pending;
  }

  /** Something changed since: figures stay visible, marked as out of date. */
  markStale(): void {
    this.#stale = true;
  }

  /** What supports what in a passage, in the colours of the perspectives. */
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

  view(): Results {
    const bySlot = new Map(this.candidates.map(({ id, slot }) => [id, slot]));
    const { perspectives, metrics } = coverageOf({
      perspectives: this.perspectives.map(({ id }) => id),
      ranking: this.#ranked.map(({ id }) => id),
      k: this.#k,
      verdictOf: (passageId, perspectiveId) =>
        this.#judgements.get(pairKey(bySlot.get(passageId) ?? -1, perspectiveId))?.verdict,
      knownSupport: this.#knownSupport,
    });
    return {
      ...(this.queryId ? { queryId: this.queryId } : {}),
      items: this.#top.map((candidate, index) => this.#resultView(candidate, index + 1)),
      metrics: { ...metrics, sources: this.#sources() },
      ...(this.#whatIf ? { whatIf: { lambda: this.#whatIf.lambda, embedder: this.#whatIf.embedder } } : {}),
      coverage: [...perspectives],
      search: this.#retrieval.search,
      milliseconds: this.#retrieval.milliseconds,
      stale: this.#stale,
    };
  }

  #resultView(candidate: Candidate, rank: number): ResultView {
    const { id, title, documentId, verbatim, lines, score, text, slot } = candidate;
    const movement = this.#movement(candidate, rank);
    return {
      rank,
      passageId: id,
      // Records of a file often have no title of their own.
      title: title || documentId,
      path: documentId,
      ...(verbatim ? { lines: { first: lines.startLine + 1, last: lines.endLine + 1 } } : {}),
      score,
      ...(movement === undefined ? {} : { movement }),
      text,
      judgements: this.perspectives.map((perspective) => this.#judgementView(slot, perspective.id)),
    };
  }

  /** Against the pipeline's order in a what-if, else against the order before the pipeline's rerankers. */
  #movement(candidate: Candidate, rank: number): number | undefined {
    if (this.#whatIf) return this.candidates.indexOf(candidate) + 1 - rank;
    if (!this.#isReranked || candidate.retrievedRank === undefined) return undefined;
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
    const { verdict, source, judge, rationale, confidence, evidence } = judgement;
    return {
      perspectiveId,
      verdict,
      source,
      judge,
      evidence: [...evidence],
      ...(rationale === undefined ? {} : { rationale }),
      ...(confidence === undefined ? {} : { confidence }),
    };
  }

  /** On whose word the figures of the top k rest. */
  #sources(): Results['metrics']['sources'] {
    const counts = new Map<string, Results['metrics']['sources'][number]>();
    for (const { slot } of this.#top)
      for (const { id } of this.perspectives) {
        const judgement = this.#judgements.get(pairKey(slot, id));
        if (!judgement) continue;
        const { source, judge } = judgement;
        // People are one source, however many they are; every model is one of its own.
        const key = source === 'human' ? source : `${source} ${judge}`;
        const entry = counts.get(key) ?? { source, judge, count: 0, heuristic: source === 'lexical' };
        counts.set(key, { ...entry, count: entry.count + 1 });
      }
    return [...counts.values()].sort((a, b) => b.count - a.count);
  }
}

const pairKey = (slot: number, perspectiveId: string): string => `${slot} ${perspectiveId}`;

function saidBy({ source, judge, rationale }: Judgement): string {
  return rationale ? `${judge} (${source}): ${rationale}` : `${judge} (${source})`;
}
