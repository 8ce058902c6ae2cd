/** Label-free checks of properties that any retriever should have, based on its answers only. */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import * as l10n from '@vscode/l10n';
import {
  agree,
  averageOverlap,
  keyOf,
  listed,
  overlap,
  wordLikeness,
  type Answer,
  type AnsweredPassage,
} from './lists.ts';
import type { Variant } from './variants.ts';

/** One question with all answers to it. */
export interface Trial {
  readonly question: string;
  readonly plain: Answer;
  readonly answers: { readonly [V in Variant]?: Answer | undefined };
}

export interface BehaviourTerms {
  /** The number of passages that the pipeline returns. */
  readonly k: number;
  /** Whether the scores are the retriever's own. */
  readonly ownScores: boolean;
  /** Whether it ranks by vectors, which score every passage: it returns as many as requested, if there are enough. */
  readonly byVectors?: boolean | undefined;
}

const faultSchema = z.object({ evidence: z.string(), fix: z.string() });
/** A fault with its evidence. */
export type Fault = Read<typeof faultSchema>;

/** `undefined`: no fault. `open`: the answers do not decide. */
type Outcome = Fault | 'open' | undefined;

export const CHECKS = [
  'ids',
  'same-again',
  'first-k',
  'scores',
  'near-equal',
  'lambda',
  'mmr-candidates',
  'rerank',
  'filter',
  'next-page',
] as const;
export type CheckName = (typeof CHECKS)[number];

export const checkResultSchema = z.object({
  check: z.enum(CHECKS),
  /** `open`: the answers do not decide. */
  state: z.enum(['holds', 'broken', 'open']),
  fault: faultSchema.optional(),
});
type CheckResult = Read<typeof checkResultSchema>;

const RULES: Readonly<Record<CheckName, (trials: readonly Trial[], terms: BehaviourTerms) => Outcome>> = {
  ids: checkIds,
  'same-again': checkAgain,
  'first-k': checkFirstK,
  scores: checkScores,
  'near-equal': checkNearEqual,
  lambda: checkLambda,
  'mmr-candidates': checkMmrCandidates,
  rerank: checkRerank,
  filter: checkFilter,
  'next-page': checkNextPage,
};

export function checkBehaviour(trials: readonly Trial[], terms: BehaviourTerms): CheckResult[] {
  return CHECKS.map((check) => {
    const outcome = RULES[check](trials, terms);
    if (outcome === 'open') return { check, state: 'open' };
    return outcome ? { check, state: 'broken', fault: outcome } : { check, state: 'holds' };
  });
}

/** Trials with answers to these variants. */
function answered<V extends Variant>(
  trials: readonly Trial[],
  ...variants: readonly V[]
): (Trial & { readonly answers: Readonly<Record<V, Answer>> })[] {
  return trials.filter((trial): trial is Trial & { readonly answers: Readonly<Record<V, Answer>> } =>
    variants.every((variant) => trial.answers[variant] !== undefined),
  );
}

function checkIds(trials: readonly Trial[]): Outcome {
  const isNamed = trials.some(({ plain }) => plain.some(({ id }) => id !== undefined));
  if (!isNamed) return 'open';
  for (const { question, plain, answers } of trials) {
    const twice = plain.find((passage, place) =>
      plain.slice(0, place).some((each) => each.id === passage.id),
    );
    if (twice?.id !== undefined)
      return {
        evidence: l10n.t`For “${question}” the id ${twice.id} is in one list twice.`,
        fix: l10n.t('Give every passage an id of its own, and remove duplicates before the list is cut.'),
      };
    const renamed = (answers.again ?? []).find((passage) => hasOtherId(passage, plain));
    if (renamed)
      return {
        evidence: l10n.t`For “${question}”, asked twice, the same text came as ${idOf(renamed, plain)} and as ${renamed.id ?? ''}.`,
        fix: l10n.t(
          'Use ids that stay, such as file and position, not ones that are made with every answer.',
        ),
      };
  }
  return undefined;
}

function hasOtherId({ id, text }: AnsweredPassage, before: Answer): boolean {
  if (text === undefined || id === undefined || before.some((each) => each.id === id)) return false;
  return before.some((each) => each.text === text && each.id !== undefined);
}

