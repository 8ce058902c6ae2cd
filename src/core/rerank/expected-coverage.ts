/**
 * Coverage under a judge that errs. A verdict is evidence, not truth: every passage keeps a chance of supporting each
 * perspective, the top k is the set with the highest expected coverage, and the next pair to be asked about is the one
 * whose answer is expected to raise that most. The derivation is in docs/expected-coverage.md.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import type { CoveragePair, CoverageVerdicts } from './coverage.ts';

/** How a judge errs: how often it says yes where a passage supports, and where it does not. In (0, 1). */
export interface JudgeErrors {
  readonly yesOfSupport: number;
  readonly yesOfNone: number;
}

/** Of a judge that nobody has validated: worse than most that were (BERDS, Table 4; DREAM, Table 1). */
export const CAUTIOUS_ERRORS: JudgeErrors = { yesOfSupport: 0.75, yesOfNone: 0.08 };

/** A judge that is always right, as far as a likelihood may say so. */
const SURE = 1e-4;

export interface ExpectedCoverageInput {
  /** n candidates, in rank order. */
  readonly candidates: number;
  /** m perspectives. */
  readonly perspectives: number;
  /** The top that is to cover. */
  readonly k: number;
  readonly errors?: JudgeErrors | undefined;
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
  /** Every candidate once: first the set of k, then the others as they were. */
  readonly order: readonly number[];
  /** The chance that the first k cover min(k, m) perspectives. */
  readonly aim: number;
  /** [n, m]: the chance that a candidate supports a perspective. */
  readonly posterior: readonly (readonly number[])[];
  readonly calls: number;
  /** Why judging ended: no answer can be expected to change the set, no calls left, or no pairs left. */
  readonly end: 'settled' | 'budget' | 'exhausted';
}

/** Of BM25 and the like over debates; see docs/expected-coverage.md. */
export function supportByRank(rank: number): number {
  return 0.02 + 0.33 / (1 + (rank - 1) / 9);
}

