/** Decides whether enough of what a view reads is judged for a figure. */
import { MIN_JUDGED } from '../../core/metrics/judgements.ts';
import {
  judgedInTop,
  judgedShare,
  judgedToFirst,
  sumOfJudged,
  type JudgedPairs,
  type ReadOfQuery,
} from '../../core/analysis/judged-share.ts';
import { twoSided } from '../../core/analysis/leaning.ts';
import { SET_SIZE_DEPTH } from '../../core/analysis/set-size.ts';
import type { Query } from '../../core/model.ts';
import type { JudgedForms } from '../../shared/experiment.ts';
import { questionRun, type Analysed } from './analyses.ts';
import type { PipelineRuns } from './pipeline-runs.ts';
import { groupedPerspectives } from './questions.ts';

export type JudgedView = 'leaning' | 'sycophancy' | 'groups' | 'set-size';

/** By kind of search, the share of the pairs behind the view that is judged. */
export function judgedForms(view: JudgedView, runs: PipelineRuns, analysed: Analysed): JudgedForms {
  return Object.fromEntries(
    Object.entries(FORMS[view](runs, analysed)).map(([form, pairs]) => [form, judgedShare(pairs)]),
  );
}

/** The judged share of the rankings of all pipelines together. */
export function judgedOfUnion(runs: readonly PipelineRuns[], analysed: Analysed): number {
  return judgedShare(sumOfJudged(runs.map((own) => toFirst(own, analysed))));
}

/**
 * Whether too little is judged for a figure. Qrels alone are complete by definition: passages that they do not name
 * do not support.
 */
export function isRefused(shares: JudgedForms, { judgements }: Pick<Analysed, 'judgements'>): boolean {
  return judgements.isOpen && Object.values(shares).some((share) => share < MIN_JUDGED);
}

type Forms = Readonly<Record<string, JudgedPairs>>;

const FORMS: Readonly<Record<JudgedView, (runs: PipelineRuns, analysed: Analysed) => Forms>> = {
  leaning: (runs, analysed) => ({
    question: judgedInTop(
      questionRun(runs, analysed),
      sidedReads(analysed.queries),
      analysed.judgements.qrels,
      analysed.k,
    ),
  }),
  sycophancy: ({ sides, ...runs }, analysed) => {
    const { judgements, queries, k } = analysed;
    const read = sidedReads(queries);
    const question = judgedInTop(questionRun(runs, analysed), read, judgements.qrels, k);
    if (!sides) return { question };
    const from = (side: 'support' | 'oppose'): JudgedPairs =>
      judgedInTop(judgements.named(sides[side]), read, judgements.qrels, k);
    return { question, support: from('support'), oppose: from('oppose') };
  },
  groups: ({ perspectives, questions }, { judgements, queries, k }) => {
    const { qrels } = judgements;
    const rooted = queries.map((query) => ({ query: query.id, perspectives: groupedIds(query) }));
    const question = judgedInTop(judgements.named(perspectives?.root ?? questions), rooted, qrels, k);
    if (!perspectives) return { question };
    const asked = groupedPerspectives(queries).map(({ id, query }) => ({
      id,
      query: query.id,
      perspectives: groupedIds(query),
    }));
    return { question, perspective: judgedInTop(judgements.named(perspectives.full), asked, qrels, k) };
  },
  'set-size': (runs, analysed) => ({ question: toFirst(runs, analysed) }),
};

function toFirst(runs: PipelineRuns, analysed: Analysed): JudgedPairs {
  return judgedToFirst(questionRun(runs, analysed), analysed.judgements.qrels, SET_SIZE_DEPTH);
}

function groupedIds(query: Query): string[] {
  return groupedPerspectives([query]).map(({ perspective }) => perspective.id);
}

function sidedReads(queries: readonly Query[]): ReadOfQuery[] {
  return twoSided(queries).map(({ id, support, oppose }) => ({
    query: id,
    perspectives: [...support, ...oppose],
  }));
}
