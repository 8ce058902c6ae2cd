/**
 * A run of an agent: consecutive searches for one question. Computes which perspectives each search adds to those
 * covered by earlier passages.
 */
import { repeatsOf } from '../../../core/likeness/repeats.ts';
import type { Verdict } from '../../../core/model.ts';
import type { CapturedRetrieval } from './span-reading.ts';

/** Retrievals with the same value belong to one run: one trace, or one request served by an observed program. */
export function searchRunOf({ id, live }: Pick<CapturedRetrieval, 'id' | 'live'>): string {
  if (live) return `${live.process} ${live.request ?? live.retrieval}`;
  return id.split(':', 1)[0]!;
}

/** A run as captured or as a file contains it. */
export interface PicturedRun {
  /** `undefined` if it is unknown. */
  readonly question: string | undefined;
  /** In their order; at least one. */
  readonly searches: readonly Pick<CapturedRetrieval, 'query' | 'name' | 'results'>[];
}

/**
 * The retrievals whose passages the program read, in the order in which they began. A reranker replaces the retrievals
 * of the same query before it.
 */
export function searchesRead<T extends Pick<CapturedRetrieval, 'query' | 'step' | 'at'>>(
  retrievals: readonly T[],
): T[] {
  const inOrder = retrievals.toSorted((a, b) => a.at - b.at);
  return inOrder.filter(
    ({ query }, place) =>
      !inOrder.slice(place + 1).some((later) => later.step === 'reranker' && later.query === query),
  );
}

export interface SearchOfRun {
  /** Best first. */
  readonly passages: readonly {
    readonly id: string;
    readonly text: string;
    /** The length of its whole text. */
    readonly characters: number;
    readonly judged: readonly { readonly perspectiveId: string; readonly verdict: Verdict }[];
  }[];
}

export interface StepCoverage {
  /** Perspectives that a passage of this search supports and no earlier passage does. */
  readonly gained: readonly string[];
  /** The number of perspectives covered after it. */
  readonly covered: number;
  readonly passages: number;
  /** The number of passages from earlier searches, and of near duplicates. */
  readonly seen: number;
  readonly nearlySeen: number;
  /** The estimated tokens of its passages, at four characters each. */
  readonly tokens: number;
}

export interface RunCoverage {
  readonly steps: readonly StepCoverage[];
  /** The index of the first search that supports each perspective, from 0. No entry if none does. */
  readonly firstAt: ReadonlyMap<string, number>;
  /** The number of searches after the last one that gained a perspective. */
  readonly searchesAfter: number;
  readonly never: readonly string[];
  /** Ids in order of first appearance. */
  readonly union: readonly string[];
  /** Pairs of a passage of the union and a perspective: judged ones, and all. */
  readonly judgedPairs: number;
  readonly pairs: number;
}

const CHARACTERS_OF_TOKEN = 4;

/** @param searches in order @param perspectives ids */
export function runCoverage(perspectives: readonly string[], searches: readonly SearchOfRun[]): RunCoverage {
  const firstAt = new Map<string, number>();
  const union = new Map<string, SearchOfRun['passages'][number]>();
  const steps = searches.map(({ passages }, step) => {
    const before = [...union.values()];
    const repeats = repeatsOf([...before, ...passages].map(({ text }) => text)).slice(before.length);
    const isSeen = passages.map(({ id }) => union.has(id));
    for (const passage of passages) if (!union.has(passage.id)) union.set(passage.id, passage);
    const gained = perspectives.filter(
      (perspective) =>
        !firstAt.has(perspective) &&
        passages.some(({ judged }) =>
          judged.some(({ perspectiveId, verdict }) => perspectiveId === perspective && verdict === 'yes'),
        ),
    );
    for (const perspective of gained) firstAt.set(perspective, step);
    return {
      gained,
      covered: firstAt.size,
      passages: passages.length,
      seen: isSeen.filter(Boolean).length,
      nearlySeen: passages.filter(
        (_, place) => !isSeen[place] && (repeats[place] ?? before.length) < before.length,
      ).length,
      tokens: Math.ceil(passages.reduce((sum, { characters }) => sum + characters, 0) / CHARACTERS_OF_TOKEN),
    };
  });
  const last = Math.max(-1, ...firstAt.values());
  const judged = [...union.values()].map(
    (passage) => new Set(passage.judged.map(({ perspectiveId }) => perspectiveId)),
  );
  return {
    steps,
    firstAt,
    searchesAfter: searches.length - 1 - last,
    never: perspectives.filter((perspective) => !firstAt.has(perspective)),
    union: [...union.keys()],
    judgedPairs: judged.reduce(
      (sum, verdicts) => sum + perspectives.filter((each) => verdicts.has(each)).length,
      0,
    ),
    pairs: union.size * perspectives.length,
  };
}

/** Perspectives gained per 1,000 tokens of a search. `undefined` for a search without texts. */
export function gainPerThousandTokens({ gained, tokens }: StepCoverage): number | undefined {
  return tokens === 0 ? undefined : (gained.length * 1000) / tokens;
}
