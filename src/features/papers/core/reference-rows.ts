/**
 * Figures from the papers, for comparison. All were measured on other data, with other labels and mostly other models,
 * so {@link REFERENCE_NOTE} always accompanies them.
 */
import type { ReferenceRow } from '../../validation/core/report.ts';

export const REFERENCE_NOTE = "The papers' figures, measured on other data: a yardstick, not a comparison.";

type Common = 'source' | 'data' | 'cases';

/** Copies each figure of the paper; none is derived. */
function tableOf(
  common: Pick<ReferenceRow, Common>,
  rows: readonly (Omit<ReferenceRow, Common> & Partial<ReferenceRow>)[],
): readonly ReferenceRow[] {
  return rows.map((row) => ({ ...common, ...row }));
}

/** κ of the second row: section 5, "Reference Annotation". */
export const BERDS_TABLE_4 = tableOf(
  {
    source: 'BERDS Table 4',
    data: '542 labelled pairs of BERDS, 16.8% positive',
    cases: 'non-escalated',
  },
  [
    { method: 'Reference human', cases: 'people', positiveShare: 0.168 },
    {
      method: 'Another human',
      data: '176 of the labelled pairs of BERDS',
      cases: 'people',
      positiveShare: 0.227,
      accuracy: 0.852,
      f1: 0.658,
      kappa: 0.56,
    },
    { method: 'Random', positiveShare: 0.168, accuracy: 0.721, f1: 0.169 },
    { method: 'NLI model (T5-11B)', positiveShare: 0.072, accuracy: 0.852, f1: 0.385 },
    { method: 'Llama-2-13b-chat (zero-shot)', positiveShare: 0.311, accuracy: 0.707, f1: 0.426 },
    { method: 'Llama-2-70b-chat (zero-shot)', positiveShare: 0.274, accuracy: 0.777, f1: 0.526 },
    { method: 'Zephyr (zero-shot)', positiveShare: 0.224, accuracy: 0.806, f1: 0.533 },
    { method: 'Gemma (zero-shot)', positiveShare: 0.584, accuracy: 0.489, f1: 0.372 },
    { method: 'Mistral-7B (zero-shot)', positiveShare: 0.192, accuracy: 0.822, f1: 0.52 },
    { method: 'GPT-4 (zero-shot)', positiveShare: 0.174, accuracy: 0.876, f1: 0.656 },
    { method: 'GPT-4 (one-shot)', positiveShare: 0.154, accuracy: 0.891, f1: 0.678 },
    { method: 'Mistral-7B (fine-tuned)', positiveShare: 0.158, accuracy: 0.876, f1: 0.622 },
  ],
);

function against(setting: string, accuracy: number, f1: number, positiveShare: number): ReferenceRow {
  return {
    source: 'BERDS Table 18',
    method: 'Mistral-7B (fine-tuned) against GPT-4',
    data: `300 pairs retrieved from ${setting}, labelled by GPT-4`,
    cases: 'against-model',
    positiveShare,
    accuracy,
    f1,
  };
}

/** A small judge compared with a stronger one; the positive share is the stronger one's. */
export const BERDS_TABLE_18: readonly ReferenceRow[] = [
  against('Wiki with BM25', 0.923, 0.681, 0.127),
  against('Wiki with DPR', 0.921, 0.704, 0.142),
  against('Wiki with Contriever', 0.911, 0.716, 0.163),
  against('Sphere with BM25', 0.94, 0.83, 0.133),
  against('Sphere with DPR', 0.97, 0.609, 0.127),
  against('Sphere with Contriever', 0.893, 0.758, 0.142),
  against('Google Search Output with BM25', 0.915, 0.767, 0.192),
  against('Google Search Output with Contriever', 0.89, 0.763, 0.243),
];

const DREAM_LABELS = "700 labelled pairs of DREAM's evaluation set";

