/** The analyses of retrieval itself, for one pipeline on one data set, as data. Every view reads them. */
import {
  groupHeatMap,
  groupShares,
  groupsOfPassages,
  leaning,
  sideShares,
  sycophancy,
  twoSided,
  type GroupShares,
  type Leaning,
  type QueryForm,
  type SideShares,
} from '../../core/analysis/leaning.ts';
import { candidateDepth, coverageLoss, type CoverageLoss } from '../../core/analysis/lost.ts';
import {
  perspectiveRecall,
  rootRecall,
  type PerspectiveQuery,
  type PerspectiveRecall,
} from '../../core/analysis/p-recall.ts';
import { setSizes, type SetSizes } from '../../core/analysis/set-size.ts';
import { unanswerableReport, type UnanswerableReport } from '../../core/analysis/unanswerable.ts';
import { supports } from '../../core/metrics/judgements.ts';
import { evaluateRun, type RunEvaluation } from '../../core/metrics/evaluate.ts';
import type { Measure } from '../../core/metrics/measures.ts';
import type { Qrels, Query, Run } from '../../core/model.ts';
import { needsOf } from '../../core/pipeline-needs.ts';
import type { CollectedJudgements } from './collected-judgements.ts';
import type { PipelineRuns } from './pipeline-runs.ts';
import { groupedPerspectives } from './questions.ts';
import type { Likenesses } from './run-likeness.ts';

/** Shared by the analyses of all pipelines of a data set. */
export interface Analysed {
  readonly queries: readonly Query[];
  readonly judgements: CollectedJudgements;
  readonly k: number;
  /** `undefined` if no measure needs it. */
  readonly likenesses?: Likenesses | undefined;
}

/** The rankings of the questions by passage ids, at the depth of the search. */
export function questionRun(
  { questions }: Pick<PipelineRuns, 'questions'>,
  { judgements }: Pick<Analysed, 'judgements'>,
): Run {
  return judgements.named(questions);
}

/** Scores the pipeline's own candidates, or the deepest cutoff if that is larger. */
export function scoresOf(
  runs: PipelineRuns,
  measures: readonly Measure[],
  { judgements, likenesses }: Pick<Analysed, 'judgements' | 'likenesses'>,
): RunEvaluation {
  const depth = candidateDepth(runs.resolved, Math.max(0, ...measures.map(({ k }) => k ?? 0)));
  const run = firstOf(questionRun(runs, { judgements }), depth);
  const { qrels, kind, basis } = judgements;
  return evaluateRun(run, qrels, measures, { kind, basis, likeness: likenesses?.get(runs.name) });
}

function firstOf(run: Run, depth: number): Run {
  return new Map([...run].map(([id, ranked]) => [id, ranked.slice(0, depth)]));
}

/** What is retrieved for questions without an answer. `undefined` if there are none, or if passages are not judged. */
export function unanswerableOf(
  { questions, scores, unanswerable }: PipelineRuns,
  { judgements, k }: Analysed,
): UnanswerableReport | undefined {
  if (!unanswerable) return undefined;
  const answered = [...questions].map(([id, slots]) => {
    const top = (scores.get(id) ?? []).slice(0, k);
    const passages = slots.slice(0, k).map((slot) => judgements.passage(slot)?.id);
    const covered = [...(judgements.qrels.get(id)?.values() ?? [])].flatMap((judged) => {
      const supporting = top.filter((_, place) => supports(judged.get(passages[place] ?? '')));
      return supporting.length > 0 ? [Math.max(...supporting)] : [];
    });
    return { scores: top, covered };
  });
  const without = [...unanswerable.values()].map((own) => own.slice(0, k));
  return unanswerableReport(answered, without, k);
}

/** Where perspectives are lost (BERDS, sections 7 and 8), among judged passages. */
export function lossesOf(runs: PipelineRuns, { judgements, k }: Analysed): CoverageLoss {
  const { exact, resolved } = runs;
  return coverageLoss(questionRun(runs, { judgements }), judgements.qrelsWithinCorpus, {
    k,
    candidates: candidateDepth(resolved, k),
    exact: exact && judgements.named(exact),
    pathOf: (passage) => judgements.nameOf(passage),
    passages: judgements.passages,
    probes: judgements.probes,
    basis: judgements.basis,
  });
}

