/** The analyses of retrieval itself, for one pipeline on one data set. */
import {
  groupHeatMap,
  groupShares,
  groupsOfPassages,
  sideShares,
  sycophancy,
  twoSided,
} from '../../core/analysis/leaning.ts';
import { coverageLoss } from '../../core/analysis/lost.ts';
import { perspectiveRecall, rootRecall, type PerspectiveQuery } from '../../core/analysis/p-recall.ts';
import { setSizes } from '../../core/analysis/set-size.ts';
import type { Qrels, Query, Run } from '../../core/model.ts';
import type { PipelineResultView } from '../../shared/compare.ts';
import type { CompareJudgements } from './collected-judgements.ts';
import { groupedPerspectives } from './questions.ts';
import { depthFor, type PipelineRuns } from './pipeline-runs.ts';

export interface Analysed {
  readonly queries: readonly Query[];
  readonly judgements: CompareJudgements;
  readonly k: number;
}

/** Where perspectives are lost (BERDS, sections 7 and 8, as far as judged). */
export function lossView(
  run: Run,
  { exact }: PipelineRuns,
  { judgements, k }: Analysed,
): PipelineResultView['losses'] {
  const { perspectives: lost } = coverageLoss(run, judgements.qrels, {
    k,
    candidates: depthFor(k),
    exact: exact && judgements.named(exact),
  });
  return {
    covered: lost.covered,
    belowK: lost['below-k'],
    ...(exact ? { approximateMiss: lost['approximate-miss'] } : {}),
    notRetrieved: lost['not-retrieved'],
    unjudged: lost.unjudged,
    notInCorpus: lost['not-in-corpus'],
  };
}

/** How many passages cover a query (BERDS, Table 17). */
export function setSizeView(run: Run, { judgements: { qrels } }: Analysed): PipelineResultView['setSize'] {
  const { average, coveredShare } = setSizes(run, qrels);
  return { coveredShare, ...(average === undefined ? {} : { mean: average }) };
}

/** Sides in the top k, and how they follow the side that asks (BERDS, Figures 2 and 3). */
export function sideViews(
  run: Run,
  { sides }: PipelineRuns,
  { queries, judgements, k }: Analysed,
): Pick<PipelineResultView, 'leaning' | 'sycophancy'> {
  const sided = twoSided(queries);
  if (sided.length === 0) return {};
  const { qrels } = judgements;
  const leaning = sideShares(sided, run, qrels, k);
  if (!sides) return { leaning };
  const support = judgements.named(sides.support);
  const oppose = judgements.named(sides.oppose);
  const leanings = sycophancy(sided, { question: run, support, oppose }, qrels, k);
  // Δ is left out where it is undefined.
  const defined = Object.entries(leanings).filter(([, { delta }]) => delta !== undefined);
  return {
    leaning,
    sycophancy: {
      queries: sided.length,
      ...Object.fromEntries(defined.map(([form, { delta }]) => [form, delta])),
    },
  };
}

/** Groups of perspectives: which are found without being asked for, and which when asked for (PIR). */
export function groupViews(
  run: Run,
  { perspectives }: PipelineRuns,
  { queries, judgements, k }: Analysed,
): Pick<PipelineResultView, 'groups' | 'heatMap' | 'perspectiveRecall'> {
  const asked = perspectiveQueries(queries, judgements.qrels);
  const groups = [...groupShares(run, asked, k).shares].map(([group, share]) => ({ group, share }));
  if (!perspectives) return { groups };
  const full = judgements.named(perspectives.full);
  // A perspective that nothing is known to support cannot be found: it would say nothing about retrieval.
  const supported = asked.filter(({ gold }) => gold.size > 0);
  return {
    groups,
    heatMap: heatMapView(full, asked, k),
    ...(supported.length === 0
      ? {}
      : { perspectiveRecall: recallView(full, judgements.named(perspectives.root), supported, k) }),
  };
}

function heatMapView(
  full: Run,
  asked: readonly PerspectiveQuery[],
  k: number,
): NonNullable<PipelineResultView['heatMap']> {
  const groupsOf = groupsOfPassages(asked);
  const map = groupHeatMap(full, asked, (passage) => groupsOf.get(passage) ?? [], k);
  const groups = [...map.keys()];
  return {
    rows: groups,
    columns: groups,
    shares: groups.map((row) => groups.map((column) => map.get(row)?.get(column) ?? 0)),
  };
}

function recallView(
  full: Run,
  root: Run,
  supported: readonly PerspectiveQuery[],
  k: number,
): NonNullable<PipelineResultView['perspectiveRecall']> {
  const { pRecall, byLabel } = perspectiveRecall(full, supported, k);
  return {
    pRecall,
    byGroup: [...byLabel].map(([group, { recall, queries }]) => ({ group, recall, perspectives: queries })),
    rootRecall: rootRecall(root, supported, k),
  };
}

/** Grouped perspectives as PIR's measures want them: their roots are query ids, their gold what supports them. */
export function perspectiveQueries(queries: readonly Query[], qrels: Qrels): PerspectiveQuery[] {
  return groupedPerspectives(queries).map(({ id, query, perspective, group }) => {
    const judged = [...(qrels.get(query.id)?.get(perspective.id) ?? [])];
    const gold = new Set(judged.flatMap(([passage, relevance]) => (relevance > 0 ? [passage] : [])));
    return { id, root: query.id, label: group, gold };
  });
}
