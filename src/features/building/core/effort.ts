/** The number of requests for building, shown before it starts. */

export const PERSPECTIVE_FORMS = ['negation', 'answers', 'stances', 'contrast'] as const;
/**
 * The source of a question's perspectives:
 *
 * - `negation`: the affirming statement and its negation (BERDS: Kialo's yes/no questions, Arguana);
 * - `answers`: several statements that answer it;
 * - `stances`: like `answers`, with the side that each takes (BERDS, appendix A.8);
 * - `contrast`: mutually exclusive statements, each with gold passages that support no other one (PIR, 2.2).
 */
export type PerspectiveForm = (typeof PERSPECTIVE_FORMS)[number];

export interface RequestRange {
  readonly least: number;
  readonly most: number;
}

/** Requests to the generator per question, without the filter. */
const REQUESTS: Readonly<Record<PerspectiveForm, number>> = {
  negation: 1,
  answers: 1,
  stances: 2,
  contrast: 1,
};

/**
 * Requests to the generator, without retries for unreadable answers.
 *
 * @param questions number of questions to make into drafts
 * @param filter whether personal questions are filtered out first
 */
export function questionRequests(questions: number, form: PerspectiveForm, filter: boolean): RequestRange {
  const each = REQUESTS[form];
  return filter
    ? { least: questions, most: questions * (1 + each) }
    : { least: questions * each, most: questions * each };
}

/** The default number of requests per draft. Most pairs of passages do not disagree. */
const BUDGET_PER_DRAFT = 10;

/** The default budget. @param count of drafts wanted */
export function usualBudget(count: number): number {
  return BUDGET_PER_DRAFT * count;
}
