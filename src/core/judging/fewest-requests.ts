/**
 * In which order passages are judged where one request answers all pairs of a passage, so that what MRecall@k and
 * Precision@k can still be shrinks fastest.
 *
 * Precision@k rests on every passage of the top k, so that no order needs fewer requests than there are passages of
 * which nothing is known; but a run that ends at a budget is worth what is certain by then. Two facts are certain. A
 * request shrinks Precision@k by 1/k in every ranking that has the passage among its first k. MRecall@k of a query is
 * open (it can be 0 and 1) until min(k, m) perspectives are covered, or until too few are left that any unasked passage
 * could cover; then it shrinks by 1 at once. When that will be is not known, so that it is expected.
 *
 * Let a passage at rank r support a perspective with the chance π(r), independently. After n more requests to passages
 * of a top k, the chance that a missing perspective s is covered is c(s) = 1 − Π(1 − π). MRecall is decided then with
 *
 *   D(n) = P(at least min(k, m) are covered) + P(more than m − min(k, m) are uncovered with no passage left),
 *
 * two tails of Poisson binomials, of events that exclude each other. Requests end once it is decided, so that up to n
 * of them cost C(n) = Σ (1 − D(j)) over j < n. The query is worth the best of (shrink expected from n) / C(n) over n: the
 * index of Gittins (1979) for jobs of unknown length, of which doing always the one with the highest ends most of them
 * early. The stops that are compared are "decided, or n requests", whatever was answered before; several rankings are
 * taken one after the other, each with what its requests settle in the others. Both bring the index close, not exactly.
 * A wrong π costs speed alone: the bounds are certain, and the figures at the end are those of judging everything.
 */
import { atLeast } from '../rerank/expected-aims.ts';
import { supportByRank } from '../rerank/expected-coverage.ts';
import {
  OpenFigures,
  type Goal,
  type GoalBounds,
  type WantedFigures,
  type WantedPair,
} from './open-figures.ts';

export interface WantedRequests extends WantedFigures {
  /** The chance in [0, 1] of a passage at a rank, from 1, to support a perspective; a stated default without it. */
  readonly prior?: ((rank: number) => number) | undefined;
}

/** A passage to judge, of the query at a place of the list. */
export interface Request {
  readonly query: number;
  readonly passageId: string;
}

/**
 * The requests to make next, those that are worth most first. Several at a time are no more requests in the end; they
 * only know less of each other's answers, so that they go to as many queries as there are.
 *
 * @param figures of each query
 * @param atATime how many at most; without it all that are sure to be needed, query after query
 * @returns none when all figures are settled, or hang on what cannot be answered
 */
export function nextRequests(figures: readonly FewestRequests[], atATime = Infinity): Request[] {
  const wanted = figures.map((of, query) => ({ query, ...of.next() })).sort((a, b) => b.worth - a.worth);
  const byQuery = wanted.flatMap(({ query, passages }) =>
    passages.map((passageId, place) => ({ query, passageId, place })),
  );
  const inOrder = atATime === Infinity ? byQuery : byQuery.sort((a, b) => a.place - b.place);
  return inOrder.slice(0, atATime).map(({ query, passageId }) => ({ query, passageId }));
}

/** The passages of one query to ask about next. */
interface NextPassages {
  /** The best first. They can be asked at the same time: the figures depend on each, whatever is answered. */
  readonly passages: readonly string[];
  /** Expected shrink of all figures of the query a request; 0 without passages. */
  readonly worth: number;
}

const NOTHING: NextPassages = { passages: [], worth: 0 };

/** The first of the plans with the highest worth. */
function mostWorth(plans: readonly NextPassages[]): NextPassages {
  return plans.reduce((best, plan) => (plan.worth > best.worth ? plan : best), NOTHING);
}

/** The passages that the figures of one query still depend on; {@link nextRequests} chooses between queries. */
export class FewestRequests {
  readonly #figures: OpenFigures;
  /** Passage id → chance of support. */
  readonly #chances: ReadonlyMap<string, number>;
  readonly #left = new Set<string>();
  #next: NextPassages | undefined;

