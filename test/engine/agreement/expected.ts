/** The figures that every surface should show, computed from the side panel's results and people's labels. */
import type { Place } from '../../../src/core/coverage-states.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import { evaluateRun } from '../../../src/core/metrics/evaluate.ts';
import type { Basis } from '../../../src/core/metrics/judgements.ts';
import { measuresAt } from '../../../src/core/metrics/measures.ts';
import type { Ranked } from '../../../src/core/model.ts';
import { withExactSearch } from '../../../src/core/pipeline-needs.ts';
import type { Pipeline } from '../../../src/core/pipeline.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import type { EvalQueries } from '../compare/compare-support.ts';
import { context } from '../compare/compare-support.ts';
import type { HouseDataset } from './house.ts';
import type { Open } from './surfaces.ts';

type Query = EvalQueries[number];

export interface Expected {
  readonly figures: Readonly<Record<string, number>>;
  /** By query, so that figures of parts of the data set can be computed. */
  readonly perQuery: ReadonlyMap<string, Readonly<Record<string, number>>>;
  readonly losses: Readonly<Record<Place, number>>;
  readonly open: Open;
  readonly failed: readonly string[];
}

/** @param pipeline without settings that are computed from the queries @param queries those that count */
export async function expectedOf(
  dataset: HouseDataset,
  engine: Engine,
  pipeline: Pipeline,
  queries: readonly Query[],
  { k, basis }: { readonly k: number; readonly basis: Basis },
): Promise<Expected> {
  const run = new Map<string, readonly Ranked[]>();
  const failed: string[] = [];
  const losses = new Map<Place, number>();
  const open = { perspectives: 0, unknown: [] as string[], mRecall: [] as string[] };
  for (const query of queries) {
    const ranking = await searched(dataset, engine, pipeline, query, k);
    const exact =
      ranking?.search === 'exact'
        ? undefined
        : await searched(dataset, engine, withExactSearch(pipeline), query, k);
    if (ranking)
      run.set(
        query.id,
        ranking.ids.map((item, place) => ({ item, score: -place })),
      );
    else failed.push(query.id);
    for (const { id } of query.perspectives) {
      const place = lossOf(dataset, `${query.id} ${id}`, ranking?.ids ?? [], exact?.ids, k);
      losses.set(place, (losses.get(place) ?? 0) + 1);
    }
    if (basis === 'open') addOpen(open, dataset, query, ranking?.ids.slice(0, k) ?? [], k);
  }
  const { mean, perTopic } = evaluateRun(run, qrelsOf(dataset, queries), measuresAt([k]), {
    kind: 'diversity',
    basis,
  });
  const count = (place: Place): number => losses.get(place) ?? 0;
  return {
    figures: mean,
    perQuery: perTopic,
    losses: {
      covered: count('covered'),
      'below-k': count('below-k'),
      'approximate-miss': count('approximate-miss'),
      'not-retrieved': count('not-retrieved'),
      unjudged: count('unjudged'),
      'not-found': count('not-found'),
    },
    open,
    failed,
  };
}

/** A perspective is open if no passage of the top k has a "yes" for it and at least one has no verdict. */
function addOpen(
  found: { perspectives: number; unknown: string[]; mRecall: string[] },
  { verdicts }: HouseDataset,
  { id, perspectives }: Query,
  top: readonly string[],
  k: number,
): void {
  const said = perspectives.map((each) => top.map((passage) => verdicts.get(`${id} ${each.id} ${passage}`)));
  const covered = said.filter((own) => own.includes('yes')).length;
  const open = said.filter((own) => !own.includes('yes') && own.includes(undefined)).length;
  found.perspectives += open;
  if (open === perspectives.length) found.unknown.push(id);
  const needed = Math.min(k, perspectives.length);
  if (covered < needed && covered + open >= needed) found.mRecall.push(id);
}

interface Ranking {
  readonly ids: readonly string[];
  readonly search: string;
}

/** As the side panel asks: all candidates, or the top k if that is more. `undefined` if the query fails. */
async function searched(
  { name }: HouseDataset,
  engine: Engine,
  pipeline: Pipeline,
  { id, text, perspectives }: Query,
  k: number,
): Promise<Ranking | undefined> {
  try {
    const asked = { corpus: name, query: { id, text }, perspectives, pipeline: { ...pipeline, k } };
    const { candidates, search } = await engine.search(asked, context);
    return { ids: candidates.map((candidate) => candidate.id), search };
  } catch (error) {
    if (ParallaxError.is(error, 'bad-argument')) return undefined;
    throw error;
  }
}

/** Where a perspective is lost, as DESIGN defines it. */
function lossOf(
  { verdicts }: HouseDataset,
  about: string,
  ranking: readonly string[],
  exact: readonly string[] | undefined,
  k: number,
): Place {
  const supports = (passage: string): boolean => verdicts.get(`${about} ${passage}`) === 'yes';
  const rank = ranking.findIndex(supports) + 1;
  if (rank > 0 && rank <= k) return 'covered';
  const exactRank = (exact?.findIndex(supports) ?? -1) + 1;
  if (exactRank > 0 && !(rank > 0 && exactRank > k)) return 'approximate-miss';
  if (rank > 0) return 'below-k';
  const isKnown = [...verdicts].some(([key, verdict]) => verdict === 'yes' && key.startsWith(`${about} `));
  if (isKnown) return 'not-retrieved';
  const isJudged = [...verdicts.keys()].some((key) => key.startsWith(`${about} `));
  return isJudged ? 'not-found' : 'unjudged';
}

function qrelsOf(
  { verdicts }: HouseDataset,
  queries: readonly Query[],
): Map<string, Map<string, Map<string, number>>> {
  const qrels = new Map(
    queries.map(({ id, perspectives }) => [
      id,
      new Map(perspectives.map((perspective) => [perspective.id, new Map<string, number>()])),
    ]),
  );
  for (const [key, verdict] of verdicts) {
    const [query, perspective, passage] = key.split(' ') as [string, string, string];
    qrels
      .get(query)
      ?.get(perspective)
      ?.set(passage, verdict === 'yes' ? 1 : 0);
  }
  return qrels;
}
