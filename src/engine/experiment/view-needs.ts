/** Lists the passages that views rest on beside the top of the questions, so that they can be judged. */
import { twoSided } from '../../core/analysis/leaning.ts';
import { SET_SIZE_DEPTH } from '../../core/analysis/set-size.ts';
import type { Query } from '../../core/model.ts';
import type { View } from '../../shared/experiment.ts';
import type { Slot } from '../types.ts';
import type { PipelineRuns, SlotRun } from './pipeline-runs.ts';
import { groupedPerspectives } from './questions.ts';

export interface ViewNeeds {
  /** All of these passages are judged with every perspective. */
  readonly whole: readonly (readonly Slot[])[];
  /** Rankings to read up to the first passage that supports each perspective, or to their end if there is none. */
  readonly firsts: readonly (readonly Slot[])[];
}

/** @param k the top of a ranking that the views look at */
export function viewNeeds(
  query: Query,
  runs: readonly PipelineRuns[],
  views: readonly View[],
  k: number,
): ViewNeeds {
  const whole = (['sycophancy', 'groups'] as const)
    .filter((view) => views.includes(view))
    .flatMap((view) => runs.flatMap((own) => (view === 'groups' ? groupTops : sideTops)(query, own, k)));
  const isDeep = views.includes('set-size') || (views.includes('union') && runs.length > 1);
  const firsts = isDeep
    ? runs.map(({ questions }) => questions.get(query.id)?.slice(0, SET_SIZE_DEPTH) ?? [])
    : [];
  return { whole, firsts };
}

/**
 * Whether a judged figure of any of these views rests on the query. A query without sides or groups is not
 * read by all views.
 */
export function isReadByViews(query: Query, pipelines: number, views: readonly View[]): boolean {
  return views.some((view) => {
    switch (view) {
      case 'lost':
      case 'set-size':
        return true;
      case 'union':
        return pipelines > 1;
      case 'leaning':
      case 'sycophancy':
        return twoSided([query]).length > 0;
      case 'groups':
        return groupedPerspectives([query]).length > 0;
      case 'fields':
      case 'unreached':
        return false;
    }
  });
}

function sideTops(query: Query, { sides }: PipelineRuns, k: number): (readonly Slot[])[] {
  return [topOf(sides?.support, query.id, k), topOf(sides?.oppose, query.id, k)];
}

function groupTops(query: Query, { perspectives }: PipelineRuns, k: number): (readonly Slot[])[] {
  return [
    topOf(perspectives?.root, query.id, k),
    ...groupedPerspectives([query]).map(({ id }) => topOf(perspectives?.full, id, k)),
  ];
}

function topOf(run: SlotRun | undefined, id: string, k: number): readonly Slot[] {
  return run?.get(id)?.slice(0, k) ?? [];
}