/** An answer that raises the aim by less is not worth its call. */
const LEAST_GAIN = 1e-5;
/** Beside the chance of covering enough: what is covered where that is out of reach, and how many support anything. */
const SHARE_WEIGHT = 0.02;
const PRECISION_WEIGHT = 0.02;

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
    if (calls >= budget) end = 'budget';
    const pairs = calls >= budget ? [] : state.mostTelling(Math.min(lookahead, budget - calls));
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
  #chosen: number[];
  #value = 0;

  constructor({
    candidates,
    perspectives,
    k,
    errors = CAUTIOUS_ERRORS,
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
        chances?.[Math.floor(at / perspectives)]?.[at % perspectives] ??
          prior(Math.floor(at / perspectives) + 1),
      ),
    );
    this.#asked = new Uint8Array(candidates * perspectives);
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

  /** Exchanges candidates of the set for others as long as that raises the aim. */
  choose(): void {
    this.#value = this.#valueOf(this.#chosen);
    for (let turn = 0; turn < 4 * this.#k; turn++) {
      const found = this.#bestExchange();
      if (!found || found.value <= this.#value + 1e-12) return;
      this.#chosen = this.#chosen.map((own, place) => (place === found.place ? found.candidate : own));
      this.#value = found.value;
    }
  }

  #bestExchange(fixed = -1): { place: number; candidate: number; value: number } | undefined {
    const isChosen = this.#marks();
    let best: { place: number; candidate: number; value: number } | undefined;
    for (let place = 0; place < this.#chosen.length; place++) {
      if (this.#chosen[place] === fixed) continue;
      const rest = this.#restOf(place);
      for (let candidate = 0; candidate < this.#n; candidate++) {
        if (isChosen[candidate]) continue;
        const value = this.#valueWith(rest, candidate);
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
    const rests = this.#chosen.map((_, place) => this.#restOf(place));
    for (let candidate = 0; candidate < this.#n; candidate++)
      for (let perspective = 0; perspective < this.#m; perspective++) {
        const at = candidate * this.#m + perspective;
        if (this.#asked[at]) continue;
        const gain = isChosen[candidate]
          ? this.#gainInside(candidate, at)
          : this.#gainOutside(candidate, at, rests);
        if (gain > LEAST_GAIN) gains.push({ pair: { candidate, perspective }, gain });
      }
    if (gains.length === 0) return this.#isSure ? this.#mostOpen(count) : [];
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
      return Math.abs(this.#valueOf(this.#chosen) - this.#value);
    };
    const swing = yes * changeAfter('yes') + (1 - yes) * changeAfter('no');
    this.#support[at] = before;
    return swing;
  }

  get #isSure(): boolean {
    const { yesOfSupport, yesOfNone } = this.#errors;
    return yesOfSupport >= 1 - SURE && yesOfNone <= SURE;
  }

  #chanceOfYes(support: number): number {
    const { yesOfSupport, yesOfNone } = this.#errors;
    return support * yesOfSupport + (1 - support) * yesOfNone;
  }

  #gainOutside(candidate: number, at: number, rests: readonly Rest[]): number {
    const before = this.#support[at]!;
    this.#support[at] = this.#after(before, 'yes');
    let best = 0;
    for (const rest of rests) best = Math.max(best, this.#valueWith(rest, candidate));
    this.#support[at] = before;
    return this.#chanceOfYes(before) * Math.max(0, best - this.#value);
  }

  #gainInside(candidate: number, at: number): number {
    const before = this.#support[at]!;
    const yes = this.#chanceOfYes(before);
    const bestAfter = (verdict: 'yes' | 'no'): number => {
      this.#support[at] = this.#after(before, verdict);
      const kept = this.#valueOf(this.#chosen);
      const exchanged = this.#bestExchange(verdict === 'yes' ? candidate : -1)?.value ?? kept;
      return Math.max(kept, exchanged);
    };
    const expected = yes * bestAfter('yes') + (1 - yes) * bestAfter('no');
    this.#support[at] = before;
    return expected - this.#value;
  }

  #restOf(place: number): Rest {
    return this.#sum(this.#chosen.filter((_, own) => own !== place));
  }

  #sum(candidates: readonly number[]): Rest {
    const missed = new Float64Array(this.#m).fill(1);
    let supporting = 0;
    for (const candidate of candidates) {
      for (let perspective = 0; perspective < this.#m; perspective++)
        missed[perspective]! *= 1 - this.#support[candidate * this.#m + perspective]!;
      supporting += this.#supportsAny(candidate);
    }
    return { missed, supporting };
  }

  #supportsAny(candidate: number): number {
    let none = 1;
    for (let perspective = 0; perspective < this.#m; perspective++)
      none *= 1 - this.#support[candidate * this.#m + perspective]!;
    return 1 - none;
  }

  #valueWith({ missed, supporting }: Rest, candidate: number): number {
    const covered = new Float64Array(this.#m);
    for (let perspective = 0; perspective < this.#m; perspective++)
      covered[perspective] =
        1 - missed[perspective]! * (1 - this.#support[candidate * this.#m + perspective]!);
    return this.#worth(covered, supporting + this.#supportsAny(candidate));
  }

  #valueOf(candidates: readonly number[]): number {
    const { missed, supporting } = this.#sum(candidates);
    return this.#worth(
      missed.map((chance) => 1 - chance),
      supporting,
    );
  }

  #worth(covered: Float64Array, supporting: number): number {
    let share = 0;
    for (const chance of covered) share += chance / covered.length;
    return atLeast(covered, this.#needed) + SHARE_WEIGHT * share + (PRECISION_WEIGHT * supporting) / this.#k;
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
    const { missed } = this.#sum(this.#chosen);
    return {
      order: [...this.#ordered(), ...all.filter((each) => !isChosen[each])],
      aim: atLeast(
        missed.map((chance) => 1 - chance),
        this.#needed,
      ),
      posterior: all.map((candidate) => [
        ...this.#support.subarray(candidate * this.#m, (candidate + 1) * this.#m),
      ]),
    };
  }
}

/** A set without one of its places. */
interface Rest {
  /** [m]: the chance that none of them supports a perspective. */
  readonly missed: Float64Array;
  /** How many are expected to support anything. */
  readonly supporting: number;
}

/** The chance that at least so many of independent events happen (Poisson binomial). */
export function atLeast(chances: Float64Array, needed: number): number {
  if (needed === chances.length) {
    let all = 1;
    for (const chance of chances) all *= chance;
    return all;
  }
  // [0 … needed]: the chance of so many so far, `needed` and more together.
  const counts = new Float64Array(needed + 1);
  counts[0] = 1;
  for (const chance of chances)
    for (let many = needed; many >= 0; many--)
      counts[many] =
        (many === needed ? counts[many]! : counts[many]! * (1 - chance)) +
        (many > 0 ? counts[many - 1]! * chance : 0);
  return counts[needed]!;
}

/** No answer rules anything out: likelihoods of 0 and 1 are kept away from it. */
function smoothed({ yesOfSupport, yesOfNone }: JudgeErrors): JudgeErrors {
  for (const [name, value] of [
    ['yesOfSupport', yesOfSupport],
    ['yesOfNone', yesOfNone],
  ] as const)
    if (!(value >= 0 && value <= 1))
      throw new ParallaxError('bad-argument', l10n.t`${name} is a share from 0 to 1, not ${value}.`);
  if (yesOfSupport <= yesOfNone)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`A judge that says yes to ${yesOfSupport} of what supports and to ${yesOfNone} of the rest tells nothing.`,
    );
  return { yesOfSupport: within(yesOfSupport), yesOfNone: within(yesOfNone) };
}

function within(chance: number): number {
  return Math.min(1 - SURE, Math.max(SURE, chance));
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
