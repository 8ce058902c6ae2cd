/** Tries other splitters of the corpus: temporarily indexes the documents with each of them, and searches. */
import { HASHED_WORDS } from '../../../core/embedding/built-in.ts';
import type { Explanation, NamedTarget, TriedChange } from '../core/explanation.ts';
import { otherSplits, splitLabel } from '../core/other-splits.ts';
import { isExternal, type Pipeline, type RetrieverSpec } from '../../../core/pipeline.ts';
import type { SplitSpec } from '../../../core/split/spec.ts';
import { words } from '../../../core/text/words.ts';
import type { WorkOptions } from '../../../engine/types.ts';
import { rankTo, type RankedQuestion, type ExplainContext } from './ranking.ts';
import { isOfTarget, targetResplit, type Target } from './target.ts';

/** More take too long to index while a user waits: seconds for each splitter by words, half a minute by meaning. */
const MAX_BY_WORDS = 50_000;
const MAX_BY_MEANING = 3_000;

/**
 * Whether another splitter may help.
 *
 * @param explanation after all other changes were tried
 */
export function splittersFor(
  { cause, change }: Explanation,
  { retriever }: Pipeline,
  { index, embedders }: ExplainContext,
): Explanation['splitters'] {
  if (change || cause === 'retrieved' || cause === 'filtered' || cause === 'not-indexed') return undefined;
  const { store, perQuery } = index.ref.config;
  if (store || perQuery || isExternal(retriever)) return undefined;
  const used = embeddersOf(retriever).filter((name) => name !== HASHED_WORDS);
  // An endpoint may cost money for every passage.
  if (used.some((name) => !embedders.includes(name))) return undefined;
  const most = used.length > 0 ? MAX_BY_MEANING : MAX_BY_WORDS;
  return index.status.passages > most ? 'too-many' : 'untried';
}

function embeddersOf(retriever: RetrieverSpec): string[] {
  if (retriever.type === 'hybrid') return retriever.retrievers.flatMap(embeddersOf);
  return retriever.type === 'dense' ? [retriever.embedder] : [];
}

type SplitTarget = Target & NamedTarget;

/**
 * @returns the splitters that were tried, up to the first that brings the passage into the first k
 * @throws ParallaxError as an update of the index and a search with that pipeline, `cancelled`
 */
export async function trySplits(
  question: RankedQuestion,
  target: SplitTarget,
  context: ExplainContext,
  work: WorkOptions,
): Promise<Pick<Explanation, 'tried'> & Partial<Pick<Explanation, 'change'>>> {
  const { pipeline } = question;
  const { index } = context;
  const { split: present } = index.ref.config;
  const before = index.status.passages;
  const tried: TriedChange[] = [];
  const splits = otherSplits(present, target.cut ? words(target.document).length : 0);
  for (const [place, split] of splits.entries()) {
    const label = `split ${splitLabel(present)} → ${splitLabel(split)}`;
    const detail = `${splitLabel(split)} (${place + 1}/${splits.length})`;
    const during = {
      ...work,
      onProgress: work.onProgress && ((progress) => work.onProgress!({ ...progress, detail })),
    } satisfies WorkOptions;
    const { rank, after } = await rankWith(split, question, target, context, during);
    tried.push({
      kind: 'splitter',
      label,
      pipeline,
      split,
      passages: { before, after },
      ...(rank === undefined ? {} : { rank }),
    });
    if (rank !== undefined && rank <= pipeline.k) return { tried, change: tried.at(-1)! };
  }
  return { tried };
}

function rankWith(
  split: SplitSpec,
  question: RankedQuestion,
  target: SplitTarget,
  { withSplit }: ExplainContext,
  work: WorkOptions,
): Promise<{ readonly rank?: number; readonly after: number }> {
  return withSplit(
    split,
    async (corpus) => {
      const after = corpus.index.status.passages;
      const resplit = await targetResplit(target, corpus.index, target, work);
      // If the text is split again, its parts do not count as the text.
      if (resplit.cut || resplit.passages.length === 0) return { after };
      const { hits } = await rankTo(question.pipeline.candidates, question, corpus, work);
      const isWanted = isOfTarget(resplit, corpus.index);
      const place = hits.findIndex(({ item }) => isWanted(item));
      return place < 0 ? { after } : { rank: place + 1, after };
    },
    work,
  );
}
