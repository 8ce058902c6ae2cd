/** Compares the top of an answer with its candidates by their texts and vectors. Needs no judgements. */
import { cosinesOf, meanCosine, vendiScore } from '../../core/likeness/alike.ts';
import { withoutBoilerplate } from '../../core/likeness/boilerplate.ts';
import { repeatsOf } from '../../core/likeness/repeats.ts';
import { fieldSpreads, folderOf, spreadOf, type Spread } from '../../core/likeness/spread.ts';
import { THEME_CANDIDATES, themesOf, type Theme } from '../../core/likeness/themes.ts';
import { nearestHeading, passageName } from '../../core/text/passage-name.ts';
import { similarityMatrix } from '../../core/rerank/similarity.ts';
import type { LikenessView, ThemeView } from '../../shared/likeness.ts';
import type { Params } from '../../shared/rpc.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import type { StoredPassage, WorkOptions } from '../types.ts';

type Answered = Omit<Params<'likeness'>, 'corpus'>;

/** The passages that form themes, followed by further passages of the top. */
interface Pool {
  readonly passages: readonly StoredPassage[];
  /** `[n, n]` */
  readonly cosines: Float64Array;
  /** The number of candidates, which come first. */
  readonly candidates: number;
  /** Indexes of the top. */
  readonly top: readonly number[];
}

/**
 * Ignores passages that have been deleted since.
 *
 * @throws ParallaxError what the embedder throws; `cancelled`
 */
export async function candidateLikeness(
  index: CorpusIndex,
  { question, pipeline, candidates, top }: Answered,
  work: WorkOptions,
): Promise<LikenessView> {
  const embedder = await index.likenessEmbedder(pipeline);
  const pool = await poolOf(index, embedder, { candidates, top }, work);
  const shown = pool.top.map((place) => pool.passages[place]!);
  const cosines = cosinesOf(pool.cosines, pool.passages.length, pool.top);
  const similarity = meanCosine(cosines, shown.length);
  return {
    embedder,
    passages: shown.length,
    candidates: pool.candidates,
    spreads: spreads(shown, pool.passages.slice(0, pool.candidates)),
    fields: fields(index, shown, pool.passages.slice(0, pool.candidates)),
    foundFields: index.fields.found.map(({ name }) => name),
    repeats: repeatsOf(shown.map(({ text }) => text)).flatMap((of, place) =>
      of === undefined ? [] : [{ passageId: shown[place]!.id, of: shown[of]!.id }],
    ),
    vendi: vendiScore(cosines, shown.length),
    ...(similarity === undefined ? {} : { similarity }),
    themes: await themeViews(index, question, pool, work),
  };
}

async function poolOf(
  index: CorpusIndex,
  embedder: string,
  { candidates, top }: Pick<Answered, 'candidates' | 'top'>,
  work: WorkOptions,
): Promise<Pool> {
  const first = index.passages(candidates.slice(0, THEME_CANDIDATES));
  const known = new Set(first.map(({ slot }) => slot));
  const passages = [...first, ...index.passages(top.filter((slot) => !known.has(slot)))];
  const slots = passages.map(({ slot }) => slot);
  const vectors = await index.vectors(embedder, slots, work);
  const places = new Map(slots.map((slot, place) => [slot, place]));
  return {
    passages,
    cosines: similarityMatrix(vectors, slots.length),
    candidates: first.length,
    top: top.flatMap((slot) => places.get(slot) ?? []),
  };
}

function spreads(
  top: readonly StoredPassage[],
  candidates: readonly StoredPassage[],
): LikenessView['spreads'] {
  const by = (valueOf: (passage: StoredPassage) => string | undefined): Spread =>
    spreadOf(top.map(valueOf), candidates.map(valueOf));
  return {
    documents: by(({ documentId }) => documentId),
    folders: by(({ documentId }) => folderOf(documentId)),
    sections: by(({ documentId, section }) =>
      section === undefined ? undefined : `${documentId} › ${section}`,
    ),
  };
}

/** All fields that the user named, or those with varying values if there are none. */
function fields(
  index: CorpusIndex,
  top: readonly StoredPassage[],
  candidates: readonly StoredPassage[],
): LikenessView['fields'] {
  const of = (passages: readonly StoredPassage[]): StoredPassage['fields'][] =>
    passages.map((passage) => passage.fields);
  const spreadsOfFields = fieldSpreads(index.fields.counted, of(top), of(candidates));
  return index.ref.config.fields
    ? spreadsOfFields
    : spreadsOfFields.filter((spread) => spread.candidates > 1);
}

async function themeViews(
  index: CorpusIndex,
  question: string,
  { passages, cosines, candidates, top }: Pool,
  work: WorkOptions,
): Promise<LikenessView['themes']> {
  const frequencies = await index.termFrequencies(work);
  const first = Array.from({ length: candidates }, (_, place) => place);
  const texts = withoutBoilerplate(
    passages.slice(0, candidates).map((passage) => ({
      document: passage.documentId,
      text: `${nearestHeading(passage)}\n${passage.text}`,
    })),
  );
  const firstCosines = cosinesOf(cosines, passages.length, first);
  const { themes, rest, clear } = themesOf(firstCosines, texts, { frequencies, question });
  const shown = new Set(top);
  const inTop = (places: readonly number[]): number => places.filter((place) => shown.has(place)).length;
  const view = ({ terms, places, nearest }: Theme): ThemeView => {
    const near = passages[nearest]!;
    return {
      terms,
      passages: places.length,
      top: inTop(places),
      members: places.map((place) => passages[place]!.id),
      nearest: { passageId: near.id, title: passageName(near), path: near.documentId },
    };
  };
  return { larger: themes.map(view), rest: { passages: rest.length, top: inTop(rest) }, clear };
}