export const DREAM_TABLE_1 = tableOf(
  { source: 'DREAM Table 1', data: DREAM_LABELS, cases: 'non-escalated' },
  [
    {
      method: 'Human-Only',
      cases: 'people',
      recall: { no: 0.899, yes: 0.978 },
      balancedAccuracy: 0.938,
      escalated: 1,
    },
    { method: 'LLMJudge', recall: { no: 0.502, yes: 0.975 }, balancedAccuracy: 0.739, escalated: 0 },
    {
      method: 'LARA (3.5% escalated)',
      recall: { no: 0.745, yes: 0.896 },
      balancedAccuracy: 0.821,
      escalated: 0.035,
    },
    {
      method: 'LARA (12.5% escalated)',
      recall: { no: 0.761, yes: 0.916 },
      balancedAccuracy: 0.839,
      escalated: 0.125,
    },
    {
      method: 'LARA (25.0% escalated)',
      recall: { no: 0.802, yes: 0.953 },
      balancedAccuracy: 0.878,
      escalated: 0.25,
    },
    {
      method: 'LARA (50.0% escalated)',
      recall: { no: 0.941, yes: 0.984 },
      balancedAccuracy: 0.963,
      escalated: 0.5,
    },
    { method: 'DREAM', recall: { no: 0.919, yes: 0.984 }, balancedAccuracy: 0.952, escalated: 0.035 },
  ],
);

/** The adjudicators are crowd workers, the labels are by experts. */
export const DREAM_TABLE_2 = tableOf({ source: 'DREAM Table 2', data: DREAM_LABELS, cases: 'all' }, [
  { method: 'DREAM (R = 1)', adjudicator: 'LLM', recall: { no: 0.829, yes: 0.972 }, balancedAccuracy: 0.9 },
  { method: 'DREAM (R = 2)', adjudicator: 'LLM', recall: { no: 0.9, yes: 0.967 }, balancedAccuracy: 0.933 },
  { method: 'DREAM (R = 3)', adjudicator: 'LLM', recall: { no: 0.908, yes: 0.957 }, balancedAccuracy: 0.932 },
  {
    method: 'DREAM (R = 2)',
    adjudicator: 'human',
    recall: { no: 0.918, yes: 0.984 },
    balancedAccuracy: 0.951,
  },
]);

export const DREAM_TABLE_3 = tableOf(
  {
    source: 'DREAM Table 3',
    data: "escalated cases of DREAM's evaluation set, three workers each",
    cases: 'people',
  },
  [
    {
      method: 'People without the debate history',
      fleissKappa: 0.5,
      recall: { no: 0.849, yes: 0.896 },
      balancedAccuracy: 0.873,
    },
    {
      method: 'People with the debate history',
      fleissKappa: 0.62,
      recall: { no: 0.893, yes: 0.946 },
      balancedAccuracy: 0.92,
    },
  ],
);

export const DREAM_TABLE_11 = tableOf(
  {
    source: 'DREAM Table 11',
    data: "147 pairs of DREAM's evaluation set",
    cases: 'non-escalated',
  },
  [
    {
      method: 'Human-Only',
      cases: 'people',
      dollars: 0.1,
      seconds: { sequential: 30, parallel: 30 },
      balancedAccuracy: 0.938,
      escalated: 1,
    },
    {
      method: 'LLMJudge',
      dollars: 0.000066,
      seconds: { sequential: 1.292, parallel: 1.292 },
      balancedAccuracy: 0.739,
      escalated: 0,
    },
    {
      method: 'DREAM',
      dollars: 0.00047,
      seconds: { sequential: 8.583, parallel: 4.291 },
      balancedAccuracy: 0.952,
      escalated: 0.035,
    },
  ],
);

/** The rows for labels by people, or for labels by another judge. */
export function referenceRows(labelledBy: 'people' | 'judge'): readonly ReferenceRow[] {
  return labelledBy === 'judge'
    ? BERDS_TABLE_18
    : [...BERDS_TABLE_4, ...DREAM_TABLE_1, ...DREAM_TABLE_2, ...DREAM_TABLE_3, ...DREAM_TABLE_11];
}
