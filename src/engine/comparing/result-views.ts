/** Analyses of one pipeline as a comparison shows them. */
import type { CoverageLoss } from '../../core/analysis/lost.ts';
import type { PipelineResultView } from '../../shared/panels/compare.ts';
import {
  groupSharesOf,
  groupsOf,
  leaningOf,
  setSizesOf,
  sycophancyOf,
  type Analysed,
  type GroupsFound,
} from '../experiment/analyses.ts';
import type { PipelineRuns } from '../experiment/pipeline-runs.ts';

export function lossView(
  { perspectives: lost }: CoverageLoss,
  { exact }: PipelineRuns,
): PipelineResultView['losses'] {
  return {
    covered: lost.covered,
    belowK: lost['below-k'],
    ...(exact ? { approximateMiss: lost['approximate-miss'] } : {}),
    notRetrieved: lost['not-retrieved'],
    unjudged: lost.unjudged,
    notInCorpus: lost['not-in-corpus'],
  };
}

export function setSizeView(runs: PipelineRuns, analysed: Analysed): PipelineResultView['setSize'] {
  const { average, coveredShare } = setSizesOf(runs, analysed);
  return { coveredShare, ...(average === undefined ? {} : { mean: average }) };
}

export function sideViews(
  runs: PipelineRuns,
  analysed: Analysed,
): Pick<PipelineResultView, 'leaning' | 'sycophancy'> {
  const found = leaningOf(runs, analysed);
  if (!found) return {};
  const { queries, onlySupport, onlyOppose, both, neither } = found;
  const leaning = { queries, onlySupport, onlyOppose, both, neither };
  const sycophancy = sycophancyOf(runs, analysed);
  if (!sycophancy) return { leaning };
  // Δ is left out where it is undefined.
  const defined = Object.entries(sycophancy.forms).filter(([, { delta }]) => delta !== undefined);
  return {
    leaning,
    sycophancy: {
      queries: sycophancy.queries,
      ...Object.fromEntries(defined.map(([form, { delta }]) => [form, delta])),
    },
  };
}

export function groupViews(
  runs: PipelineRuns,
  analysed: Analysed,
): Pick<PipelineResultView, 'groups' | 'heatMap' | 'perspectiveRecall'> {
  const shares = groupSharesOf(runs, analysed)?.shares ?? new Map<string, number>();
  const groups = [...shares].map(([group, share]) => ({ group, share }));
  const found = groupsOf(runs, analysed);
  if (!found) return { groups };
  return { groups, heatMap: heatMapView(found), ...recallView(found) };
}

function heatMapView({ heatMap }: GroupsFound): NonNullable<PipelineResultView['heatMap']> {
  const names = [...heatMap.keys()];
  return {
    rows: names,
    columns: names,
    shares: names.map((row) => names.map((column) => heatMap.get(row)?.get(column) ?? 0)),
  };
}

function recallView({ recall }: GroupsFound): Pick<PipelineResultView, 'perspectiveRecall'> {
  if (!recall) return {};
  const byGroup = [...recall.byLabel].map(([group, own]) => ({
    group,
    recall: own.recall,
    perspectives: own.queries,
  }));
  return { perspectiveRecall: { pRecall: recall.pRecall, byGroup, rootRecall: recall.root } };
}
