/** Likeness of the passages of one ranking, for the measures that read it. */
import { cosinesOf } from '../../core/likeness/alike.ts';
import { fieldValue } from '../../core/text/fields.ts';
import type { RankedLikeness } from '../../core/likeness/ranked-likeness.ts';
import { repeatsOf } from '../../core/likeness/repeats.ts';
import { folderOf } from '../../core/likeness/spread.ts';
import { THEME_CANDIDATES, themePlaces } from '../../core/likeness/themes.ts';
import { similarityMatrix } from '../../core/rerank/similarity.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import type { Slot, WorkOptions } from '../types.ts';

export interface Measured {
  readonly slots: readonly Slot[];
  readonly depth: number;
  readonly fields: readonly string[];
}

/**
 * @param slots the pipeline's candidates, best first; ignores those that have been deleted since
 * @param depth the most passages to measure
 * @param fields whose values are needed
 * @throws ParallaxError what the embedder throws; `cancelled`
 */
export async function rankedLikeness(
  index: CorpusIndex,
  embedder: string,
  { slots, depth, fields }: Measured,
  work: WorkOptions,
): Promise<RankedLikeness> {
  const passages = index.passages(slots.slice(0, Math.max(depth, THEME_CANDIDATES)));
  const n = passages.length;
  const vectors = await index.vectors(
    embedder,
    passages.map(({ slot }) => slot),
    work,
  );
  const cosines = similarityMatrix(vectors, n);
  const first = firstPlaces(Math.min(n, THEME_CANDIDATES));
  const larger = themePlaces(cosinesOf(cosines, n, first), first.length);
  const top = passages.slice(0, depth);
  const themeOf = new Map(larger.flatMap((places, theme) => places.map((place) => [place, theme])));
  return {
    documents: top.map(({ documentId }) => documentId),
    folders: top.map(({ documentId }) => folderOf(documentId)),
    fields: new Map(
      fields.map((name) => [name, top.map((passage) => fieldValue(passage.fields, name))] as const),
    ),
    repeats: repeatsOf(top.map(({ text }) => text)).map((of) => of !== undefined),
    cosines: cosinesOf(cosines, n, firstPlaces(top.length)),
    themes: top.map((_, place) => themeOf.get(place)),
    larger: larger.length,
  };
}

function firstPlaces(n: number): number[] {
  return Array.from({ length: n }, (_, place) => place);
}
