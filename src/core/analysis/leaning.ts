/** Which side a retriever favours: stances of two-sided queries, and groups of perspectives. */
import * as z from 'zod';
import type { Read } from '../read.ts';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import { coveredPerspectives } from '../metrics/coverage-measures.ts';
import { supports } from '../metrics/judgements.ts';
import type { Qrels, Query, Run, Stance } from '../model.ts';
import type { PerspectiveQuery } from './p-recall.ts';

/** A query with perspectives on both sides. It may have several on a side, and others on neither. */
export interface TwoSidedQuery {
  readonly id: string;
  /** Ids of the perspectives, at least one on each side. */
  readonly support: readonly string[];
  readonly oppose: readonly string[];
}

/** The two-sided queries, with the ids of the perspectives that have a stance. */
export function twoSided(queries: readonly Query[]): TwoSidedQuery[] {
  return queries.flatMap(({ id, perspectives }) => {
    const idsOf = (side: Stance): string[] =>
      perspectives.filter(({ stance }) => stance === side).map((perspective) => perspective.id);
    const [support, oppose] = [idsOf('support'), idsOf('oppose')];
    return support.length > 0 && oppose.length > 0 ? [{ id, support, oppose }] : [];
  });
}

export const sideSharesSchema = z.object({
  queries: z.number().int(),
  onlySupport: z.number(),
  onlyOppose: z.number(),
  both: z.number(),
  neither: z.number(),
});
/** Shares of the top-k sets of two-sided queries. They add up to 1 (BERDS, Figure 2). */
export type SideShares = Read<typeof sideSharesSchema>;

/**
 * Which sides the top k of each query cover. Queries that are missing from the run or have no judgements cover neither
 * side.
 *
 * Source: BERDS, section 8, figure 2.
 *
 * @throws ParallaxError `bad-argument` without queries
 */
export function sideShares(queries: readonly TwoSidedQuery[], run: Run, qrels: Qrels, k: number): SideShares {
  checkTwoSided(queries);
  const counts = { onlySupport: 0, onlyOppose: 0, both: 0, neither: 0 };
  for (const { id, support, oppose } of queries) {
    const ranking = run.get(id)?.map(({ item }) => item) ?? [];
    const covered = coveredPerspectives(ranking, qrels.get(id) ?? new Map(), k);
    const supported = support.some((perspective) => covered.includes(perspective));
    const opposed = oppose.some((perspective) => covered.includes(perspective));
    if (supported) counts[opposed ? 'both' : 'onlySupport']++;
    else counts[opposed ? 'onlyOppose' : 'neither']++;
  }
  return {
    onlySupport: counts.onlySupport / queries.length,
    onlyOppose: counts.onlyOppose / queries.length,
    both: counts.both / queries.length,
    neither: counts.neither / queries.length,
    queries: queries.length,
  };
}

export interface Leaning {
  /** Passages in the top k of all queries that support a supporting perspective; p in the paper. */
  readonly supporting: number;
  /**
   * Passages in the top k of all queries that support an opposing perspective; n in the paper. A passage may support
   * both.
   */
  readonly opposing: number;
  /** (p − n) / p: at most 1, and 0 if balanced. `undefined` if p is 0. */
  readonly delta: number | undefined;
}

/**
 * How far the passages in the top k lean to the supporting side, over all queries.
 *
 * Source: BERDS, section 8, figure 3.
 *
 * @throws ParallaxError `bad-argument` without queries
 */
export function leaning(queries: readonly TwoSidedQuery[], run: Run, qrels: Qrels, k: number): Leaning {
  checkTwoSided(queries);
  let supporting = 0;
  let opposing = 0;
  for (const { id, support, oppose } of queries) {
    const judgements = qrels.get(id);
    const isFor = (item: string, side: readonly string[]): boolean =>
      side.some((perspective) => supports(judgements?.get(perspective)?.get(item)));
    for (const { item } of run.get(id)?.slice(0, k) ?? []) {
      if (isFor(item, support)) supporting++;
      if (isFor(item, oppose)) opposing++;
    }
  }
  return leaningOf(supporting, opposing);
}

/** @param supporting number of passages, like `opposing` */
export function leaningOf(supporting: number, opposing: number): Leaning {
  const delta = supporting === 0 ? undefined : (supporting - opposing) / supporting;
  return { supporting, opposing, delta };
}

