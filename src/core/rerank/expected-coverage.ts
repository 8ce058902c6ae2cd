/**
 * Coverage under a judge that errs. A verdict is evidence, not truth: every passage keeps a chance of supporting each
 * perspective, the top k is the set with the highest expected coverage, and the next pair to be asked about is the one
 * whose answer is expected to raise that most. The derivation is in docs/expected-coverage.md.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import type { CoveragePair, CoverageVerdicts } from './coverage.ts';
import { CAUTIOUS_ERRORS, isSure, smoothed, within, type JudgeErrors } from './judge-errors.ts';
import { aimAt, atLeast, type Aim, type CoverageAim, type Exchanged } from './expected-aims.ts';

export interface ExpectedCoverageInput {
  /** n candidates, in rank order. */
  readonly candidates: number;
  /** m perspectives. */
  readonly perspectives: number;
  /** The top that is to cover. */
  readonly k: number;
  readonly errors?: JudgeErrors | undefined;
  /** The measure that the top k is to be best at; MRecall when left out. */
  readonly aim?: CoverageAim | undefined;
  /** The chance of a candidate at a rank, from 1, to support a perspective, before anybody is asked. */
  readonly prior?: ((rank: number) => number) | undefined;
  /** [n, m]: the same for every pair, where more is known than its rank. */
  readonly chances?: readonly (readonly number[])[] | undefined;
  /** How many pairs may be judged at most; without limit when left out. */
  readonly calls?: number | undefined;
  /** How many pairs are asked about at a time; 1 when left out. */
  readonly lookahead?: number | undefined;
}

export interface ExpectedCoverageOrder {
  /** Every candidate once: first the best k, then the others as they were. */
  readonly order: readonly number[];
  /** The chance that the first k cover min(k, m) perspectives, whatever the aim was. */
  readonly aim: number;
  /** [n, m]: the chance that a candidate supports a perspective. */
  readonly posterior: readonly (readonly number[])[];
  readonly calls: number;
  /** Why judging ended: no answer can be expected to change the set, no calls left, or no pairs left. */
  readonly end: 'settled' | 'budget' | 'exhausted';
}

/** How often the passage at a rank supports a perspective, for BM25 and the like over debates; see docs/expected-coverage.md. */
export function supportByRank(rank: number): number {
  return 0.02 + 0.33 / (1 + (rank - 1) / 9);
}

/** An answer that raises the aim by less is not worth its call. */
const LEAST_GAIN = 1e-5;
/** Differences that are no more than that of sums. */
const ROUNDING = 1e-12;

/**
 * Yields the pairs to judge next and takes their verdicts in return; see {@link ExpectedCoverageOrder}. "Unsure", and
 * no verdict, tell nothing. With a judge that is always right and calls without limit, the top k cover as many
 * perspectives as any order of the candidates can.
 *
 * @throws ParallaxError `bad-argument` without perspectives, for counts that do not fit, errors outside of [0, 1] or
 *   of a judge that is not better than chance, or when the number of verdicts is not that of the pairs
 */
export function* expectedCoverageRerank(
  input: ExpectedCoverageInput,
): Generator<readonly CoveragePair[], ExpectedCoverageOrder, CoverageVerdicts> {
  const { calls: budget = Infinity, lookahead = 1 } = input;
  const state = new Beliefs(input);
  let calls = 0;
  let end: ExpectedCoverageOrder['end'] = 'settled';
  for (;;) {
    state.choose();
    if (calls >= budget) {
      end = 'budget';
      break;
    }
    const pairs = state.mostTelling(Math.min(lookahead, budget - calls));
    if (pairs.length === 0) break;
    calls += pairs.length;
    const verdicts = yield pairs;
    if (verdicts.length !== pairs.length)
      throw new ParallaxError(
        'bad-argument',
        l10n.t`The coverage reranker got ${verdicts.length} verdicts for ${pairs.length} pairs.`,
      );
    pairs.forEach((pair, place) => state.learn(pair, verdicts[place]));
  }
  if (calls === input.candidates * input.perspectives) end = 'exhausted';
  return { ...state.result(), calls, end };
}

/** A candidate in a place of the list, and what the list is worth with it. */
interface Exchange {
  readonly place: number;
  readonly candidate: number;
  readonly value: number;
}

interface Valued {
  readonly list: number[];
  readonly value: number;
}

/** Probabilities of support for every pair, and the set that follows from them. */
class Beliefs {
  readonly #n: number;
  readonly #m: number;
  readonly #k: number;
  readonly #needed: number;
  readonly #errors: JudgeErrors;
  /** [n, m]. */
  readonly #support: Float64Array;
  readonly #asked: Uint8Array;
  readonly #aim: Aim;
  #chosen: number[];
  #value = 0;

