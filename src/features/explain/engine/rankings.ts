/**
 * All passages in the order of a pipeline, with what decides about each. Keeps the newest ranking and returns parts
 * of it.
 */
import { decisionOf, DECISIONS, type Decision } from '../core/decision.ts';
import type { RankedPassage, RankingSlice } from '../core/ranked.ts';
import { repeatFinder } from '../../../core/likeness/repeats.ts';
import { passageName } from '../../../core/text/passage-name.ts';
import { fold } from '../../../core/text/words.ts';
import { Pace } from '../../../engine/concurrency/pace.ts';
import type { CorpusIndex } from '../../../engine/corpora/corpus-index.ts';
import type { Slot, StoredPassage, WorkOptions } from '../../../engine/types.ts';
import { rankTo, wholeDepth, foundWithoutFilter, type RankedQuestion, type RankedCorpus } from './ranking.ts';

export interface WantedPassages {
  readonly words: string;
  readonly decision?: Decision | undefined;
  readonly from: number;
  readonly most: number;
}

type Decided = Pick<RankedPassage, 'rank' | 'retrievedRank' | 'decision' | 'repeats'> & {
  readonly slot: Slot;
};

interface Ranking {
  readonly key: string;
  readonly all: readonly Decided[];
  readonly counts: RankingSlice['counts'];
  /** The newest selection by words, since the next request is usually for its next part. */
  selected: { readonly words: string; readonly decided: readonly Decided[] };
}

/** Passages read from the store at once. */
const PORTION = 2_000;

export class Rankings {
  readonly #newest = new WeakMap<CorpusIndex, Ranking>();

  /** @throws ParallaxError as a search with the pipeline, `cancelled` */
  async slice(
    question: RankedQuestion & { readonly atOnce: boolean | undefined },
    { words, decision, from, most }: WantedPassages,
    corpus: RankedCorpus,
    work: WorkOptions,
  ): Promise<RankingSlice> {
    const { index } = corpus;
    const ranking = await this.#ranking(question, corpus, work);
    const foldedWords = fold(words.trim());
    if (ranking.selected.words !== foldedWords)
      ranking.selected = {
        words: foldedWords,
        decided: await withWords(ranking.all, foldedWords, index, work),
      };
    const { decided } = ranking.selected;
    const selected = decision === undefined ? decided : decided.filter((each) => each.decision === decision);
    const part = selected.slice(from, from + most);
    const passages = new Map(index.passages(part.map(({ slot }) => slot)).map((each) => [each.slot, each]));
    return {
      total: ranking.all.length,
      counts: ranking.counts,
      selected: selected.length,
      from,
      passages: part.flatMap((each) => {
        const passage = passages.get(each.slot);
        return passage ? [view(each, passage)] : [];
      }),
    };
  }

  async #ranking(question: RankedQuestion, corpus: RankedCorpus, work: WorkOptions): Promise<Ranking> {
    const { index } = corpus;
    const key = JSON.stringify([index.fingerprint, question]);
    const before = this.#newest.get(index);
    if (before?.key === key) return before;
    const all = await decided(question, corpus, work);
    const counted = Map.groupBy(all, ({ decision }) => decision);
    const counts = Object.fromEntries(DECISIONS.map((each) => [each, counted.get(each)?.length ?? 0]));
    const ranking: Ranking = {
      key,
      all,
      counts: counts as RankingSlice['counts'],
      selected: { words: '', decided: all },
    };
    this.#newest.set(index, ranking);
    return ranking;
  }
}

async function decided(
  question: RankedQuestion,
  corpus: RankedCorpus,
  work: WorkOptions,
): Promise<Decided[]> {
  const { pipeline } = question;
  const { index } = corpus;
  const { k, candidates, retriever } = pipeline;
  const depth = wholeDepth(index, retriever);
  const { hits, retrieved } = await rankTo(depth, question, corpus, work);
  const slots = hits.map(({ item }) => item);
  const before = new Map(retrieved.map((slot, place) => [slot, place + 1]));
  const texts = new Map(index.passages(slots.slice(0, candidates)).map(({ slot, text }) => [slot, text]));
  const repeats = repeatFinder(slots.slice(0, k).map((slot) => texts.get(slot) ?? ''));
  const ranked = slots.map((slot, place): Decided => {
    const rank = place + 1;
    const retrievedRank = before.get(slot);
    const repeated = rank > k && rank <= candidates ? repeats(texts.get(slot) ?? '') : undefined;
    const isRepeat = repeated !== undefined;
    return {
      slot,
      rank,
      decision: decisionOf({ rank, retrievedRank, isRepeat }, pipeline),
      ...(retrievedRank === undefined || retrievedRank === rank ? {} : { retrievedRank }),
      ...(isRepeat ? { repeats: repeated + 1 } : {}),
    };
  });
  const known = new Set(slots);
  const filtered = (await foundWithoutFilter(question, corpus, work)).filter((slot) => !known.has(slot));
  return [...ranked, ...filtered.map((slot): Decided => ({ slot, decision: 'filtered' }))];
}

async function withWords(
  all: readonly Decided[],
  words: string,
  index: CorpusIndex,
  work: WorkOptions,
): Promise<readonly Decided[]> {
  if (words === '') return all;
  const pace = new Pace(work);
  const matches: Decided[] = [];
  for (let from = 0; from < all.length; from += PORTION) {
    const part = all.slice(from, from + PORTION);
    const passages = index.passages(part.map(({ slot }) => slot));
    const having = new Set(passages.filter((each) => has(each, words)).map(({ slot }) => slot));
    matches.push(...part.filter(({ slot }) => having.has(slot)));
    if (pace.due) await pace.rest();
  }
  return matches;
}

function has(passage: StoredPassage, words: string): boolean {
  return [passageName(passage), passage.documentId, passage.text].some((text) => fold(text).includes(words));
}

function view({ slot: _slot, ...each }: Decided, passage: StoredPassage): RankedPassage {
  return { id: passage.id, documentId: passage.documentId, name: passageName(passage), ...each };
}
