/** A pair to add to the queue. */
import type { Perspective, Query } from '../../../core/model.ts';
import { passageName } from '../../../core/text/passage-name.ts';
import { drawn } from '../core/draw.ts';
import { seededRandom } from '../../../core/statistics/random.ts';
import type { AskedQuery } from '../../../shared/requests/questions.ts';
import type { StoredPassage } from '../../../engine/types.ts';
import type { AnsweredPair } from './answered-pairs.ts';
import type { NewReviewItem } from './review-queue.ts';

/** A pair and why people should decide it. `P` is its passage, or only the hash of the passage's text. */
export interface ReviewCandidate<P> extends Pick<
  NewReviewItem,
  'reason' | 'judges' | 'standard' | 'people' | 'since' | 'place' | 'chance' | 'expected'
> {
  readonly query: AskedQuery;
  readonly perspective: Perspective;
  readonly passage: P;
}

export function newItem(
  corpus: string,
  { query, perspective, passage, ...finding }: ReviewCandidate<StoredPassage>,
): NewReviewItem {
  const { id, hash, documentId, text, verbatim, lines } = passage;
  return {
    ...finding,
    corpus,
    query: { ...(query.id === undefined ? {} : { id: query.id }), text: query.text },
    perspective: { id: perspective.id, text: perspective.text, stance: perspective.stance },
    passage: {
      id,
      hash,
      documentId,
      name: passageName(passage),
      text,
      ...(verbatim ? { lines: { first: lines.startLine + 1, last: lines.endLine + 1 } } : {}),
    },
  };
}

/** The pair of an answer, without the answers. */
export function hashedPair({
  query,
  perspective,
  passageHash,
}: Pick<AnsweredPair, 'perspective' | 'passageHash'> & {
  readonly query: AskedQuery | Query;
}): Pick<ReviewCandidate<string>, 'query' | 'perspective' | 'passage'> {
  return { query: { id: query.id, text: query.text }, perspective, passage: passageHash };
}

/** Draws pairs at random, each with a random place among those that were mixed before. */
export function mixed<P>(
  pairs: readonly ReviewCandidate<P>[],
  count: number,
  seed: number,
): ReviewCandidate<P>[] {
  const random = seededRandom(seed);
  return drawn(pairs, count, random).map((pair) => ({ ...pair, place: random() }));
}