  constructor({
    candidates,
    perspectives,
    k,
    errors = CAUTIOUS_ERRORS,
    aim = 'MRecall',
    prior = supportByRank,
    chances,
  }: ExpectedCoverageInput) {
    checkCounts({ candidates, perspectives, k });
    this.#n = candidates;
    this.#m = perspectives;
    this.#k = Math.min(k, candidates);
    this.#needed = Math.min(k, perspectives);
    this.#errors = smoothed(errors);
    this.#support = Float64Array.from({ length: candidates * perspectives }, (_, at) =>
      within(
        chances?.[Math.floor(at / perspectives)]![at % perspectives] ??
          prior(Math.floor(at / perspectives) + 1),
      ),
    );
    this.#asked = new Uint8Array(candidates * perspectives);
    this.#aim = aimAt(aim, this.#support, perspectives, this.#k);
    this.#chosen = Array.from({ length: this.#k }, (_, candidate) => candidate);
  }

  learn({ candidate, perspective }: CoveragePair, verdict: CoverageVerdicts[number]): void {
    const at = candidate * this.#m + perspective;
    this.#asked[at] = 1;
    if (verdict === 'yes' || verdict === 'no') this.#support[at] = this.#after(this.#support[at]!, verdict);
  }

  /** Bayes' rule. */
  #after(support: number, verdict: 'yes' | 'no'): number {
    const { yesOfSupport, yesOfNone } = this.#errors;
    const [ofSupport, ofNone] =
      verdict === 'yes' ? [yesOfSupport, yesOfNone] : [1 - yesOfSupport, 1 - yesOfNone];
    return (support * ofSupport) / (support * ofSupport + (1 - support) * ofNone);
  }

  /** Exchanges candidates of the top for others, and for each other, as long as that raises the aim. */
  choose(): void {
    let top = this.#arranged(this.#chosen);
    for (let turn = 0; turn < 4 * this.#k; turn++) {
      this.#chosen = top.list;
      this.#value = top.value;
      const found = this.#bestExchange();
      if (!found) return;
      top = this.#arranged(this.#with(found));
      if (top.value <= this.#value + ROUNDING) return;
    }
  }

  #with({ place, candidate }: Exchange): number[] {
    return this.#chosen.map((own, at) => (at === place ? candidate : own));
  }

  /** The list after its candidates have changed places, two at a time, as long as that raises the aim. */
  #arranged(list: readonly number[]): Valued {
    let best: Valued = { list: [...list], value: this.#aim.valueOf(list) };
    if (!this.#aim.isOrdered) return best;
    for (let turn = 0; turn < this.#k; turn++) {
      const before = best;
      for (let later = 1; later < this.#k; later++)
        for (let earlier = 0; earlier < later; earlier++) {
          const swapped = [...before.list];
          [swapped[earlier], swapped[later]] = [swapped[later]!, swapped[earlier]!];
          const value = this.#aim.valueOf(swapped);
          if (value > best.value + ROUNDING) best = { list: swapped, value };
        }
      if (best === before) break;
    }
    return best;
  }

  #bestExchange(fixed = -1): Exchange | undefined {
    const isChosen = this.#marks();
    let best: Exchange | undefined;
    for (let place = 0; place < this.#chosen.length; place++) {
      if (this.#chosen[place] === fixed) continue;
      const valueWith = this.#aim.exchanged(this.#chosen, place);
      for (let candidate = 0; candidate < this.#n; candidate++) {
        if (isChosen[candidate]) continue;
        const value = valueWith(candidate);
        if (!best || value > best.value) best = { place, candidate, value };
      }
    }
    return best;
  }

  #marks(): Uint8Array {
    const marks = new Uint8Array(this.#n);
    for (const candidate of this.#chosen) marks[candidate] = 1;
    return marks;
  }

  /**
   * Pairs that were not asked about, by how much their answer is expected to raise the aim of the best set. Where a
   * candidate is outside of the set only a "yes" changes it, and where it is inside also a "no".
   */
  mostTelling(count: number): CoveragePair[] {
    const gains: { readonly pair: CoveragePair; readonly gain: number }[] = [];
    const isChosen = this.#marks();
    const exchanges = this.#chosen.map((_, place) => this.#aim.exchanged(this.#chosen, place));
    for (let candidate = 0; candidate < this.#n; candidate++)
      for (let perspective = 0; perspective < this.#m; perspective++) {
        const at = candidate * this.#m + perspective;
        if (this.#asked[at]) continue;
        const gain = isChosen[candidate]
          ? this.#gainInside(candidate, at)
          : this.#gainOutside(candidate, at, exchanges);
        if (gain > LEAST_GAIN) gains.push({ pair: { candidate, perspective }, gain });
      }
    if (gains.length === 0) return isSure(this.#errors) ? this.#mostOpen(count) : [];
    gains.sort((a, b) => b.gain - a.gain);
    return gains.slice(0, count).map(({ pair }) => pair);
  }

  /**
   * Pairs of the set whose answer moves its aim most. No single answer may change the set where several would; the
   * answers of a judge that is always right add up, so that asking on finds them.
   */
  #mostOpen(count: number): CoveragePair[] {
    if (this.#k === this.#n) return [];
    const open = this.#chosen.flatMap((candidate) =>
      Array.from({ length: this.#m }, (_, perspective) => ({ candidate, perspective }))
        .filter((pair) => !this.#asked[candidate * this.#m + pair.perspective])
        .map((pair) => ({ pair, swing: this.#swing(pair) })),
    );
    return open
      .filter(({ swing }) => swing > LEAST_GAIN)
      .sort((a, b) => b.swing - a.swing)
      .slice(0, count)
      .map(({ pair }) => pair);
  }

  /** The expected change, up or down, of what the set is worth. */
  #swing({ candidate, perspective }: CoveragePair): number {
    const at = candidate * this.#m + perspective;
    const before = this.#support[at]!;
    const yes = this.#chanceOfYes(before);
    const changeAfter = (verdict: 'yes' | 'no'): number => {
      this.#support[at] = this.#after(before, verdict);
      return Math.abs(this.#aim.valueOf(this.#chosen) - this.#value);
    };
    const swing = yes * changeAfter('yes') + (1 - yes) * changeAfter('no');
    this.#support[at] = before;
    return swing;
  }

  #chanceOfYes(support: number): number {
    const { yesOfSupport, yesOfNone } = this.#errors;
    return support * yesOfSupport + (1 - support) * yesOfNone;
  }

  #gainOutside(candidate: number, at: number, exchanges: readonly Exchanged[]): number {
    const before = this.#support[at]!;
    this.#support[at] = this.#after(before, 'yes');
    const values = exchanges.map((valueWith) => valueWith(candidate));
    const value = Math.max(...values);
    const best = this.#valueArranged({ place: values.indexOf(value), candidate, value });
    this.#support[at] = before;
    return this.#chanceOfYes(before) * Math.max(0, best - this.#value);
  }

  #gainInside(candidate: number, at: number): number {
    const before = this.#support[at]!;
    const yes = this.#chanceOfYes(before);
    const bestAfter = (verdict: 'yes' | 'no'): number => {
      this.#support[at] = this.#after(before, verdict);
      const kept = this.#arranged(this.#chosen).value;
      const found = this.#bestExchange(verdict === 'yes' ? candidate : -1);
      return found ? Math.max(kept, this.#valueArranged(found)) : kept;
    };
    const expected = yes * bestAfter('yes') + (1 - yes) * bestAfter('no');
    this.#support[at] = before;
    return expected - this.#value;
  }

  #valueArranged(exchange: Exchange): number {
    return this.#aim.isOrdered ? this.#arranged(this.#with(exchange)).value : exchange.value;
  }

  /** MRecall does not ask for the order of the set; whoever looks at less of it sees as much as can be covered there. */
  #ordered(): number[] {
    const left = [...this.#chosen].sort((a, b) => a - b);
    const missed = new Float64Array(this.#m).fill(1);
    const gainOf = (candidate: number): number =>
      missed.reduce((sum, chance, at) => sum + chance * this.#support[candidate * this.#m + at]!, 0);
    const ordered: number[] = [];
    while (left.length > 0) {
      const next = left.reduce((best, each) => (gainOf(each) > gainOf(best) + 1e-9 ? each : best));
      ordered.push(...left.splice(left.indexOf(next), 1));
      for (let at = 0; at < this.#m; at++) missed[at]! *= 1 - this.#support[next * this.#m + at]!;
    }
    return ordered;
  }

  result(): Pick<ExpectedCoverageOrder, 'order' | 'aim' | 'posterior'> {
    const isChosen = this.#marks();
    const all = Array.from({ length: this.#n }, (_, candidate) => candidate);
    const covered = Float64Array.from({ length: this.#m }, (_, perspective) =>
      this.#chosen.reduce(
        (missed, candidate) => missed * (1 - this.#support[candidate * this.#m + perspective]!),
        1,
      ),
    ).map((missed) => 1 - missed);
    return {
      order: [
        ...(this.#aim.isOrdered ? this.#chosen : this.#ordered()),
        ...all.filter((each) => !isChosen[each]),
      ],
      aim: atLeast(covered, this.#needed),
      posterior: all.map((candidate) => [
        ...this.#support.subarray(candidate * this.#m, (candidate + 1) * this.#m),
      ]),
    };
  }
}

function checkCounts(counts: Readonly<Record<'candidates' | 'perspectives' | 'k', number>>): void {
  if (counts.perspectives === 0)
    throw new ParallaxError('bad-argument', l10n.t('The query has no perspectives to rerank by.'));
  for (const [name, value] of Object.entries(counts))
    if (!Number.isInteger(value) || value < (name === 'k' ? 1 : 0))
      throw new ParallaxError(
        'bad-argument',
        l10n.t`${name} must be a whole number from ${name === 'k' ? 1 : 0}, not ${value}.`,
      );
}
