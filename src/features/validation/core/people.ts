/** Labels of several people: their majority decisions and their agreement. */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import type { DecidedVerdict, Verdict } from '../../../core/model.ts';
import {
  cohensKappa,
  fleissKappa,
  manyRatersSchema,
  twoRatersSchema,
  type ManyRaters,
  type TwoRaters,
} from './agreement.ts';
import { countSchema } from './figure.ts';
import { countPairs, figuresOf, type Figures } from './confusion.ts';

/** One person's answer about one item. The last one of each person counts. */
export interface Vote {
  /** Any key of the pair of passage and perspective. */
  readonly item: string;
  readonly person: string;
  readonly verdict: Verdict;
}

export interface Decision {
  readonly verdict: Verdict;
  /** Whether no verdict is the most frequent. The decision is then "unsure". */
  readonly tie: boolean;
}

/** The most frequent verdict, including "unsure". Ties and empty votes are "unsure". */
export function majority(verdicts: readonly Verdict[]): Decision {
  const sides = [...Map.groupBy(verdicts, (verdict) => verdict)].sort(([, a], [, b]) => b.length - a.length);
  const [first, second] = sides;
  if (!first) return { verdict: 'unsure', tie: false };
  const tie = second?.[1].length === first[1].length;
  return { verdict: tie ? 'unsure' : first[0], tie };
}

/** An item with all votes. */
export interface Ballot extends Decision {
  readonly item: string;
  readonly votes: readonly Vote[];
}

/** Majority votes, in order of first appearance. */
export function ballotsOf(votes: readonly Vote[]): Ballot[] {
  return [...Map.groupBy(votes, ({ item }) => item)].map(([item, votesOfItem]) => {
    const last = [...new Map(votesOfItem.map((vote) => [vote.person, vote])).values()];
    return { item, votes: last, ...majority(last.map(({ verdict }) => verdict)) };
  });
}

export const peopleAgreementSchema = z.object({
  people: z.array(z.object({ name: z.string(), labels: countSchema })),
  /** Cohen's κ of every two people with items in common. */
  pairs: z.array(twoRatersSchema.extend({ first: z.string(), second: z.string() })),
  /** Fleiss' κ of all people. */
  all: manyRatersSchema,
});

export interface PeopleAgreement extends Read<typeof peopleAgreementSchema> {
  /** Items without a majority. */
  readonly ties: readonly Ballot[];
}

export function agreementOfPeople(votes: readonly Vote[]): PeopleAgreement {
  const ballots = ballotsOf(votes);
  const votesByPerson = Map.groupBy(
    ballots.flatMap((ballot) => ballot.votes),
    ({ person }) => person,
  );
  return {
    people: [...votesByPerson].map(([name, votesOfPerson]) => ({ name, labels: votesOfPerson.length })),
    pairs: pairsOf([...votesByPerson.keys()]).flatMap(([first, second]) => {
      const agreement = agreementOfTwo(votesByPerson.get(first)!, votesByPerson.get(second)!);
      return agreement.items > 0 ? [{ first, second, ...agreement }] : [];
    }),
    all: fleissKappa(ballots.map((ballot) => ballot.votes.map(({ verdict }) => verdict))),
    ties: ballots.filter(({ tie }) => tie),
  };
}

function agreementOfTwo(first: readonly Vote[], second: readonly Vote[]): TwoRaters {
  const secondVerdicts = new Map(second.map(({ item, verdict }) => [item, verdict]));
  const common = first.filter(({ item }) => secondVerdicts.has(item));
  return cohensKappa(
    common.map(({ verdict }) => verdict),
    common.map(({ item }) => secondVerdicts.get(item)!),
  );
}

function pairsOf<T>(values: readonly T[]): [T, T][] {
  return values.flatMap((first, index) => values.slice(index + 1).map((second): [T, T] => [first, second]));
}

/** A vote under a condition, such as with or without the debate history. */
export interface ConditionalVote extends Vote {
  readonly condition: string;
}

export interface ConditionRow {
  readonly condition: string;
  readonly agreement: ManyRaters;
  /** Figures of the majority vote against the reference. A tie is "unsure" and counts as wrong. */
  readonly figures: Figures;
}

/**
 * Agreement of people under each condition, with recall and balanced accuracy of their majority vote (DREAM Table 3:
 * escalated cases with and without the debate history).
 *
 * @param reference by item, from other people; items without one only count for agreement
 */
export function agreementByCondition(
  votes: readonly ConditionalVote[],
  reference: ReadonlyMap<string, DecidedVerdict>,
): ConditionRow[] {
  return [...Map.groupBy(votes, ({ condition }) => condition)].map(([condition, votesOfCondition]) => {
    const ballots = ballotsOf(votesOfCondition);
    const scored = ballots.flatMap(({ item, verdict }) => {
      const truth = reference.get(item);
      return truth ? [{ reference: truth, answer: verdict }] : [];
    });
    return {
      condition,
      agreement: fleissKappa(ballots.map((ballot) => ballot.votes.map(({ verdict }) => verdict))),
      figures: figuresOf(countPairs(scored)),
    };
  });
}
