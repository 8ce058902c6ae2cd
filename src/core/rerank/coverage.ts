/**
 * Judge-guided coverage: has candidates judged until every perspective is covered, and puts those that
 * cover them first. A generator, so that whoever runs it decides how, and how long, to ask a judge.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import type { Verdict } from '../model.ts';

/** A question to the judge: does this candidate support this perspective? Both by position, from 0. */
export interface CoveragePair {
  readonly candidate: number;
  readonly perspective: number;
}

/** One per pair, in the same order; `undefined` where no verdict could be had. */
export type CoverageVerdicts = readonly (Verdict | undefined)[];

export interface CoverageInput {
  /** n candidates, in rank order. */
  readonly candidates: number;
  /** m perspectives. */
  readonly perspectives: number;
  /** How many pairs may be judged at most; without limit when left out. */
  readonly calls?: number | undefined;
  /**
   * How many candidates to put into one batch, so that their pairs can be judged at the same time; 1 when
   * left out. Larger batches may ask for what an earlier candidate of the batch makes needless.
   */
  readonly lookahead?: number | undefined;
}

export interface CoverageOrder {
  /** Every candidate once: first those that cover, then the others as they were. */
  readonly order: readonly number[];
  /** Where {@link order} goes over to the candidates that cover nothing new. */
  readonly covering: number;
  /** Perspectives that a judged candidate supports, ascending. */
  readonly covered: readonly number[];
  /** How many pairs were judged. */
  readonly calls: number;
  /** Why judging ended: all perspectives covered, no calls left, or no candidates left. */
  readonly end: 'covered' | 'budget' | 'exhausted';
}

/**
 * Yields the pairs to judge next and takes their verdicts in return. Goes top down through the
 * candidates and asks of each only about perspectives that no candidate above it supports. Only "yes"
 * covers.
 *
 * Then, again and again, the candidate that supports most perspectives still missing comes next (the
 * higher-ranked one of equals), and at last the others in their order. Each of those first candidates
 * adds at least one perspective, so with a right judge and enough calls the top k cover min(k, c)
 * perspectives at least, where c of them are supported by some candidate: no order of the same
 * candidates has a higher MRecall@k.
 *
 * @throws ParallaxError `bad-argument` without perspectives, for counts that do not fit, or when the
 *   number of verdicts is not that of the pairs
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
    covered: [...new Set([...support.values()].flatMap((own) => [...own]))].sort((a, b) => a - b),
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
 * @param support perspectives per candidate, candidates in rank order
 * @returns candidates, each supporting the most perspectives that those before it do not
 */
function greedyCover(support: ReadonlyMap<number, ReadonlySet<number>>): number[] {
  const covered = new Set<number>();
  const chosen: number[] = [];
  for (;;) {
    let best: number | undefined;
    let most = 0;
    for (const [candidate, own] of support) {
      const gain = [...own].filter((perspective) => !covered.has(perspective)).length;
      if (gain > most) [best, most] = [candidate, gain];
    }
    if (best === undefined) return chosen;
    chosen.push(best);
    for (const perspective of support.get(best)!) covered.add(perspective);
  }
}

function withoutThose(candidates: number, first: readonly number[]): number[] {
  const taken = new Set(first);
  return Array.from({ length: candidates }, (_, candidate) => candidate).filter(
    (candidate) => !taken.has(candidate),
  );
}

function checkInput({ candidates, perspectives, calls = Infinity, lookahead = 1 }: CoverageInput): void {
  if (perspectives === 0)
    throw new ParallaxError('bad-argument', l10n.t('The query has no perspectives to rerank by.'));
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
