/** Converts accepted drafts to lines of an eval set and labels. */
import type { Label } from '../../../core/formats/labels.ts';
import type { ParsedEvalSet } from '../../../core/formats/queries.ts';
import type { Draft, DraftPerspective } from './draft.ts';
import { questionKey } from './questions.ts';

/** The standard of labels on passages that people judged without one. */
const NO_STANDARD = 'imported';

/** A draft that is added to an eval set, under its id there. */
export interface AcceptedDraft {
  readonly id: string;
  readonly draft: Draft;
}

export interface Acceptance {
  /** Accepted drafts that are not in the eval set yet. */
  readonly accepted: readonly AcceptedDraft[];
  /** The number of accepted drafts that it already contains. */
  readonly already: number;
  /** One sentence for each accepted draft that cannot be added. */
  readonly warnings: readonly string[];
}

export interface EvalSetIdentity {
  /** Name of its file. */
  readonly name: string;
  readonly queries: ParsedEvalSet['queries'];
}

/**
 * The additions to an eval set: accepted drafts that are not in it yet, so that accepting twice adds nothing. Questions
 * that nearly equal one of the eval set are left out.
 *
 * @param drafts of any review; only accepted ones count
 * @param hash any hash in hexadecimal digits, at least 16 of them
 */
export function acceptedDrafts(
  drafts: readonly Draft[],
  evalSet: EvalSetIdentity,
  hash: (text: string) => string,
): Acceptance {
  const ids = new Set(evalSet.queries.map(({ id }) => id));
  const idsByQuestion = new Map(evalSet.queries.map(({ id, text }) => [questionKey(text), id]));
  const accepted: AcceptedDraft[] = [];
  const warnings: string[] = [];
  let already = 0;
  for (const draft of drafts.filter(({ review }) => review === 'accepted')) {
    const id = evalQueryId(evalSet.name, draft, hash);
    const same = idsByQuestion.get(questionKey(draft.text));
    if (ids.has(id)) already++;
    else if (draft.perspectives.length === 0) warnings.push(`"${draft.text}" has no perspectives; left out.`);
    else if (same !== undefined)
      warnings.push(`"${draft.text}" is nearly the question ${same}, which the eval set has; left out.`);
    else {
      ids.add(id);
      idsByQuestion.set(questionKey(draft.text), id);
      accepted.push({ id, draft });
    }
  }
  return { accepted, already, warnings };
}

/**
 * The id of a draft's query in an eval set. Stable, and different in every eval set, so that labels of one do not apply
 * to another.
 *
 * @param evalSet name of its file
 */
export function evalQueryId(
  evalSet: string,
  { id }: Pick<Draft, 'id'>,
  hash: (text: string) => string,
): string {
  return `q-${hash(JSON.stringify([evalSet, id])).slice(0, 16)}`;
}

/** Fields that only concern the review, or are written in another form. */
const STAYS_BEHIND = new Set([
  '_id',
  'id',
  'v',
  'review',
  'because',
  'passages',
  'text',
  'perspectives',
  'made',
]);

/**
 * The line of an eval set with its line end, as `parseEvalSet` reads it. Keeps fields that the reviewer added to the
 * draft.
 */
export function evalLine({ id, draft }: AcceptedDraft): string {
  const { text, perspectives, made } = draft;
  const added = Object.entries(draft).filter(([field]) => !STAYS_BEHIND.has(field));
  const record = {
    _id: id,
    text,
    perspectives: perspectives.map(accepted),
    made,
    ...Object.fromEntries(added),
  };
  return `${JSON.stringify(record)}\n`;
}

/** A stance proposed by a model is the model's even if a person accepted it, see `StanceSource`. */
function accepted(perspective: DraftPerspective): object {
  return perspective.stance === undefined || 'stanceBy' in perspective
    ? perspective
    : { ...perspective, stanceBy: 'model' };
}

/**
 * Proposed verdicts on passages as imported labels. People's labels take precedence over them.
 *
 * @param at ISO 8601
 */
export function proposedLabels({ id, draft }: AcceptedDraft, at: string): Label[] {
  const { text, perspectives, passages, made } = draft;
  return passages.flatMap(({ document, hash, supports }) =>
    perspectives.map((perspective) => ({
      v: 1 as const,
      query: id,
      queryText: text,
      perspective: perspective.id,
      perspectiveText: perspective.text,
      document,
      hash,
      verdict: supports.includes(perspective.id) ? ('yes' as const) : ('no' as const),
      by: { kind: 'imported' as const, name: made.judge ?? made.model },
      at,
      standard: NO_STANDARD,
      note: 'Proposed with the question, which a person accepted.',
    })),
  );
}