function idOf({ text }: AnsweredPassage, before: Answer): string {
  return before.find((each) => each.text === text)?.id ?? '';
}

function checkAgain(trials: readonly Trial[], { k }: BehaviourTerms): Outcome {
  const answeredTrials = answered(trials, 'again').filter(({ plain }) => plain.length > 0);
  if (answeredTrials.length === 0) return 'open';
  const outlier = answeredTrials.find(
    ({ plain, answers }) => !agree(textKeys(plain), textKeys(answers.again), k),
  );
  return (
    outlier && {
      evidence: l10n.t`“${outlier.question}”, asked twice, gave ${listed(outlier.plain)}, then ${listed(outlier.answers.again)}.`,
      fix: l10n.t(
        'Check for a model with a temperature in the retrieval, ties without a second sort key, or an index that is being written.',
      ),
    }
  );
}

/** Compares by text, as changing ids are a separate fault. */
function textKeys(answer: Answer): Answer {
  return answer.map(({ id, text, score }) => (text === undefined ? { id, score } : { id: text, score }));
}

function checkFirstK(trials: readonly Trial[], { k }: BehaviourTerms): Outcome {
  const answeredTrials = answered(trials, 'deeper').filter(({ plain }) => plain.length > 0);
  if (answeredTrials.length === 0) return 'open';
  const outlier = answeredTrials.find(({ plain, answers }) => !agree(plain, answers.deeper, plain.length));
  return (
    outlier && {
      evidence: l10n.t`For “${outlier.question}” the first ${k} are ${listed(outlier.plain)}; asked for more, the list begins with ${listed(outlier.answers.deeper.slice(0, k))}.`,
      fix: l10n.t(
        'More passages must not change the first ones: check for a search breadth (ef, num_candidates, probes) that follows k and is too small, or shards that are cut before they are merged.',
      ),
    }
  );
}

function checkScores(trials: readonly Trial[], { ownScores }: BehaviourTerms): Outcome {
  const lists = trials.filter(({ plain }) => plain.length > 1);
  if (!ownScores || lists.length === 0) return 'open';
  const broken = lists.find(({ plain }) => !falls(plain));
  if (!broken) return undefined;
  const areDistances = lists.every(({ plain }) => falls(plain.toReversed()));
  // MMR reorders passages but keeps the scores of the search.
  if (!areDistances && lists.some(hasMmr)) return 'open';
  const scores = broken.plain.slice(0, 5).map(({ score }) => String(Number(score.toPrecision(4))));
  return {
    evidence: l10n.t`For “${broken.question}” the scores are ${scores.join(', ')}.`,
    fix: areDistances
      ? l10n.t(
          'These seem to be distances. Return similarities such as 1 − distance, so that higher is better.',
        )
      : l10n.t(
          'The list is not in the order of its scores: sort it after the last step, or return the scores of that step.',
        ),
  };
}

function hasMmr({ answers: { lambda0, lambda1, withoutMmr } }: Trial): boolean {
  return [lambda0, lambda1, withoutMmr].some((answer) => answer !== undefined);
}

function falls(answer: Answer): boolean {
  return answer.every(({ score }, place) => place === 0 || score <= answer[place - 1]!.score);
}

/** The least average share of common passages in the lists of two nearly equal questions. */
const MIN_OVERLAP = 0.5;

function checkNearEqual(trials: readonly Trial[]): Outcome {
  const answeredTrials = answered(trials, 'reworded').filter(({ plain }) => plain.length > 0);
  if (answeredTrials.length === 0) return 'open';
  const shares = answeredTrials.map((trial) => ({
    trial,
    share: overlap(trial.plain, trial.answers.reworded),
  }));
  const mean = shares.reduce((sum, { share }) => sum + share, 0) / shares.length;
  if (mean >= MIN_OVERLAP) return undefined;
  const { trial } = shares.toSorted((a, b) => a.share - b.share)[0]!;
  const percent = Math.round(mean * 100);
  return {
    evidence: l10n.t`In small letters and without the mark at the end, questions find ${percent}% of the same passages; “${trial.question}” finds ${listed(trial.plain)}, then ${listed(trial.answers.reworded)}.`,
    fix: l10n.t(
      'Treat questions as documents were treated: the same embedder with its own prefixes, the same lower-casing and analyzer.',
    ),
  };
}

