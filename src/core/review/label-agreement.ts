/** How far the people of a workspace agree, from the lines of its labels file. */
import * as z from 'zod';
import type { Read } from '../read.ts';
import { labelTime, normalizePerspective, type AttentionCheck, type Label } from '../formats/labels.ts';
import { verdictSchema } from '../model.ts';
import { manyRatersSchema } from '../validation/agreement.ts';
import { countSchema } from '../validation/figure.ts';
import {
  agreementByCondition,
  agreementOfPeople,
  type ConditionalVote,
  peopleAgreementSchema,
} from '../validation/people.ts';

export const labelAgreementSchema = peopleAgreementSchema.extend({
  /** Targets on which people are divided. */
  divided: z.array(
    z.object({
      perspective: z.string(),
      document: z.string(),
      said: z.array(z.object({ person: z.string(), verdict: verdictSchema })),
    }),
  ),
  /** Fleiss' κ of the labels given with and without the arguments of judges (DREAM, Table 3), where known. */
  byCondition: z.array(z.object({ informed: z.boolean(), agreement: manyRatersSchema })),
  /** How carefully each person reads. */
  attention: z.array(z.object({ person: z.string(), checks: countSchema, passed: countSchema })),
});
/** Agreement of the people of a workspace. */
export type LabelAgreement = Read<typeof labelAgreementSchema>;
type Attention = LabelAgreement['attention'][number];

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
  const own = labels.filter(({ by }) => by.kind === 'human').sort((a, b) => labelTime(a) - labelTime(b));
  const { ties, ...agreement } = agreementOfPeople(own.map(voteOf));
  const labelOf = new Map(own.map((label) => [itemOf(label), label]));
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
