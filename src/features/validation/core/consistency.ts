/** Whether a judge is consistent: on repeats, with the agents of a debate swapped, and in further rounds. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { ParallaxError } from '../../../core/errors.ts';
import type { DecidedVerdict, Verdict } from '../../../core/model.ts';
import { allOf } from '../../../core/text/enumeration.ts';
import type { Answer } from './confusion.ts';
import { countSchema, figureSchema, ratio } from './figure.ts';

export const repeatConsistencySchema = z.object({
  repeats: countSchema,
  /** Pairs that were answered in every run. */
  pairs: countSchema,
  /** Those with the same answer in every run. */
  same: countSchema,
  share: figureSchema,
});
export type RepeatConsistency = Read<typeof repeatConsistencySchema>;

/**
 * @param runs `[repeats, n]` the answers of each run to the same pairs; pairs without an answer in some run are left
 *   out
 * @throws ParallaxError `bad-argument` for runs of different length
 */
export function repeatConsistency(runs: readonly (readonly (Answer | undefined)[])[]): RepeatConsistency {
  const [first = [], ...others] = runs;
  requireSameLength(runs);
  const answered = first.flatMap((answer, pair) => {
    const again = others.map((run) => run[pair]);
    return answer === undefined || again.includes(undefined)
      ? []
      : [again.every((reply) => reply === answer)];
  });
  const same = answered.filter(Boolean).length;
  return { repeats: runs.length, pairs: answered.length, same, share: ratio(same, answered.length) };
}

export const orderConsistencySchema = z.object({
  /** Pairs with "yes" or "no" in both orders. */
  pairs: countSchema,
  same: countSchema,
  share: figureSchema,
  /** Changes in each direction. Changes in one direction only would mean that the order of speakers matters. */
  yesToNo: countSchema,
  noToYes: countSchema,
});
export type OrderConsistency = Read<typeof orderConsistencySchema>;

/**
 * Compares the verdicts of a debate with those of the same debate with swapped initial stances (DREAM B.1, Table 9). As
 * there, only pairs on which the agents agreed in both orders count.
 *
 * @param first `[n]`
 * @param swapped `[n]`, in the same order
 * @throws ParallaxError `bad-argument` for lists of different length
 */
export function orderConsistency(
  first: readonly (Answer | undefined)[],
  swapped: readonly (Answer | undefined)[],
): OrderConsistency {
  requireSameLength([first, swapped]);
  const changes = first.map((answer, pair) => `${answer} ${swapped[pair]}`);
  const count = (change: string): number => changes.filter((each) => each === change).length;
  const same = count('yes yes') + count('no no');
  const [yesToNo, noToYes] = [count('yes no'), count('no yes')];
  const pairs = same + yesToNo + noToYes;
  return { pairs, same, share: ratio(same, pairs), yesToNo, noToYes };
}

function requireSameLength(runs: readonly (readonly unknown[])[]): void {
  const lengths = new Set(runs.map(({ length }) => length));
  if (lengths.size > 1)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`Consistency needs the same pairs in every run, but there are ${allOf([...lengths])}.`,
    );
}

/** One debate, whether or not it continued after its first consensus. */
export interface DebateHistory {
  /** `[rounds, agents]` each agent's label after each round. */
  readonly rounds: readonly (readonly Verdict[])[];
  /** `undefined` if unknown. */
  readonly reference?: DecidedVerdict | undefined;
}

export const roundStabilitySchema = z.object({
  /** From 1. */
  round: countSchema,
  /** Debates with a consensus in round 1 that have this round. */
  debates: countSchema,
  /** Those with a consensus in this round. */
  consensus: countSchema,
  /** consensus / debates; 1 in round 1. */
  persistence: figureSchema,
  /** Debates whose consensus in this round contradicts the reference. */
  spurious: countSchema,
  /** Share of spurious ones among the debates with a consensus in this round and a reference. */
  spuriousShare: figureSchema,
});
export type RoundStability = Read<typeof roundStabilitySchema>;

/**
 * Whether the consensus of round 1 lasts if the debate continues, and how often it is wrong (DREAM B.3, Table 12). Only
 * debates with a consensus in round 1 count. Consensus means that all agents say "yes" or all say "no". It lasts in
 * every round with agreement, even on another label (the paper reports that spurious consensus is corrected in round 2,
 * so labels may change) and even after a round without. The paper does not define the divisor of the spurious rate;
 * here it is the number of debates with a consensus in that round.
 */
export function consensusOverRounds(histories: readonly DebateHistory[]): RoundStability[] {
  const agreed = histories.filter(({ rounds }) => consensusOf(rounds[0]) !== undefined);
  const longest = Math.max(0, ...agreed.map(({ rounds }) => rounds.length));
  return Array.from({ length: longest }, (_, index) => stabilityAt(agreed, index));
}

function stabilityAt(histories: readonly DebateHistory[], index: number): RoundStability {
  const present = histories.filter(({ rounds }) => index < rounds.length);
  const inConsensus = present.filter(({ rounds }) => consensusOf(rounds[index]) !== undefined);
  const known = inConsensus.filter(({ reference }) => reference !== undefined);
  const spurious = known.filter(({ rounds, reference }) => consensusOf(rounds[index]) !== reference).length;
  return {
    round: index + 1,
    debates: present.length,
    consensus: inConsensus.length,
    persistence: ratio(inConsensus.length, present.length),
    spurious,
    spuriousShare: ratio(spurious, known.length),
  };
}

export const roundAgreementsSchema = z.object({
  /** From 1. */
  round: countSchema,
  /** Debates whose first consensus came in this round. */
  agreed: countSchema,
  /** Those that agreed on the opposite of the reference. */
  spurious: countSchema,
  /** Share of spurious ones among those with a reference. */
  spuriousShare: figureSchema,
});
export type RoundAgreements = Read<typeof roundAgreementsSchema>;

/** The round in which debates reach their first consensus, and how often it is wrong. */
export function firstConsensus(histories: readonly DebateHistory[]): RoundAgreements[] {
  const longest = Math.max(0, ...histories.map(({ rounds }) => rounds.length));
  return Array.from({ length: longest }, (_, index) => {
    const agreed = histories.filter(({ rounds }) => rounds.findIndex(hasConsensus) === index);
    const known = agreed.filter(({ reference }) => reference !== undefined);
    const spurious = known.filter(({ rounds, reference }) => consensusOf(rounds[index]) !== reference).length;
    return {
      round: index + 1,
      agreed: agreed.length,
      spurious,
      spuriousShare: ratio(spurious, known.length),
    };
  });
}

function hasConsensus(labels: readonly Verdict[]): boolean {
  return consensusOf(labels) !== undefined;
}

/** The label of all agents of a round. `undefined` for "unsure" or without agreement. */
function consensusOf(labels: readonly Verdict[] = []): DecidedVerdict | undefined {
  const [first] = labels;
  if (first === 'unsure') return undefined;
  return labels.every((label) => label === first) ? first : undefined;
}
