/**
 * Judge-guided coverage: has candidates judged until every perspective is covered, and puts covering candidates first.
 * A generator, so that the caller decides how and how long to ask a judge.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import type { Verdict } from '../model.ts';

/** A question for the judge: does this candidate support this perspective? Both are indices from 0. */
export interface CoveragePair {
  readonly candidate: number;
  readonly perspective: number;
}

/** One per pair, in order. `undefined` if there is no verdict. */
export type CoverageVerdicts = readonly (Verdict | undefined)[];

export interface CoverageInput {
  /** n candidates, in rank order. */
  readonly candidates: number;
  /** m perspectives. */
  readonly perspectives: number;
  /** The most pairs to judge. `undefined` for no limit. */
  readonly calls?: number | undefined;
  /**
   * The number of candidates per batch, whose pairs can be judged in parallel. Defaults to 1. Larger batches may
   * contain pairs that an earlier candidate of the batch makes unnecessary.
   */
  readonly lookahead?: number | undefined;
}

export interface CoverageOrder {
  /** Every candidate once: covering ones first, then the others in their original order. */
  readonly order: readonly number[];
  /** The number of covering candidates at the beginning of {@link order}. */
  readonly covering: number;
  /** Perspectives that a judged candidate supports, ascending. */
  readonly covered: readonly number[];
  /** The number of judged pairs. */
  readonly calls: number;
  /** Why judging ended: all perspectives covered, no calls left, or no candidates left. */
  readonly end: 'covered' | 'budget' | 'exhausted';
}

/**
 * Yields the pairs to judge next and receives their verdicts. Goes down the candidates and asks only about perspectives
 * that no higher candidate supports. Only "yes" covers.
 *
 * Then it repeatedly takes the candidate that supports most of the missing perspectives (ties go to the higher-ranked
 * one), and finally the others in order. Each of the first candidates adds at least one perspective, so with a correct
 * judge and enough calls the top k cover at least min(k, c) perspectives, with c the number of perspectives that some
 * candidate supports. No order of the same candidates has a higher MRecall@k.
 *
 * @throws ParallaxError `bad-argument` without perspectives, for counts that do not fit, or if the number of verdicts
 *   differs from that of pairs
 */
export function* coverageRerank(
  input: CoverageInput,
): Generator<readonly CoveragePair[], CoverageOrder, CoverageVerdicts> {
  const { candidates, perspectives, calls: budget = Infinity, lookahead = 1 } = input;
  checkInput(input);
  const missing = new Set(Array.from({ length: perspectives }, (_, perspective) => perspective));
  const support = new Map<number, Set<number>>();
  let calls = 0;
  let next = 0;
  while (missing.size > 0 && next < candidates && calls < budget) {
    const batch = Array.from({ length: Math.min(lookahead, candidates - next) }, (_, i) => next + i);
    next += batch.length;
    const pairs = batch
      .flatMap((candidate) => [...missing].map((perspective) => ({ candidate, perspective })))
      .slice(0, budget - calls);
    calls += pairs.length;
    for (const { candidate, perspective } of supported(pairs, yield pairs)) {
      support.set(candidate, (support.get(candidate) ?? new Set()).add(perspective));
      missing.delete(perspective);
    }
  }
  const first = greedyCover(support);
  const end = missing.size === 0 ? 'covered' : calls >= budget ? 'budget' : 'exhausted';
  return {
    order: [...first, ...withoutThose(candidates, first)],
    covering: first.length,
    covered: [
      ...new Set([...support.values()].flatMap((supportedPerspectives) => [...supportedPerspectives])),
    ].sort((a, b) => a - b),
    calls,
    end,
  };
}

function supported(pairs: readonly CoveragePair[], verdicts: CoverageVerdicts): CoveragePair[] {
  if (verdicts.length !== pairs.length)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`The coverage reranker got ${verdicts.length} verdicts for ${pairs.length} pairs.`,
    );
  return pairs.filter((_, i) => verdicts[i] === 'yes');
}

/**
 * @param support perspectives per candidate, in rank order
 * @returns candidates, each supporting the most perspectives that the preceding ones do not
 */
function greedyCover(support: ReadonlyMap<number, ReadonlySet<number>>): number[] {
  const covered = new Set<number>();
  const chosen: number[] = [];
  for (;;) {
    let best: number | undefined;
    let most = 0;
    for (const [candidate, perspectives] of support) {
      const gain = [...perspectives].filter((perspective) => !covered.has(perspective)).length;
      if (gain > most) [best, most] = [candidate, gain];
    }
    if (best === undefined) return chosen;
    chosen.push(best);
    for (const perspective of support.get(best)!) covered.add(perspective);
  }
}

function withoutThose(candidates: number, first: readonly number[]): number[] {
  const leaders = new Set(first);
  return Array.from({ length: candidates }, (_, candidate) => candidate).filter(
    (candidate) => !leaders.has(candidate),
  );
}

function checkInput({ candidates, perspectives, calls = Infinity, lookahead = 1 }: CoverageInput): void {
  if (perspectives === 0)
    throw new ParallaxError('bad-argument', l10n.t('The question has no perspectives to rerank by.'));
  for (const [name, value, least] of [
    ['candidates', candidates, 0],
    ['perspectives', perspectives, 0],
    ['lookahead', lookahead, 1],
  ] as const)
    if (!Number.isInteger(value) || value < least)
      throw new ParallaxError(
        'bad-argument',
        l10n.t`${name} must be a whole number from ${least}, not ${value}.`,
      );
  if (calls !== Infinity && !(Number.isInteger(calls) && calls >= 0))
    throw new ParallaxError(
      'bad-argument',
      l10n.t`The call budget must be a whole number from 0, not ${calls}.`,
    );
}
