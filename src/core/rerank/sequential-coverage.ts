/**
 * Coverage with imperfect judges, by a sequential test with relevance feedback (Wald 1945; Rocchio 1971): asks about
 * passages one by one until every perspective is likely covered. See docs/expected-coverage.md for the derivation.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import { bestSet, mostAddedFirst } from './best-set.ts';
import type { CoverageVerdicts } from './coverage.ts';
import { aimAt, type Aim, type CoverageAim } from './expected-aims.ts';
import { CAUTIOUS_ERRORS, smoothed, UNKNOWN_CORRELATION, type JudgeErrors } from './judge-errors.ts';
import { SupportBeliefs, type Likeness } from './support-beliefs.ts';

export interface SequentialCoverageInput {
  /** n candidates, in rank order. */
  readonly candidates: number;
  /** m perspectives. */
  readonly perspectives: number;
  /** The size of the top that should cover. */
  readonly k: number;
  /**
   * The error rates of each judge, in the order in which they are asked about a passage. Defaults to one cautious
   * judge.
   */
  readonly errors?: readonly JudgeErrors[] | undefined;
  /** The correlation of two judges' errors, in [0, 1]. Defaults to {@link UNKNOWN_CORRELATION}. */
  readonly correlation?: number | undefined;
  readonly likeness?: Likeness | undefined;
  /** The measure to optimise the top k for. Defaults to MRecall. */
  readonly aim?: CoverageAim | undefined;
  /** Whether a request asks about all perspectives of a passage, or about one. */
  readonly unit?: 'passage' | 'pair' | undefined;
  /** The most requests. `undefined` for no limit. */
  readonly requests?: number | undefined;
  /** The most requests now, if queries share a budget. */
  readonly left?: (() => number) | undefined;
  /** The number of parallel requests. Defaults to 1. */
  readonly lookahead?: number | undefined;
}

/** One request to a judge. All fields are indices from 0. */
export interface CoverageRequest {
  readonly candidate: number;
  readonly perspectives: readonly number[];
  /** The judge that is asked. */
  readonly judge: number;
}

export interface SequentialCoverageOrder {
  /** Every candidate once: the best k first, then the others in their original order. */
  readonly order: readonly number[];
  /** The probability that the first k cover min(k, m) perspectives, for any aim. */
  readonly covers: number;
  /** [n, m]: the probability that a candidate supports a perspective. */
  readonly posterior: readonly (readonly number[])[];
  readonly requests: number;
  /** Why asking ended: no answer is worth its request, or no requests are left. */
  readonly end: 'settled' | 'budget';
}

/** A perspective is wanted until the two likeliest passages cover it with this probability. */
const COVERED = 0.95;
/** A passage with a lower probability of supporting what is wanted is not worth a request. */
const MIN_HOPE = 0.01;
/** An answer that is expected to add fewer supporting passages to the top k is not worth a request. */
const MIN_GAIN = 0.05;

/**
 * Yields the requests to make next and receives their verdicts, one per perspective for each request. "Unsure" and
 * missing verdicts are no evidence.
 *
 * @throws ParallaxError `bad-argument` without perspectives, for counts that do not fit, errors outside of [0, 1] or of
 *   a judge that is not better than chance, a correlation outside of [0, 1], or verdicts that do not fit the requests
 */
export function* sequentialCoverageRerank(
  input: SequentialCoverageInput,
): Generator<readonly CoverageRequest[], SequentialCoverageOrder, readonly CoverageVerdicts[]> {
  const { requests: budget = Infinity, lookahead = 1, perspectives: m } = input;
  const test = new SequentialTest(input);
  let requests = 0;
  let end: SequentialCoverageOrder['end'] = 'settled';
  for (;;) {
    const left = Math.min(budget - requests, input.left?.() ?? Infinity);
    const next = test.next(Math.min(lookahead, Math.max(1, left)));
    if (next.length === 0) break;
    if (left < 1) {
      end = 'budget';
      break;
    }
    requests += next.length;
    const verdicts = yield next;
    next.forEach(({ candidate, perspectives }, place) => {
      const pairVerdicts = verdicts[place] ?? [];
      if (pairVerdicts.length !== perspectives.length)
        throw new ParallaxError(
          'bad-argument',
          l10n.t`The coverage reranker got ${pairVerdicts.length} verdicts for ${perspectives.length} pairs.`,
        );
      perspectives.forEach((perspective, at) =>
        test.beliefs.learn(candidate * m + perspective, pairVerdicts[at]),
      );
    });
    test.beliefs.update();
  }
  return { ...test.result(), requests, end };
}

