/**
 * Has judged what the figures of a comparison rest on, and no more: the pairs that MRecall@k and Precision@k of
 * its pipelines still depend on (fewest-calls.ts), or all pairs of the top k.
 */
import { FewestCalls } from '../../core/judging/fewest-calls.ts';
import { throwIfCancelled, type ParallaxError } from '../../core/errors.ts';
import type { Judgement, Query } from '../../core/model.ts';
import { Budget } from '../judgements/budget.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import type { QueryPair } from '../judgements/judgement-service.ts';
import type { LabelSource } from './label-source.ts';
import type { Slot, StoredPassage, WorkOptions } from '../types.ts';

export interface FigureQuery {
  readonly index: CorpusIndex;
  /** With a judge: the same for all queries. */
  readonly labels: LabelSource;
  readonly query: Query;
  /** The top of each pipeline, as deep as the cutoffs look. */
  readonly rankings: readonly (readonly Slot[])[];
}

export interface FigureOptions {
  /** The k of MRecall@k and Precision@k. */
  readonly cutoffs: readonly number[];
  /** `figures`: only what they depend on. `everything`: every pair of the top k, for measures that look at all. */
  readonly scope: 'figures' | 'everything';
  readonly budget?: Budget | undefined;
}

export interface FigureReport {
  /** Pairs of the full matrix: passages of any top k × perspectives. */
  readonly pairs: number;
  /** Of them, those that were known before. */
  readonly known: number;
  readonly asked: number;
  readonly answered: number;
  readonly failed: number;
  /** Sent now, repeated ones included; and the tokens they took, as far as endpoints say. */
  readonly requests: number;
  readonly tokens: number;
  /** Pairs of settled queries that nobody had to be asked about. */
  readonly saved: number;
  /** Queries whose figures are exactly those of the full matrix. */
  readonly settled: number;
  readonly queries: number;
  /** The budget was spent before all was settled. */
  readonly stopped: boolean;
  /** Why the first pair failed. */
  readonly error?: ParallaxError | undefined;
}

/**
 * Answers are stored as they arrive, so that a run that was stopped goes on where it was. Each round asks what
 * the queries depend on whatever the others' answers are, so that all of it can be asked at a time.
 *
 * @throws ParallaxError `cancelled`
 */
export async function judgeFigures(
  queries: readonly FigureQuery[],
  { cutoffs, scope, budget = new Budget() }: FigureOptions,
  { signal, onProgress }: WorkOptions,
): Promise<FigureReport> {
  const settling: Settling[] = [];
  for (const query of queries) {
    throwIfCancelled(signal);
    settling.push(await Settling.begin(query, { cutoffs, scope }));
  }
  const open = sumOf(settling, ({ pairs, known }) => pairs - known);
  const done = { answered: 0, failed: 0, requests: 0, tokens: 0 };
  let error: ParallaxError | undefined;
  for (let round = wantedOf(settling); round.length > 0 && !budget.isSpent; round = wantedOf(settling)) {
    const before = done.answered;
    const report = await round[0]!.owner.labels.judgePairs(
      round.map(({ pair }) => pair),
      (place, judgement, { cached }) => {
        if (!cached) budget.spend(judgement);
        round[place]!.owner.learn(round[place]!.pair, judgement);
        onProgress?.({ done: ++done.answered, total: open });
      },
      { signal, isAnswered: () => budget.isSpent },
    );
    throwIfCancelled(signal);
    done.failed += report.failed;
    done.requests += report.requests;
    done.tokens += report.tokens.prompt + report.tokens.completion;
    error ??= report.error;
    for (const { owner, pair } of round) owner.leave(pair, budget.isSpent);
    if (done.answered === before) break;
  }
  const settled = settling.filter(({ isSettled }) => isSettled);
  return {
    pairs: sumOf(settling, ({ pairs }) => pairs),
    known: sumOf(settling, ({ known }) => known),
    asked: done.answered + done.failed,
    ...done,
    saved: sumOf(settled, ({ pairs, known, answered }) => pairs - known - answered),
    settled: settled.length,
    queries: settling.length,
    stopped: budget.isSpent && settled.length < settling.length,
    ...(error ? { error } : {}),
  };
}

/** How much of the top k is known, and how large the rest is. */
export async function openFigures(
  queries: readonly FigureQuery[],
  cutoffs: readonly number[],
): Promise<{ pairs: number; known: number; passages: number; passageLength: number }> {
  let [pairs, known, passages, characters] = [0, 0, 0, 0];
  for (const query of queries) {
    const begun = await Settling.begin(query, { cutoffs, scope: 'everything' });
    pairs += begun.pairs;
    known += begun.known;
    const open = new Set(begun.wanted().map(({ passage }) => passage));
    passages += open.size;
    for (const { text } of open) characters += text.length;
  }
  return { pairs, known, passages, passageLength: passages === 0 ? 0 : characters / passages };
}

