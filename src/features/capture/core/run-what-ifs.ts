/**
 * What the searches of a run would have covered with another ranking: which of its queries reaches a perspective at a
 * larger k, and what a change of each search gains.
 */
import { repeatFinder } from '../../../core/likeness/repeats.ts';
import type { SearchOfRun } from './search-run.ts';

type Passage = SearchOfRun['passages'][number];

/** A query of the run, asked again and deeper. */
export interface AskedAgain {
  /** The number of passages that the program read. */
  readonly k: number;
  /** Best first. */
  readonly ranking: readonly Passage[];
}

export interface Reached {
  /** Index of the search, from 0. */
  readonly search: number;
  /** From 1. */
  readonly rank: number;
  readonly passage: string;
}

/** The best rank at which a query of the run finds a supporting passage. `undefined` if none does. */
export function reachedBy(perspective: string, searches: readonly AskedAgain[]): Reached | undefined {
  return searches
    .flatMap(({ ranking }, search) => {
      const place = ranking.findIndex((passage) => supports(passage, perspective));
      return place < 0 ? [] : [{ search, rank: place + 1, passage: ranking[place]!.id }];
    })
    .toSorted((a, b) => a.rank - b.rank)[0];
}

export interface Change {
  /** Whether passages of earlier searches, and near repeats of them, are left out. */
  readonly leavesOutSeen: boolean;
  /** Whether passages that support perspectives new to the run come first, which only labels can tell. */
  readonly coversFirst: boolean;
}

/** The passages that each search returns after a change of all searches. Each depends on those before it. */
export function changedRun(
  perspectives: readonly string[],
  searches: readonly AskedAgain[],
  { leavesOutSeen, coversFirst }: Change,
): SearchOfRun[] {
  const seen = new Map<string, Passage>();
  const covered = new Set<string>();
  return searches.map(({ k, ranking }) => {
    const repeated = repeatFinder(leavesOutSeen ? [...seen.values()].map(({ text }) => text) : []);
    const left = leavesOutSeen
      ? ranking.filter(({ id, text }) => !seen.has(id) && repeated(text) === undefined)
      : ranking;
    const ordered = coversFirst
      ? coveringFirst(
          perspectives.filter((perspective) => !covered.has(perspective)),
          left,
        )
      : left;
    const passages = ordered.slice(0, k);
    for (const passage of passages) {
      seen.set(passage.id, passage);
      for (const { perspectiveId, verdict } of passage.judged)
        if (verdict === 'yes') covered.add(perspectiveId);
    }
    return { passages };
  });
}

/** Each next one supports the most perspectives that those before it do not. The others follow in their order. */
function coveringFirst(perspectives: readonly string[], ranking: readonly Passage[]): Passage[] {
  const open = new Set(perspectives);
  const others = [...ranking];
  const first: Passage[] = [];
  while (open.size > 0) {
    const gains = others.map((passage) => [...open].filter((perspective) => supports(passage, perspective)));
    const most = Math.max(0, ...gains.map(({ length }) => length));
    if (most === 0) break;
    const place = gains.findIndex(({ length }) => length === most);
    first.push(...others.splice(place, 1));
    for (const perspective of gains[place]!) open.delete(perspective);
  }
  return [...first, ...others];
}

function supports({ judged }: Passage, perspective: string): boolean {
  return judged.some(({ perspectiveId, verdict }) => perspectiveId === perspective && verdict === 'yes');
}
