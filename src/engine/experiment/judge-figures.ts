/**
 * Has exactly the pairs judged that the figures of a comparison rest on: those that MRecall@k and Precision@k of its
 * pipelines still depend on (fewest-calls.ts), or all pairs of the top k.
 */
import { FewestCalls, requestsInTurn } from '../../core/judging/fewest-calls.ts';
import { FirstSupports } from '../../core/judging/first-supports.ts';
import type { GoalBounds, WantedPair } from '../../core/judging/open-figures.ts';
import type { Bounds } from '../../core/metrics/unjudged.ts';
import { throwIfCancelled, type ParallaxError } from '../../core/errors.ts';
import type { Judgement, Query } from '../../core/model.ts';
import { mean } from '../../core/statistics/mean.ts';
import type { FigureJudging } from '../../shared/experiment.ts';
import { detailsOnly } from '../judges/judge.ts';
import { Budget } from '../judgements/budget.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import type { QueryPair } from '../judgements/judgement-service.ts';
import type { LabelSource } from './label-source.ts';
import type { ViewNeeds } from './view-needs.ts';
import type { Slot, StoredPassage, WorkOptions } from '../types.ts';

export interface FigureQuery {
  readonly index: CorpusIndex;
  /** With a judge. The same for all queries. */
  readonly labels: LabelSource;
  readonly query: Query;
  /** The ranking of each pipeline, best first. Cutoffs look at the top only. */
  readonly rankings: readonly (readonly Slot[])[];
  /** Further pairs that views read. Judged only with the scope `everything`. */
  readonly needs?: ViewNeeds | undefined;
}

export interface FigureOptions {
  /** The k of MRecall@k and Precision@k. */
  readonly cutoffs: readonly number[];
  /**
   * `figures`: only the pairs that figures depend on. `everything`: every pair of the top k, and what views
   * read beside it.
   */
  readonly scope: 'figures' | 'everything';
  readonly budget?: Budget | undefined;
}

export interface FigureReport extends FigureJudging {
  /** Why the first pair failed. */
  readonly error?: ParallaxError | undefined;
}

/**
 * If a budget may end the run, the number of passages to ask about before the answers choose the next ones: a few
 * times what judges ask at once, so that waiting for the last answer of a round delays little.
 */
const PASSAGES_A_ROUND = 16;

/** The most requests that a passage takes without failures: a judge may ask for an answer a second time. */
const ASKED_AGAIN = 2;

/**
 * Answers are stored as they arrive, so that a stopped run continues where it stopped. Each round asks what the
 * queries depend on whatever the other answers are, so that the whole round can run at once.
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
  const done = { answered: 0, failed: 0, unreadable: 0, requests: 0, tokens: 0 };
  let error: ParallaxError | undefined;
  let unreadableReason: string | undefined;
  const passages = sumOf(settling, (owner) => owner.openPassages().length);
  const atATime = budget.covers(ASKED_AGAIN * passages) ? Infinity : PASSAGES_A_ROUND;
  const next = (): Wanted[] => wantedOf(settling, atATime);
  for (let round = next(); round.length > 0 && !budget.isSpent; round = next()) {
    const before = done.answered;
    const report = await round[0]!.owner.labels.judgePairs(
      round.map(({ pair }) => pair),
      (place, judgement, { cached, unparsable }) => {
        if (!cached) budget.spend(judgement);
        if (unparsable) {
          done.unreadable++;
          unreadableReason ??= judgement.rationale;
          return;
        }
        round[place]!.owner.learn(round[place]!.pair, judgement);
        done.answered++;
        onProgress?.({ done: done.answered, total: open });
      },
      {
        signal,
        ...budget.asking,
        onProgress: detailsOnly(onProgress, () => ({ done: done.answered, total: open })),
      },
    );
    throwIfCancelled(signal);
    done.failed += report.failed;
    done.requests += report.requests;
    done.tokens += report.tokens.prompt + report.tokens.completion;
    error ??= report.error;
    if (!budget.isSpent) for (const { owner, pair } of round) owner.leave(pair);
    if (done.answered === before) break;
  }
  const settled = settling.filter(({ isSettled }) => isSettled);
  return {
    pairs: sumOf(settling, ({ pairs }) => pairs),
    known: sumOf(settling, ({ known }) => known),
    asked: done.answered + done.failed + done.unreadable,
    ...done,
    saved: sumOf(settled, ({ pairs, known, answered }) => pairs - known - answered),
    settled: settled.length,
    queries: settling.length,
    ...(settled.length < settling.length ? { mayRise: mayRise(settling, cutoffs) } : {}),
    stopped: budget.isSpent && settled.length < settling.length,
    ...(unreadableReason === undefined ? {} : { unreadableReason }),
    ...(error ? { error } : {}),
  };
}

/** How many of the pairs in question are judged, and how large the rest is. */
export async function openFigures(
  queries: readonly FigureQuery[],
  options: Pick<FigureOptions, 'cutoffs' | 'scope'>,
): Promise<{ pairs: number; known: number; passages: number; passageLength: number }> {
  let [pairs, known, passages, characters] = [0, 0, 0, 0];
  for (const query of queries) {
    const begun = await Settling.begin(query, options);
    pairs += begun.pairs;
    known += begun.known;
    const open = begun.openPassages();
    passages += open.length;
    for (const { text } of open) characters += text.length;
  }
  return { pairs, known, passages, passageLength: passages === 0 ? 0 : characters / passages };
}

