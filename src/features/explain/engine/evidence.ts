/** How each search of a pipeline ranks a passage, and why. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import type { Arm, ExplainedPassage, Explanation, TermContribution } from '../core/explanation.ts';
import type { Bm25Retriever, RetrieverSpec } from '../../../core/pipeline.ts';
import { retrieverLabel } from '../../../core/pipeline-label.ts';
import { passageName } from '../../../core/text/passage-name.ts';
import { fold, words } from '../../../core/text/words.ts';
import type { PipelineQuery } from '../../../engine/retrieval/pipeline-services.ts';
import { retrieve } from '../../../engine/retrieval/retrieve.ts';
import type { Hit, Slot, StoredPassage, WorkOptions } from '../../../engine/types.ts';
import { explainedDepths, type ExplainContext, type RankedCorpus } from './ranking.ts';

export interface ArmQuestion {
  readonly query: PipelineQuery;
  readonly candidates: number;
  /** The passage to explain. */
  readonly best: StoredPassage;
  /** Whether a passage belongs to the requested document. */
  readonly isTarget: (slot: Slot) => boolean;
}

/** @throws ParallaxError `cancelled` */
export async function armOf(
  part: RetrieverSpec,
  { query, candidates, best, isTarget }: ArmQuestion,
  { index, searches }: RankedCorpus,
  work: WorkOptions,
): Promise<Arm> {
  const name = retrieverLabel(part);
  try {
    if (part.type === 'dense' && !(await index.hasVectors(part.embedder)))
      return { name, searched: 0, problem: notEmbedded() };
    const exact = part.type === 'dense' ? { ...part, search: 'exact' as const } : part;
    const placeIn = (list: readonly Hit[]): number => list.findIndex(({ item }) => item === best.slot);
    let hits: readonly Hit[] = [];
    for (const depth of explainedDepths(index, part, candidates)) {
      ({ hits } = await retrieve(searches, exact, query, depth, work));
      if (placeIn(hits) >= 0) break;
    }
    const place = placeIn(hits);
    const first = hits.findIndex(({ item }) => isTarget(item));
    const needed = hits[Math.min(candidates, hits.length) - 1]?.score;
    const nearest =
      part.type === 'dense'
        ? await index.searches.nearestSentence(query.text, part.embedder, best.text, work)
        : undefined;
    return {
      name,
      searched: hits.length,
      ...(needed === undefined ? {} : { needed }),
      ...(place < 0 ? {} : { rank: place + 1, score: hits[place]!.score }),
      ...(first < 0 || first === place
        ? {}
        : { better: { passageId: index.passageId(hits[first]!.item), rank: first + 1 } }),
      ...(nearest ? { nearest } : {}),
    };
  } catch (error) {
    if (!ParallaxError.is(error) || error.id === 'cancelled') throw error;
    return { name, searched: 0, problem: error.message };
  }
}

/** @param document all text of the document, for words outside of the passage */
export async function termsOf(
  lexical: Bm25Retriever,
  { query, text, document }: { readonly query: string; readonly text: string; readonly document: string },
  searches: ExplainContext['terms'],
  work: WorkOptions,
): Promise<Pick<Explanation, 'terms' | 'lengths'>> {
  const { terms, lengths } = await searches.explainTerms(query, lexical, text, work);
  return { terms: terms.map((term) => ({ ...term, ...similarWord(term, document) })), lengths };
}

export const explained = (passage: StoredPassage): ExplainedPassage => ({
  id: passage.id,
  documentId: passage.documentId,
  name: passageName(passage),
  text: passage.text,
});

const notEmbedded = (): string =>
  l10n.t('Its rank is not known yet, because not all passages have vectors of this model.');

/** Words with the same beginning of this length count as the same word. */
const STEM = 5;

/**
 * A word of the document that begins like a word of the question that the passage lacks; that word itself if the
 * document has it.
 */
function similarWord({ word, frequency }: TermContribution, text: string): { similar?: string } {
  if (frequency > 0 || word.length < STEM) return {};
  const foldedWord = fold(word);
  const all = words(fold(text));
  const similar =
    all.find((each) => each === foldedWord) ?? all.find((each) => each.startsWith(foldedWord.slice(0, STEM)));
  return similar === undefined ? {} : { similar };
}