interface Wanted {
  readonly owner: Settling;
  readonly pair: QueryPair;
}

const wantedOf = (settling: readonly Settling[]): Wanted[] =>
  settling.flatMap((owner) => owner.wanted().map((pair) => ({ owner, pair })));

const sumOf = (settling: readonly Settling[], count: (one: Settling) => number): number =>
  settling.reduce((total, one) => total + count(one), 0);

/** One query on the way to settled figures. */
class Settling {
  readonly labels: LabelSource;
  readonly pairs: number;
  known = 0;
  answered = 0;
  readonly #query: Query;
  readonly #figures: FewestCalls;
  readonly #passages: ReadonlyMap<string, StoredPassage>;
  readonly #all: readonly QueryPair[] | undefined;
  readonly #answers = new Set<string>();
  /** A pair that the figures depend on could not be answered. */
  #stuck = false;

  private constructor(
    query: Query,
    labels: LabelSource,
    passages: readonly StoredPassage[],
    rankings: readonly (readonly string[])[],
    { cutoffs, scope }: Pick<FigureOptions, 'cutoffs' | 'scope'>,
  ) {
    this.#query = query;
    this.labels = labels;
    this.#passages = new Map(passages.map((passage) => [passage.id, passage]));
    const perspectives = query.perspectives.map(({ id }) => id);
    this.#figures = new FewestCalls({ perspectives, rankings, cutoffs });
    this.pairs = this.#figures.pairs;
    if (scope === 'everything')
      this.#all = passages.flatMap((passage) =>
        query.perspectives.map((perspective) => ({ query, passage, perspective })),
      );
  }

  static async begin(
    { index, labels, query, rankings }: FigureQuery,
    options: Pick<FigureOptions, 'cutoffs' | 'scope'>,
  ): Promise<Settling> {
    const tops = rankings.map((ranking) => index.passages(ranking.slice(0, Math.max(...options.cutoffs))));
    const passages = [...new Map(tops.flat().map((passage) => [passage.slot, passage])).values()];
    const ids = tops.map((top) => top.map(({ id }) => id));
    const begun = new Settling(query, labels, passages, ids, options);
    const bySlot = new Map(passages.map((passage) => [passage.slot, passage]));
    const judgingTask = { query, perspectives: query.perspectives, passages };
    for (const { slot, perspectiveId, judgement } of await labels.known(judgingTask)) {
      const perspective = query.perspectives.find(({ id }) => id === perspectiveId)!;
      begun.#take({ query, passage: bySlot.get(slot)!, perspective }, judgement);
      begun.known++;
    }
    // A passage that came without its text counts as no support in every figure, and nobody can judge it.
    for (const passage of passages)
      if (passage.text === '')
        for (const perspective of query.perspectives)
          begun.#take({ query, passage, perspective }, { verdict: 'no' });
    return begun;
  }

  get isSettled(): boolean {
    return !this.#stuck && this.#open().length === 0;
  }

  /** What to ask next; nothing once all is settled, or can no longer be. */
  wanted(): readonly QueryPair[] {
    return this.#stuck ? [] : this.#open();
  }

  learn(pair: QueryPair, judgement: Judgement): void {
    this.#take(pair, judgement);
    this.answered++;
  }

  /** A pair was asked about. @param stopped unanswered pairs are merely not asked yet */
  leave(pair: QueryPair, stopped: boolean): void {
    if (!stopped && !this.#answers.has(keyOf(pair))) this.#stuck = true;
  }

  #open(): readonly QueryPair[] {
    if (this.#all) return this.#all.filter((pair) => !this.#answers.has(keyOf(pair)));
    return this.#figures.next().map(({ passageId, perspectiveId }) => ({
      query: this.#query,
      passage: this.#passages.get(passageId)!,
      perspective: this.#query.perspectives.find(({ id }) => id === perspectiveId)!,
    }));
  }

  #take(pair: QueryPair, { verdict }: Pick<Judgement, 'verdict'>): void {
    this.#answers.add(keyOf(pair));
    this.#figures.learn(
      { passageId: pair.passage.id, perspectiveId: pair.perspective.id },
      verdict === 'yes',
    );
  }
}

const keyOf = ({ passage, perspective }: QueryPair): string => `${passage.slot} ${perspective.id}`;