  constructor({ prior = supportByRank, ...wanted }: WantedRequests) {
    this.#figures = new OpenFigures(wanted);
    this.#chances = new Map(
      this.#figures.passages.map((passage) => [passage, prior(bestRank(passage, wanted.rankings))]),
    );
  }

  /** Takes in an answer, asked for or known from elsewhere. "Unsure" is no support, as in every figure. */
  learn(pair: WantedPair, supports: boolean): void {
    this.#figures.learn(pair, supports);
    this.#next = undefined;
  }

  /** The passage could not be judged, or not for every perspective: it is not handed out again. */
  leave(passageId: string): void {
    this.#left.add(passageId);
    this.#next = undefined;
  }

  /** Whether every figure is certain. */
  get isSettled(): boolean {
    const { passages, goals } = this.#figures;
    return (
      passages.every((passage) => this.#figures.isSettled(passage)) &&
      goals.every((goal) => this.#figures.isDecided(goal))
    );
  }

  /** The range of the figures, for each ranking one of each cutoff. */
  bounds(): GoalBounds[] {
    return this.#figures.bounds();
  }

  /** Worked out anew after an answer alone. */
  next(): NextPassages {
    return (this.#next ??= this.#best());
  }

  #best(): NextPassages {
    const figures = this.#figures;
    const needed = figures.passages.filter(
      (passage) => !figures.isSettled(passage) && !this.#left.has(passage),
    );
    const open = figures.goals.filter((goal) => !figures.isDecided(goal));
    const { passages, worth } = mostWorth([
      ...open.map((goal) => this.#plan(goal, open)),
      ...needed.map((passage) => ({ passages: [passage], worth: this.#shrink(passage) })),
    ]);
    // Further ones that MRecall alone depends on may no longer matter once the first is answered.
    const sure = passages.filter((passage, place) => place === 0 || needed.includes(passage));
    return { passages: [...new Set([...sure, ...needed])], worth };
  }

  /** Goes through the passages that the MRecall of one goal is open to, and stops where that pays best. */
  #plan(goal: Goal, open: readonly Goal[]): NextPassages {
    const passages = this.#inOrder(goal, open);
    const prospects = new Map(open.map((other) => [other, this.#prospect(other)]));
    const own = prospects.get(goal)!;
    let [worth, cost, certain] = [0, 0, 0];
    for (const passage of passages) {
      const stillOpen = 1 - own.decided;
      cost += stillOpen;
      certain += stillOpen * this.#shrink(passage);
      for (const [other, prospect] of prospects)
        if (other.passages.includes(passage)) prospect.ask(passage, this.#chances.get(passage)!);
      const expected = [...prospects.values()].reduce((sum, { decided }) => sum + decided, 0);
      worth = Math.max(worth, (certain + expected) / cost);
      if (own.decided === 1) break;
    }
    return { passages, worth };
  }

  /** First what Precision needs anyway; of that, what is the likeliest to settle the most. */
  #inOrder(goal: Goal, open: readonly Goal[]): string[] {
    const figures = this.#figures;
    const missing = figures.missing(goal);
    const isOpen = (passageId: string): boolean =>
      missing.some((perspectiveId) => !figures.isKnown({ passageId, perspectiveId }));
    const likely = (passage: string): number =>
      this.#chances.get(passage)! * open.filter(({ passages }) => passages.includes(passage)).length;
    const later = (passage: string): number => (figures.isSettled(passage) ? 1 : 0);
    return goal.passages
      .filter((passage) => isOpen(passage) && !this.#left.has(passage))
      .sort((a, b) => later(a) - later(b) || likely(b) - likely(a));
  }

  /** By how much a request to the passage shrinks Precision, over all goals. */
  #shrink(passage: string): number {
    if (this.#figures.isSettled(passage)) return 0;
    return this.#figures.goals.reduce(
      (sum, { passages, k }) => sum + (passages.includes(passage) ? 1 / k : 0),
      0,
    );
  }

  #prospect(goal: Goal): Prospect {
    const figures = this.#figures;
    const missing = figures.missing(goal);
    const open = missing.map(
      (perspectiveId) =>
        new Set(goal.passages.filter((passageId) => !figures.isKnown({ passageId, perspectiveId }))),
    );
    const covered = figures.perspectives.length - missing.length;
    return new Prospect(open, goal.needed - covered);
  }
}

/** The chance that MRecall of one goal is decided, as more of its passages are asked about. */
class Prospect {
  /** For each missing perspective: passages that are not asked about it yet. */
  readonly #open: readonly Set<string>[];
  /** For each missing perspective: the chance that it is covered by those that are. */
  readonly #covered: Float64Array;
  readonly #needed: number;

  /** @param needed how many of the missing perspectives are to be covered */
  constructor(open: readonly Set<string>[], needed: number) {
    this.#open = open;
    this.#covered = new Float64Array(open.length);
    this.#needed = needed;
  }

  ask(passage: string, chance: number): void {
    for (const [place, open] of this.#open.entries())
      if (open.delete(passage)) this.#covered[place] = 1 - (1 - this.#covered[place]!) * (1 - chance);
  }

  /** D of the derivation above. */
  get decided(): number {
    const failed = this.#covered.map((chance) => 1 - chance).filter((_, at) => this.#open[at]!.size === 0);
    if (failed.length === this.#open.length) return 1;
    const tooFew = this.#open.length - this.#needed + 1;
    return atLeast(this.#covered, this.#needed) + atLeast(failed, tooFew);
  }
}

function bestRank(passage: string, rankings: WantedFigures['rankings']): number {
  const ranks = rankings.map((ranking) => ranking.indexOf(passage) + 1).filter((rank) => rank > 0);
  return Math.min(...ranks);
}
