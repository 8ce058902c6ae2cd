/**
 * A run of an agent: searches one after the other for one question. What each adds to the perspectives that the passages
 * before it support.
 */
import { repeatsOf } from '../likeness/repeats.ts';
import type { Verdict } from '../model.ts';
import type { CapturedRetrieval } from './heard.ts';

/** Retrievals with the same one belong to one run: one trace, or one request that an observed program served. */
export function searchRunOf({ id, live }: Pick<CapturedRetrieval, 'id' | 'live'>): string {
  if (live) return `${live.process} ${live.request ?? live.retrieval}`;
  return id.split(':', 1)[0]!;
}

export interface SearchOfRun {
  /** Best first. */
  readonly passages: readonly {
    readonly id: string;
    /** Or its beginning. */
    readonly text: string;
    /** Of its whole text. */
    readonly characters: number;
    readonly judged: readonly { readonly perspectiveId: string; readonly verdict: Verdict }[];
  }[];
}

export interface StepCoverage {
  /** Perspectives that a passage of this search supports and none of an earlier one does. */
  readonly gained: readonly string[];
  /** How many are supported after it. */
  readonly covered: number;
  readonly passages: number;
  /** Passages of an earlier search, and those that are nearly the text of one. */
  readonly seen: number;
  readonly nearlySeen: number;
  /** Of its passages; about four characters each. */
  readonly tokens: number;
}

export interface RunCoverage {
  readonly steps: readonly StepCoverage[];
  /** By perspective: the first search that supports it, from 0; without an entry if none does. */
  readonly firstAt: ReadonlyMap<string, number>;
  /** Searches after the last one that gained a perspective. */
  readonly searchesAfter: number;
  readonly never: readonly string[];
  /** Ids in the order in which they were first seen. */
  readonly union: readonly string[];
  /** Pairs of a passage of the union and a perspective that have a verdict, and all. */
  readonly judgedPairs: number;
  readonly pairs: number;
}

const CHARACTERS_OF_TOKEN = 4;

/** @param searches in their order @param perspectives ids */
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
    judgedPairs: judged.reduce((sum, own) => sum + perspectives.filter((each) => own.has(each)).length, 0),
    pairs: union.size * perspectives.length,
  };
}

/** Perspectives gained per 1,000 tokens that a search put before the model; nothing for a search without a text. */
export function gainPerThousandTokens({ gained, tokens }: StepCoverage): number | undefined {
  return tokens === 0 ? undefined : (gained.length * 1000) / tokens;
}