function checkLambda(trials: readonly Trial[], { k }: BehaviourTerms): Outcome {
  // Without further passages to choose from, λ can only change the order, and may not.
  const answeredTrials = answered(trials, 'lambda0', 'lambda1').filter(
    ({ answers }) => answers.lambda1.length > 1 && (answers.withoutMmr?.length ?? k + 1) > k,
  );
  if (answeredTrials.length === 0) return 'open';
  const first = answeredTrials[0]!;
  const evidence = l10n.t`For “${first.question}” λ = 0 gives ${listed(first.answers.lambda0)}, λ = 1 gives ${listed(first.answers.lambda1)}.`;
  if (answeredTrials.every(({ answers }) => agree(answers.lambda0, answers.lambda1, k)))
    return {
      evidence,
      fix: l10n.t(
        'λ has no effect. Check whether it reaches the search, and whether more candidates are fetched than returned.',
      ),
    };
  const [relevant, alike] = [relevanceLead(answeredTrials, k), likenessLead(answeredTrials)];
  const isTurned = relevant === undefined ? alike < 0 : relevant < 0;
  return isTurned
    ? {
        evidence: `${evidence} ${
          relevant === undefined
            ? l10n.t('The passages of λ = 0 are more alike than those of λ = 1.')
            : l10n.t('λ = 0 is closer to the list without MMR than λ = 1.')
        }`,
        fix: l10n.t(
          'λ is reversed: 1 must mean relevance only, 0 diversity only. Some stores take a diversity instead: pass 1 − λ.',
        ),
      }
    : undefined;
}

type WithLambda = Trial & { readonly answers: Readonly<Record<'lambda0' | 'lambda1', Answer>> };

/** How much closer λ = 1 is to the list without MMR than λ = 0. */
function relevanceLead(trials: readonly WithLambda[], k: number): number | undefined {
  const compared = trials.flatMap(({ answers: { lambda0, lambda1, withoutMmr } }) =>
    withoutMmr ? [averageOverlap(lambda1, withoutMmr, k) - averageOverlap(lambda0, withoutMmr, k)] : [],
  );
  return compared.length === 0 ? undefined : compared.reduce((sum, lead) => sum + lead, 0);
}

/** How much more alike the passages of λ = 1 are than those of λ = 0. */
function likenessLead(trials: readonly WithLambda[]): number {
  return trials
    .map(({ answers: { lambda0, lambda1 } }) => (wordLikeness(lambda1) ?? 0) - (wordLikeness(lambda0) ?? 0))
    .reduce((sum, lead) => sum + lead, 0);
}

function checkMmrCandidates(trials: readonly Trial[], { k }: BehaviourTerms): Outcome {
  const answeredTrials = answered(trials, 'lambda0', 'withoutMmr').filter(
    ({ answers }) => answers.withoutMmr.length > k,
  );
  if (answeredTrials.length === 0) return 'open';
  // If λ is reversed, which is a separate fault, λ = 1 selects other passages.
  const isChosen = answeredTrials.some(({ answers: { lambda0, lambda1 = lambda0, withoutMmr } }) =>
    [lambda0, lambda1].some((answer) => overlap(answer, withoutMmr.slice(0, k)) < 1),
  );
  if (isChosen) return undefined;
  const { question, answers } = answeredTrials[0]!;
  return {
    evidence: l10n.t`For “${question}” MMR at λ = 0 returns the same ${k} passages as the search without it: ${listed(answers.lambda0)}.`,
    fix: l10n.t(
      'MMR can only reorder what was fetched: fetch more candidates than are returned, such as fetch_k = 4 × k.',
    ),
  };
}

/** An unchanged order counts as evidence if its probability is at most one in this number. */
const CHANCE = 100;