interface Wish {
  readonly request: CoverageRequest;
  readonly worth: number;
}

class SequentialTest {
  readonly beliefs: SupportBeliefs;
  readonly #n: number;
  readonly #m: number;
  readonly #k: number;
  readonly #isByPassage: boolean;
  readonly #errors: readonly JudgeErrors[];
  readonly #aim: Aim;

  constructor(input: SequentialCoverageInput) {
    const { candidates, perspectives, k, aim = 'MRecall', unit = 'passage', likeness } = input;
    const { correlation = UNKNOWN_CORRELATION } = input;
    checkCounts({ candidates, perspectives, k });
    if (!(correlation >= 0 && correlation <= 1))
      throw new ParallaxError(
        'bad-argument',
        l10n.t`A correlation of errors is from 0 to 1, not ${correlation}.`,
      );
    this.#n = candidates;
    this.#m = perspectives;
    this.#k = Math.min(k, candidates);
    this.#isByPassage = unit === 'passage';
    this.#errors = (input.errors ?? [CAUTIOUS_ERRORS]).map(smoothed);
    this.beliefs = new SupportBeliefs({
      candidates,
      perspectives,
      errors: this.#errors,
      correlation,
      likeness,
    });
    this.#aim = aimAt(aim, this.beliefs.support, perspectives, this.#k);
  }

  /** The most valuable requests, about different pairs. Empty if no answer is worth its request. */
  next(count: number): CoverageRequest[] {
    // With at most k passages the order does not matter.
    if (this.#k === this.#n) return [];
    const openPerspectives = Array.from({ length: this.#m }, (_, perspective) => perspective).filter(
      (perspective) => !this.#isCovered(perspective),
    );
    for (const wishes of [
      () => this.#again(openPerspectives),
      () => this.#first(openPerspectives),
      () => this.#forPrecision(),
    ]) {
      const options = wishes();
      if (options.length > 0)
        return options
          .sort((a, b) => b.worth - a.worth)
          .slice(0, count)
          .map(({ request }) => request);
    }
    return [];
  }

  #isCovered(perspective: number): boolean {
    let [most, second] = [0, 0];
    for (let candidate = 0; candidate < this.#n; candidate++) {
      const chance = this.beliefs.support[candidate * this.#m + perspective]!;
      if (chance > most) [most, second] = [chance, most];
      else if (chance > second) second = chance;
    }
    return 1 - (1 - most) * (1 - second) >= COVERED;
  }

  /** Another opinion, if the answers so far support a wanted perspective. */
  #again(perspectives: readonly number[]): Wish[] {
    return this.#wishes(
      perspectives,
      (at) => {
        const opinions = this.beliefs.opinions[at]!;
        return opinions > 0 && opinions < this.#errors.length && this.beliefs.isSupported(at);
      },
      (chances) => Math.max(...chances),
    );
  }

