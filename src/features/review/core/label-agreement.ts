/** The agreement of the people of a workspace, from the lines of its labels file. */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import {
  labelTime,
  normalizePerspective,
  type AttentionCheck,
  type Label,
} from '../../../core/formats/labels.ts';
import { verdictSchema } from '../../../core/model.ts';
import { manyRatersSchema } from '../../validation/core/agreement.ts';
import { countSchema } from '../../validation/core/figure.ts';
import {
  agreementByCondition,
  agreementOfPeople,
  type ConditionalVote,
  peopleAgreementSchema,
} from '../../validation/core/people.ts';

export const labelAgreementSchema = peopleAgreementSchema.extend({
  /** Targets on which people disagree. */
  divided: z.array(
    z.object({
      perspective: z.string(),
      document: z.string(),
      said: z.array(z.object({ person: z.string(), verdict: verdictSchema })),
    }),
  ),
  /** Fleiss' κ of the labels given with and without the judges' arguments (DREAM, Table 3), if known. */
  byCondition: z.array(z.object({ informed: z.boolean(), agreement: manyRatersSchema })),
  /** Attention checks of each person. */
  attention: z.array(z.object({ person: z.string(), checks: countSchema, passed: countSchema })),
});
export type LabelAgreement = Read<typeof labelAgreementSchema>;
type Attention = LabelAgreement['attention'][number];

/**
 * Labels are about the same item if perspective, support standard and target are equal. The target is the passage's
 * text, or else the quote and its document, or else the document. A person's newest label counts.
 *
 * @param labels in file order
 */
export function agreementOfLabels(
  labels: readonly Label[],
  checks: readonly AttentionCheck[],
): LabelAgreement {
  const humanLabels = labels
    .filter(({ by }) => by.kind === 'human')
    .sort((a, b) => labelTime(a) - labelTime(b));
  const { ties, ...agreement } = agreementOfPeople(humanLabels.map(voteOf));
  const labelOf = new Map(humanLabels.map((label) => [itemOf(label), label]));
  return {
    ...agreement,
    divided: ties
      .filter(({ votes }) => votes.length > 1)
      .map(({ item, votes }) => {
        const { perspectiveText, document } = labelOf.get(item)!;
        return {
          perspective: perspectiveText,
          document,
          said: votes.map(({ person, verdict }) => ({ person, verdict })),
        };
      }),
    byCondition: conditionsOf(humanLabels),
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
  return [...Map.groupBy(checks, ({ by }) => by.name)].map(([person, checksOfPerson]) => ({
    person,
    checks: checksOfPerson.length,
    passed: checksOfPerson.filter(({ expected, answer }) => answer === expected).length,
  }));
}