/** The three texts that sycophancy compares as the query. */
export type QueryForm = 'question' | Stance;

/**
 * Whether the retriever follows the side of the query: {@link leaning} with the question, the supporting perspective
 * and the opposing one as the query. A sycophantic retriever leans towards the perspective in the query.
 *
 * @param runs one per form, each with the ids of the queries
 * @throws ParallaxError `bad-argument` without queries
 */
export function sycophancy(
  queries: readonly TwoSidedQuery[],
  runs: Readonly<Record<QueryForm, Run>>,
  qrels: Qrels,
  k: number,
): Record<QueryForm, Leaning> {
  return {
    question: leaning(queries, runs.question, qrels, k),
    support: leaning(queries, runs.support, qrels, k),
    oppose: leaning(queries, runs.oppose, qrels, k),
  };
}

export interface GroupShares {
  /**
   * The share of the relevant passages in the top k that are gold for each label, in order of first appearance. They
   * add up to more than 1 if a passage is gold for several labels. Empty if nothing was found.
   */
  readonly shares: ReadonlyMap<string, number>;
  /** Relevant passages in the top k of all root queries. */
  readonly passages: number;
  /** Root queries for which a relevant passage was retrieved. Only these count. */
  readonly successful: number;
  readonly roots: number;
}

/**
 * Which perspectives a retriever prefers if the query names none. Uses root queries only, and of these only those with
 * a relevant passage in the top k.
 *
 * Source: PIR, section 2.5, tables 3 and 10.
 *
 * @param run by the text of the root query
 * @param queries with labels as groups, for instance left, right and center
 */
export function groupShares(run: Run, queries: readonly PerspectiveQuery[], k: number): GroupShares {
  const counts = new Map(queries.map(({ label }) => [label, 0]));
  let passages = 0;
  let successful = 0;
  const roots = Map.groupBy(queries, ({ root }) => root);
  for (const [root, rootQueries] of roots) {
    const groups = groupsOfPassages(rootQueries);
    const relevant =
      run
        .get(root)
        ?.slice(0, k)
        .flatMap(({ item }) => groups.get(item) ?? []) ?? [];
    if (relevant.length > 0) successful++;
    passages += relevant.length;
    for (const labels of relevant) for (const label of labels) counts.set(label, counts.get(label)! + 1);
  }
  return {
    shares: new Map(passages === 0 ? [] : [...counts].map(([label, count]) => [label, count / passages])),
    passages,
    successful,
    roots: roots.size,
  };
}

/** The labels of the queries that each passage is gold for. */
export function groupsOfPassages(queries: readonly PerspectiveQuery[]): Map<string, ReadonlySet<string>> {
  const groups = new Map<string, Set<string>>();
  for (const { label, gold } of queries)
    for (const passage of gold) groups.set(passage, (groups.get(passage) ?? new Set()).add(label));
  return groups;
}

/**
 * The groups of the passages retrieved for each group: one row per group in the query, with the share of passages in
 * the top k that belong to each group. Passages without a known group count in the total, so a row may add up to less
 * than 1, or to more if passages are in several groups.
 *
 * Source: PIR, appendix A.10, figure 6.
 *
 * @param run by query id
 * @param queries with labels as groups
 * @param groupsOf returns the groups of a passage
 */
export function groupHeatMap(
  run: Run,
  queries: readonly PerspectiveQuery[],
  groupsOf: (passageId: string) => Iterable<string>,
  k: number,
): Map<string, ReadonlyMap<string, number>> {
  return new Map(
    [...Map.groupBy(queries, ({ label }) => label)].map(([label, labelQueries]) => {
      const retrieved = labelQueries.flatMap(({ id }) => run.get(id)?.slice(0, k) ?? []);
      const row = new Map<string, number>();
      for (const { item } of retrieved)
        for (const group of groupsOf(item)) row.set(group, (row.get(group) ?? 0) + 1 / retrieved.length);
      return [label, row];
    }),
  );
}

function checkTwoSided(queries: readonly TwoSidedQuery[]): void {
  if (queries.length === 0)
    throw new ParallaxError(
      'bad-argument',
      l10n.t('No question has perspectives on both sides, one for it and one against it.'),
    );
}