function checkRerank(trials: readonly Trial[], { k }: BehaviourTerms): Outcome {
  const answeredTrials = answered(trials, 'withoutRerank').filter(({ plain }) => plain.length > 1);
  if (answeredTrials.length === 0) return 'open';
  const orders = answeredTrials.map(({ plain, answers }) => ranksIn(plain, answers.withoutRerank));
  const chance = orders.reduce((product, ranks) => product * factorial(ranks.length), 1);
  if (chance < CHANCE) return 'open';
  if (!orders.every((ranks) => ranks.every((rank, place) => place === 0 || rank > ranks[place - 1]!)))
    return undefined;
  const { question, plain, answers } = answeredTrials[0]!;
  const evidence = l10n.t`For “${question}” the list is ${listed(plain)}; before reranking it was ${listed(answers.withoutRerank.slice(0, k))}.`;
  const isChosen = orders.some((ranks) => ranks.some((rank) => rank >= k));
  return isChosen
    ? {
        evidence: `${evidence} ${l10n.t('Others are chosen, in the order of the first search.')}`,
        fix: l10n.t(
          'The reranker’s order is undone: check for a sort by the first score after it, and return its own scores.',
        ),
      }
    : {
        evidence,
        fix: l10n.t(
          'The reranker changes nothing. Check whether it is called, and whether it gets more passages than are returned.',
        ),
      };
}

/** The ranks of a list's passages in another list. Passages that are missing there are left out. */
function ranksIn(answer: Answer, otherAnswer: Answer): number[] {
  const ranks = new Map(otherAnswer.map((passage, rank) => [keyOf(passage), rank]));
  return answer.flatMap((passage) => ranks.get(keyOf(passage)) ?? []);
}

function factorial(n: number): number {
  return n < 2 ? 1 : n * factorial(n - 1);
}

function checkFilter(trials: readonly Trial[], { k, byVectors }: BehaviourTerms): Outcome {
  const answeredTrials = answered(trials, 'withoutFilter').filter(
    ({ answers }) => answers.withoutFilter.length > 0,
  );
  if (answeredTrials.length === 0) return 'open';
  const passing = new Set(trials.flatMap(({ plain }) => plain.flatMap(({ id }) => id ?? []))).size;
  const short = answeredTrials.find(({ plain }) => plain.length < Math.min(k, passing));
  if (byVectors && short)
    return {
      evidence: l10n.t`For “${short.question}” ${short.plain.length} of ${k} passages came back, although the questions together found ${passing} that pass the filter.`,
      fix: l10n.t(
        'The filter is applied after the index has searched: search more broadly (ef_search, num_candidates), continue until enough passages pass (iterative scans of pgvector 0.8), or filter while it searches.',
      ),
    };
  if (!answeredTrials.every(({ plain, answers }) => agree(plain, answers.withoutFilter, k))) return undefined;
  const { question, plain } = answeredTrials[0]!;
  return {
    evidence: l10n.t`With and without the filter, all ${answeredTrials.length} questions give the same lists; “${question}” gives ${listed(plain)}.`,
    fix: l10n.t(
      'Check whether the filter reaches the search under the name that the store expects. If every passage passes it, leave it out here.',
    ),
  };
}

function checkNextPage(trials: readonly Trial[], { k }: BehaviourTerms): Outcome {
  const answeredTrials = answered(trials, 'nextPage', 'deeper').filter(
    ({ answers }) => answers.deeper.length > k,
  );
  if (answeredTrials.length === 0) return 'open';
  const empty = answeredTrials.find(({ answers }) => answers.nextPage.length === 0);
  if (empty)
    return {
      evidence: l10n.t`For “${empty.question}” there are ${empty.answers.deeper.length} passages at least, and the page after the first ${k} is empty.`,
      fix: l10n.t('Check whether the offset is applied twice, or to a single page of candidates.'),
    };
  const repeated = answeredTrials.find(({ plain, answers }) => ranksIn(answers.nextPage, plain).length > 0);
  return (
    repeated && {
      evidence: l10n.t`For “${repeated.question}” the first page is ${listed(repeated.plain)}, the next one ${listed(repeated.answers.nextPage)}.`,
      fix: l10n.t(
        'Pages overlap: the offset has to be counted in passages, and the order has to be the same for every page.',
      ),
    }
  );
}