/** Whether stored answers settle every figure. @throws ParallaxError `cancelled` */
export async function areSettled(
  queries: readonly FigureQuery[],
  options: Pick<FigureOptions, 'cutoffs' | 'scope'>,
  { signal }: WorkOptions,
): Promise<boolean> {
  for (const query of queries) {
    throwIfCancelled(signal);
    if (!(await Settling.begin(query, options)).isSettled) return false;
  }
  return true;
}

interface Wanted {
  readonly owner: Settling;
  readonly pair: QueryPair;
}

/** @param atATime the most passages, for a judge that answers whole ones */
function wantedOf(settling: readonly Settling[], atATime: number): Wanted[] {
  const queries = settling.map((owner) => ({
    isMRecallDecided: owner.isMRecallDecided,
    requests: owner.wanted().map((pairs) => pairs.map((pair) => ({ owner, pair }))),
  }));
  const isByPassage = settling.some(({ labels }) => labels.judge?.byPassage);
  const isLimited = isByPassage && atATime < Infinity;
  return (isLimited ? requestsInTurn(queries, atATime) : queries.flatMap(({ requests }) => requests)).flat();
}

const sumOf = (settling: readonly Settling[], count: (one: Settling) => number): number =>
  settling.reduce((total, one) => total + count(one), 0);

/** How far each mean over the queries may rise, for the pipeline with the fewest known answers. */
function mayRise(settling: readonly Settling[], cutoffs: readonly number[]): Record<string, number> {
  const bounds = settling.map((owner) => owner.bounds());
  // For each pipeline one entry per cutoff, in the same order for every query.
  const meanWidths = (measure: keyof GoalBounds): number[] =>
    bounds[0]!.map((_, goal) => mean(bounds.map((goals) => widthOf(goals[goal]![measure]))));
  const widest = (measure: keyof GoalBounds, cutoff: number): number =>
    Math.max(0, ...meanWidths(measure).filter((_, goal) => goal % cutoffs.length === cutoff));
  return Object.fromEntries(
    cutoffs.flatMap((k, cutoff) => [
      [`MRecall@${k}`, widest('mRecall', cutoff)],
      [`Precision@${k}`, widest('precision', cutoff)],
    ]),
  );
}

const widthOf = ({ low, high }: Bounds): number => high - low;

/** One query whose figures are being settled. */
class Settling {
  readonly labels: LabelSource;
  readonly pairs: number;
  known = 0;
  answered = 0;
  readonly #query: Query;
  readonly #index: CorpusIndex;
  readonly #figures: FewestCalls;
  readonly #firsts: FirstSupports;
  readonly #passages: ReadonlyMap<string, StoredPassage>;
  /** Pairs that are judged whatever the answers are. */
  readonly #all: readonly QueryPair[] | undefined;
  readonly #answers = new Set<string>();
  /** Passages with a pair that failed. */
  readonly #left = new Set<string>();

  private constructor(
    { query, labels, index }: FigureQuery,
    { tops, whole, firsts }: Looked,
    { cutoffs, scope }: Pick<FigureOptions, 'cutoffs' | 'scope'>,
  ) {
    this.#query = query;
    this.#index = index;
    this.labels = labels;
    this.#passages = byId([tops, whole, firsts]);
    const perspectives = query.perspectives.map(({ id }) => id);
    const wanted = { perspectives, rankings: idsOf(tops), cutoffs };
    this.#figures = new FewestCalls(wanted);
    this.#firsts = new FirstSupports({ perspectives, rankings: idsOf(firsts) });
    this.pairs = this.#passages.size * perspectives.length;
    if (scope === 'everything') this.#all = this.#pairsOf(byId([tops, whole]).values());
  }