  /** Passages without opinions, by their probability of supporting what is wanted. */
  #first(perspectives: readonly number[]): Wish[] {
    return this.#wishes(
      perspectives,
      (at) => this.beliefs.opinions[at] === 0,
      (chances) => chances.reduce((sum, chance) => sum + chance, 0),
    ).filter(({ worth }) => worth >= MIN_HOPE);
  }

  #wishes(
    perspectives: readonly number[],
    isOpen: (at: number) => boolean,
    worthOf: (chances: readonly number[]) => number,
  ): Wish[] {
    const wishes: Wish[] = [];
    for (let candidate = 0; candidate < this.#n; candidate++) {
      const open = perspectives.filter((perspective) => isOpen(candidate * this.#m + perspective));
      const groups = this.#isByPassage ? (open.length > 0 ? [open] : []) : open.map((each) => [each]);
      for (const group of groups)
        wishes.push({
          request: this.#request(candidate, group[0]!),
          worth: worthOf(group.map((each) => this.beliefs.support[candidate * this.#m + each]!)),
        });
    }
    return wishes;
  }

  #request(candidate: number, perspective: number): CoverageRequest {
    return {
      candidate,
      perspectives: this.#isByPassage ? Array.from({ length: this.#m }, (_, each) => each) : [perspective],
      judge: this.beliefs.opinions[candidate * this.#m + perspective]!,
    };
  }

  /**
   * Value of information: the number of supporting passages that one answer is expected to add to the top k. A "no"
   * about a passage of the set makes room for the best of the others, and a "yes" about another one replaces the worst.
   */
  #forPrecision(): Wish[] {
    const { relevant } = this.beliefs;
    const set = new Set(this.#bestSet());
    const otherCandidates = Array.from({ length: this.#n }, (_, candidate) => candidate).filter(
      (each) => !set.has(each),
    );
    const worst = Math.min(...[...set].map((each) => relevant[each]!));
    const best = Math.max(...otherCandidates.map((each) => relevant[each]!));
    return Array.from({ length: this.#n }, (_, candidate) => candidate).flatMap((candidate) => {
      const perspective = this.#likeliestOpen(candidate);
      if (perspective === undefined) return [];
      const { yes, afterYes, afterNo } = this.#foreseen(relevant[candidate]!);
      const worth = set.has(candidate)
        ? (1 - yes) * Math.max(0, best - afterNo)
        : yes * Math.max(0, afterYes - worst);
      return worth >= MIN_GAIN ? [{ request: this.#request(candidate, perspective), worth }] : [];
    });
  }

  /** The likeliest perspective of a candidate without opinions, or in pair mode of one without supporting answers. */
  #likeliestOpen(candidate: number): number | undefined {
    const perspectives = Array.from({ length: this.#m }, (_, perspective) => perspective);
    const at = (perspective: number): number => candidate * this.#m + perspective;
    if (
      perspectives.some(
        (each) =>
          this.beliefs.opinions[at(each)]! > 0 && (this.#isByPassage || this.beliefs.isSupported(at(each))),
      )
    )
      return undefined;
    return perspectives
      .filter((each) => this.beliefs.opinions[at(each)] === 0)
      .reduce<number | undefined>(
        (best, each) =>
          best === undefined || this.beliefs.support[at(each)]! > this.beliefs.support[at(best)]!
            ? each
            : best,
        undefined,
      );
  }

  /** The probability that any perspective gets a "yes", and the probability of support after either outcome. */
  #foreseen(relevant: number): { yes: number; afterYes: number; afterNo: number } {
    const { yesOfSupport, yesOfNone } = this.#errors[0]!;
    const pairs = this.#isByPassage ? this.#m : 1;
    const falsely = 1 - (1 - yesOfNone) ** pairs;
    const rightly = 1 - (1 - yesOfSupport) * (1 - yesOfNone) ** (pairs - 1);
    const yes = relevant * rightly + (1 - relevant) * falsely;
    return {
      yes,
      afterYes: (relevant * rightly) / yes,
      afterNo: (relevant * (1 - rightly)) / (1 - yes),
    };
  }

  #bestSet(): readonly number[] {
    return bestSet(
      this.#aim,
      Array.from({ length: this.#k }, (_, candidate) => candidate),
      this.#n,
    );
  }

  result(): Pick<SequentialCoverageOrder, 'order' | 'covers' | 'posterior'> {
    const { support } = this.beliefs;
    const set = this.#bestSet();
    const isChosen = new Set(set);
    const all = Array.from({ length: this.#n }, (_, candidate) => candidate);
    return {
      order: [
        ...(this.#aim.isOrdered ? set : mostAddedFirst(set, support, this.#m)),
        ...all.filter((each) => !isChosen.has(each)),
      ],
      covers: this.beliefs.covers(set, Math.min(this.#k, this.#m)),
      posterior: all.map((candidate) => [
        ...support.subarray(candidate * this.#m, (candidate + 1) * this.#m),
      ]),
    };
  }
}

function checkCounts(counts: Readonly<Record<'candidates' | 'perspectives' | 'k', number>>): void {
  if (counts.perspectives === 0)
    throw new ParallaxError('bad-argument', l10n.t('The question has no perspectives to rerank by.'));
  for (const [name, value] of Object.entries(counts))
    if (!Number.isInteger(value) || value < (name === 'k' ? 1 : 0))
      throw new ParallaxError(
        'bad-argument',
        l10n.t`${name} must be a whole number from ${name === 'k' ? 1 : 0}, not ${value}.`,
      );
}