/** How many passages cover a query (BERDS, Table 17). */
export function setSizesOf(runs: PipelineRuns, { judgements }: Analysed): SetSizes {
  return setSizes(questionRun(runs, { judgements }), judgements.qrels);
}

/** Sides in the top k (BERDS, Figure 2). `undefined` if no query has two sides. */
export function leaningOf(
  runs: PipelineRuns,
  { queries, judgements, k }: Analysed,
): (SideShares & Leaning) | undefined {
  const sided = twoSided(queries);
  if (sided.length === 0) return undefined;
  const run = questionRun(runs, { judgements });
  const { qrels } = judgements;
  return { ...sideShares(sided, run, qrels, k), ...leaning(sided, run, qrels, k) };
}

export interface SycophancyFound {
  readonly forms: Readonly<Record<QueryForm, Leaning>>;
  readonly queries: number;
}

/** How sides follow the side that asks (BERDS, Figure 3). `undefined` if no query was asked from a side. */
export function sycophancyOf(
  runs: PipelineRuns,
  { queries, judgements, k }: Analysed,
): SycophancyFound | undefined {
  const { sides } = runs;
  if (!sides) return undefined;
  const sided = twoSided(queries);
  const byForm = {
    question: questionRun(runs, { judgements }),
    support: judgements.named(sides.support),
    oppose: judgements.named(sides.oppose),
  };
  return { forms: sycophancy(sided, byForm, judgements.qrels, k), queries: sided.length };
}

/** Groups in the top k of questions without any perspective (PIR, Tables 3 and 10). */
export function groupSharesOf(
  runs: PipelineRuns,
  { queries, judgements, k }: Analysed,
): GroupShares | undefined {
  const asked = perspectiveQueries(queries, judgements.qrels);
  const { perspectives, questions, resolved } = runs;
  // Steps that are given perspectives would search for those, not for the question.
  const root = perspectives?.root ?? (needsOf(resolved).givenPerspectives ? undefined : questions);
  return asked.length === 0 || !root ? undefined : groupShares(judgements.named(root), asked, k);
}

export interface GroupsFound {
  /** By the group asked for, by the group found (PIR, Figure 6). */
  readonly heatMap: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Over perspectives that a judged passage supports. `undefined` if there are none. */
  readonly recall?: PerspectiveRecall & { readonly root: number };
}

/** Which groups are found when asked for. `undefined` if no group was asked for. */
export function groupsOf(
  { perspectives }: PipelineRuns,
  { queries, judgements, k }: Analysed,
): GroupsFound | undefined {
  if (!perspectives) return undefined;
  const asked = perspectiveQueries(queries, judgements.qrels);
  const full = judgements.named(perspectives.full);
  const groups = groupsOfPassages(asked);
  const heatMap = groupHeatMap(full, asked, (passage) => groups.get(passage) ?? [], k);
  // A perspective without known support cannot be found, so it would show nothing about retrieval.
  const supported = asked.filter(({ gold }) => gold.size > 0);
  if (supported.length === 0) return { heatMap };
  const root = rootRecall(judgements.named(perspectives.root), supported, k);
  return { heatMap, recall: { ...perspectiveRecall(full, supported, k), root } };
}

/** Grouped perspectives as PIR's measures read them: their roots are query ids, their gold the supporting passages. */
function perspectiveQueries(queries: readonly Query[], qrels: Qrels): PerspectiveQuery[] {
  return groupedPerspectives(queries).map(({ id, query, perspective, group }) => {
    const judged = [...(qrels.get(query.id)?.get(perspective.id) ?? [])];
    const gold = new Set(judged.flatMap(([passage, relevance]) => (relevance > 0 ? [passage] : [])));
    return { id, root: query.id, label: group, gold };
  });
}
