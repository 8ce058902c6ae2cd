/** Pairs that people labelled, as questions for others: a second opinion, or an attention check. */
import type { LabelIndex, PersonsVerdict } from '../../../core/formats/label-index.ts';
import type { Label } from '../../../core/formats/labels.ts';
import type { Perspective, Query, Verdict } from '../../../core/model.ts';
import { majority } from '../../validation/core/people.ts';
import type { AskedQuery } from '../../../shared/requests/questions.ts';

export interface LabelledPair {
  readonly query: AskedQuery;
  readonly perspective: Perspective;
  readonly passageHash: string;
  readonly standard: string;
  readonly verdict: Verdict;
  readonly verdicts: readonly PersonsVerdict[];
}

/**
 * All pairs of passage and perspective that people labelled by the passage's text, without duplicates.
 *
 * @param queries of the eval sets, since a label may name its query only by id
 */
export function labelledPairs(index: LabelIndex, queries: readonly Query[]): LabelledPair[] {
  const pairs = new Map<string, LabelledPair>();
  for (const label of index.labels()) {
    const { hash, perspective, perspectiveText, standard, document, by } = label;
    if (hash === undefined || by.kind !== 'human') continue;
    const key = JSON.stringify([hash, perspectiveText, standard]);
    if (pairs.has(key)) continue;
    const target = { perspectiveText, standard };
    const passage = { documentId: document, text: '', hash };
    const answer = index.lookup(target, passage);
    if (!answer) continue;
    pairs.set(key, {
      query: queryOf(label, queries),
      perspective: { id: perspective, text: perspectiveText },
      passageHash: hash,
      standard,
      verdict: answer.verdict,
      verdicts: index.verdicts(target, passage),
    });
  }
  return [...pairs.values()];
}

function queryOf({ query, queryText }: Label, queries: readonly Query[]): AskedQuery {
  if (queryText !== undefined) return { id: query, text: queryText };
  const known = queries.find(({ id }) => id === query);
  return known ? { id: known.id, text: known.text } : { text: query };
}

/**
 * The most reliable answers: those that several people agree on, else another person's, else the person's own. If
 * people are divided or unsure, there is no answer.
 */
export function reliable(pairs: readonly LabelledPair[], person: string): readonly LabelledPair[] {
  const decided = pairs.filter(({ verdict }) => verdict !== 'unsure');
  const agreed = decided.filter(
    ({ verdict, verdicts }) => verdicts.filter((each) => each.verdict === verdict).length > 1,
  );
  if (agreed.length > 0) return agreed;
  const pairsOfOthers = decided.filter(({ verdicts }) => verdicts.some((each) => each.person !== person));
  return pairsOfOthers.length > 0 ? pairsOfOthers : decided;
}

/** Whether people contradict each other, without a majority. */
export function areOpenlyDivided({ verdicts }: LabelledPair): boolean {
  return majority(verdicts.map(({ verdict }) => verdict)).tie;
}
