/** Analyses of one pipeline for a comparison. */
import type { PipelineEvaluation } from '../../../evaluation/evaluation.ts';
import {
  groupSharesOf,
  groupsOf,
  leaningOf,
  setSizesOf,
  sycophancyOf,
  type Analysed,
  type GroupsFound,
} from '../../../engine/experiment/analyses.ts';
import { isRefused, judgedForms, type JudgedView } from '../../../engine/experiment/judged-views.ts';
import type { PipelineRuns } from '../../../engine/experiment/pipeline-runs.ts';

type AnalysisViews = Pick<
  PipelineEvaluation,
  'setSize' | 'leaning' | 'sycophancy' | 'groups' | 'heatMap' | 'perspectiveRecall' | 'tooLittleJudged'
>;

/** Leaves out analyses with too few judgements, and names them. */
export function analysisViews(runs: PipelineRuns, analysed: Analysed): AnalysisViews {
  const shown: Partial<AnalysisViews>[] = [];
  const tooLittleJudged: AnalysisViews['tooLittleJudged'][number][] = [];
  for (const [view, describe] of ANALYSES) {
    const views = describe(runs, analysed);
    if (Object.keys(views).length === 0) continue;
    const judged = judgedForms(view, runs, analysed);
    if (isRefused(judged, analysed))
      tooLittleJudged.push({ view, judged: Math.min(...Object.values(judged)) });
    else shown.push(views);
  }
  return {
    groups: [],
    ...Object.assign({}, ...shown),
    tooLittleJudged,
  };
}

type Describe = (runs: PipelineRuns, analysed: Analysed) => Partial<AnalysisViews>;

const ANALYSES: readonly (readonly [JudgedView, Describe])[] = [
  ['set-size', setSizeView],
  ['leaning', leaningView],
  ['sycophancy', sycophancyView],
  ['groups', groupViews],
];

function setSizeView(runs: PipelineRuns, analysed: Analysed): Pick<AnalysisViews, 'setSize'> {
  const { average, coveredShare } = setSizesOf(runs, analysed);
  return { setSize: { coveredShare, ...(average === undefined ? {} : { mean: average }) } };
}

function leaningView(runs: PipelineRuns, analysed: Analysed): Pick<AnalysisViews, 'leaning'> {
  const leaning = leaningOf(runs, analysed);
  if (!leaning) return {};
  const { queries, onlySupport, onlyOppose, both, neither } = leaning;
  return { leaning: { queries, onlySupport, onlyOppose, both, neither } };
}

function sycophancyView(runs: PipelineRuns, analysed: Analysed): Pick<AnalysisViews, 'sycophancy'> {
  const sycophancy = sycophancyOf(runs, analysed);
  if (!sycophancy) return {};
  // Leaves out an undefined Δ.
  const defined = Object.entries(sycophancy.forms).filter(([, { delta }]) => delta !== undefined);
  return {
    sycophancy: {
      queries: sycophancy.queries,
      ...Object.fromEntries(defined.map(([form, { delta }]) => [form, delta])),
    },
  };
}

function groupViews(runs: PipelineRuns, analysed: Analysed): Partial<AnalysisViews> {
  const shares = groupSharesOf(runs, analysed)?.shares ?? new Map<string, number>();
  const groups = [...shares].map(([group, share]) => ({ group, share }));
  const findings = groupsOf(runs, analysed);
  if (!findings) return groups.length === 0 ? {} : { groups };
  return { groups, heatMap: heatMapView(findings), ...recallView(findings) };
}

function heatMapView({ heatMap }: GroupsFound): NonNullable<PipelineEvaluation['heatMap']> {
  const names = [...heatMap.keys()];
  return {
    rows: names,
    columns: names,
    shares: names.map((row) => names.map((column) => heatMap.get(row)?.get(column) ?? 0)),
  };
}

function recallView({ recall }: GroupsFound): Pick<PipelineEvaluation, 'perspectiveRecall'> {
  if (!recall) return {};
  const byGroup = [...recall.byLabel].map(([group, result]) => ({
    group,
    recall: result.recall,
    perspectives: result.queries,
  }));
  return { perspectiveRecall: { pRecall: recall.pRecall, byGroup, rootRecall: recall.root } };
}
