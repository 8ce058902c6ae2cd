/** How many requests building takes, said before it is begun. */

export const PERSPECTIVE_FORMS = ['negation', 'answers', 'stances', 'contrast'] as const;
/**
 * Where the perspectives of a question come from:
 *
 * - `negation`: the statement that affirms it, and its negation (BERDS: Kialo's yes/no questions, Arguana);
 * - `answers`: several statements that answer it;
 * - `stances`: the same, and on which side of the question each of them stands (BERDS, appendix A.8);
 * - `contrast`: statements that exclude each other, each with gold passages that support no other one (PIR, 2.2).
 */
export type PerspectiveForm = (typeof PERSPECTIVE_FORMS)[number];

export interface RequestRange {
  readonly least: number;
  readonly most: number;
}

/** Requests to the generator for one question, the filter aside. */
const REQUESTS: Readonly<Record<PerspectiveForm, number>> = {
  negation: 1,
  answers: 1,
  stances: 2,
  contrast: 1,
};

/**
 * Requests to the generator; answers that cannot be read are asked for once more, and are not counted here.
 *
 * @param questions how many are to be made into drafts
 * @param filter whether personal questions are filtered out first
 */
export function questionRequests(questions: number, form: PerspectiveForm, filter: boolean): RequestRange {
  const each = REQUESTS[form];
  return filter
    ? { least: questions, most: questions * (1 + each) }
    : { least: questions * each, most: questions * each };
}

/** Requests for each draft wanted, where no budget is set: most pairs of passages do not disagree. */
const BUDGET_PER_DRAFT = 10;

/** A budget for those who set none. @param count of drafts wanted */
export function usualBudget(count: number): number {
  return BUDGET_PER_DRAFT * count;
}
