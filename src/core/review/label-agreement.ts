/** How far the people of a workspace agree, from the lines of its labels file. */
import { normalizePerspective, type AttentionCheck, type Label } from '../formats/labels.ts';
import type { Verdict } from '../model.ts';
import type { ManyRaters } from '../validation/agreement.ts';
import {
  agreementByCondition,
  agreementOfPeople,
  type ConditionalVote,
  type PeopleAgreement,
} from '../validation/people.ts';

/** A target on which people are divided. */
interface Divided {
  readonly perspective: string;
  readonly document: string;
  readonly said: readonly { readonly person: string; readonly verdict: Verdict }[];
}

/** How carefully a person reads. */
interface Attention {
  readonly person: string;
  readonly checks: number;
  readonly passed: number;
}

export interface LabelAgreement extends Omit<PeopleAgreement, 'ties'> {
  readonly divided: readonly Divided[];
  /** Fleiss' κ of the labels given with and without the arguments of judges (DREAM, Table 3), where known. */
  readonly byCondition: readonly { readonly informed: boolean; readonly agreement: ManyRaters }[];
  readonly attention: readonly Attention[];
}

/**
 * Two labels are of the same thing when perspective, support standard and target are the same: the passage's
 * text, else the quote and its document, else the document. A person's newest label counts.
 *
 * @param labels in the order of the file
 */
export function agreementOfLabels(
  labels: readonly Label[],
  checks: readonly AttentionCheck[],
): LabelAgreement {
  const own = labels
    .filter(({ by }) => by.kind === 'human')
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const { ties, ...agreement } = agreementOfPeople(own.map(voteOf));
  const labelOf = new Map(own.map((label) => [itemOf(label), label]));
  return {
    ...agreement,
    divided: ties
      .filter(({ votes }) => votes.length > 1)
      .map(({ item, votes }) => {
        const { perspectiveText, document } = labelOf.get(item)!;
        return { perspective: perspectiveText, document, said: votes };
      }),
    byCondition: conditionsOf(own),
    attention: attentionOf(checks),
  };
}

function voteOf(label: Label): Omit<ConditionalVote, 'condition'> {
  return { item: itemOf(label), person: label.by.name, verdict: label.verdict };
}

function itemOf({ perspectiveText, standard, hash, quote, document }: Label): string {
  const target = hash === undefined ? [document, quote] : [hash];
  return JSON.stringify([normalizePerspective(perspectiveText), standard, ...target]);
}

function conditionsOf(labels: readonly Label[]): LabelAgreement['byCondition'] {
  const votes = labels.flatMap((label) =>
    label.informed === undefined ? [] : [{ ...voteOf(label), condition: String(label.informed) }],
  );
  return agreementByCondition(votes, new Map()).map(({ condition, agreement }) => ({
    informed: condition === 'true',
    agreement,
  }));
}

function attentionOf(checks: readonly AttentionCheck[]): Attention[] {
  return [...Map.groupBy(checks, ({ by }) => by.name)].map(([person, own]) => ({
    person,
    checks: own.length,
    passed: own.filter(({ expected, answer }) => answer === expected).length,
  }));
}