  static async begin(
    asked: FigureQuery,
    options: Pick<FigureOptions, 'cutoffs' | 'scope'>,
  ): Promise<Settling> {
    const { index, labels, query, rankings, needs } = asked;
    const passagesOf = (all: readonly (readonly Slot[])[] = []): StoredPassage[][] =>
      all.map((slots) => index.passages([...new Set(slots)]));
    const deepest = Math.max(...options.cutoffs);
    const tops = passagesOf(rankings.map((ranking) => ranking.slice(0, deepest)));
    const read = options.scope === 'everything' ? needs : undefined;
    const looked = { tops, whole: passagesOf(read?.whole), firsts: passagesOf(read?.firsts) };
    const begun = new Settling(asked, looked, options);
    const passages = [...begun.#passages.values()];
    const bySlot = new Map(passages.map((passage) => [passage.slot, passage]));
    const judgingTask = { query, perspectives: query.perspectives, passages };
    for (const { slot, perspectiveId, judgement } of await labels.known(judgingTask)) {
      const perspective = query.perspectives.find(({ id }) => id === perspectiveId)!;
      begun.#take({ query, passage: bySlot.get(slot)!, perspective }, judgement.verdict === 'yes');
      begun.known++;
    }
    // A passage without text counts as no support in every figure, since it cannot be judged.
    for (const passage of passages)
      if (passage.text === '')
        for (const perspective of query.perspectives) begun.#take({ query, passage, perspective }, false);
    return begun;
  }

  get isSettled(): boolean {
    return this.#open().length === 0;
  }

  get isMRecallDecided(): boolean {
    return this.#figures.isMRecallDecided;
  }

  /** The pairs to ask next, one list per request. Empty once all are settled or can no longer be. */
  wanted(): readonly (readonly QueryPair[])[] {
    const open = this.#open().filter(({ passage }) => !this.#left.has(passage.id));
    if (!this.labels.judge?.byPassage) return open.map((pair) => [pair]);
    // All open pairs of a passage go into one request, which saves a later one.
    return [...new Set(open.map(({ passage }) => passage.id))].map((id) => this.openOf(id));
  }

  /** The range of its figures: for each ranking, one entry per cutoff. */
  bounds(): readonly GoalBounds[] {
    return this.#figures.bounds();
  }

  /** Passages with an unanswered pair: all that may have to be asked, whatever the answers are. */
  openPassages(): readonly StoredPassage[] {
    return [...this.#passages.values()].filter(({ id }) => this.openOf(id).length > 0);
  }

  /** The unanswered pairs of a passage. They go into one request. */
  openOf(passageId: string): readonly QueryPair[] {
    return this.#pairsOf([this.#passages.get(passageId)!]).filter((pair) => !this.#answers.has(keyOf(pair)));
  }

  learn(pair: QueryPair, judgement: Judgement): void {
    this.#take(pair, judgement.verdict === 'yes');
    this.answered++;
  }

  /** Marks a pair as asked. If it has no answer, its passage is not asked about again. */
  leave(pair: QueryPair): void {
    if (!this.#answers.has(keyOf(pair))) this.#left.add(pair.passage.id);
  }

  #open(): readonly QueryPair[] {
    if (!this.#all) return this.#named(this.#figures.next());
    const open = this.#all.filter((pair) => !this.#answers.has(keyOf(pair)));
    const asked = new Set(open.map(keyOf));
    return [...open, ...this.#named(this.#firsts.next()).filter((pair) => !asked.has(keyOf(pair)))];
  }

  #pairsOf(passages: Iterable<StoredPassage>): QueryPair[] {
    const [query, index] = [this.#query, this.#index];
    return [...passages].flatMap((passage) =>
      query.perspectives.map((perspective) => ({ query, passage, perspective, index })),
    );
  }

  #named(pairs: readonly WantedPair[]): QueryPair[] {
    return pairs.map(({ passageId, perspectiveId }) => ({
      query: this.#query,
      index: this.#index,
      passage: this.#passages.get(passageId)!,
      perspective: this.#query.perspectives.find(({ id }) => id === perspectiveId)!,
    }));
  }

  #take(pair: QueryPair, supports: boolean): void {
    this.#answers.add(keyOf(pair));
    const named = { passageId: pair.passage.id, perspectiveId: pair.perspective.id };
    this.#figures.learn(named, supports);
    this.#firsts.learn(named, supports);
  }
}

/** The passages that figures and views read. */
interface Looked {
  readonly tops: readonly (readonly StoredPassage[])[];
  readonly whole: readonly (readonly StoredPassage[])[];
  readonly firsts: readonly (readonly StoredPassage[])[];
}

const byId = (all: readonly (readonly (readonly StoredPassage[])[])[]): Map<string, StoredPassage> =>
  new Map(all.flat(2).map((passage) => [passage.id, passage]));

const idsOf = (rankings: readonly (readonly StoredPassage[])[]): string[][] =>
  rankings.map((passages) => passages.map(({ id }) => id));

const keyOf = ({ passage, perspective }: QueryPair): string => `${passage.slot} ${perspective.id}`;
