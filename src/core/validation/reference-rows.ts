/**
 * Figures the papers measured, to set beside one's own. Every row was measured on other data, with other
 * labels and mostly other models; {@link REFERENCE_NOTE} goes wherever they are shown.
 */

export const REFERENCE_NOTE = "The papers' figures, measured on other data: a yardstick, not a comparison.";

/** Shares from 0 to 1, as printed: one figure of the paper is one figure here, none is derived. */
export interface ReferenceRow {
  /** Paper and table. */
  readonly source: string;
  readonly method: string;
  readonly data: string;
  /**
   * `non-escalated`: cases that the method decided itself. `all`: escalated ones too, decided by `adjudicator`.
   * `people`: people labelled, no judge. `against-model`: measured against a stronger model's answers.
   */
  readonly cases: 'non-escalated' | 'all' | 'people' | 'against-model';
  readonly adjudicator?: 'LLM' | 'human';
  readonly positiveShare?: number;
  readonly accuracy?: number;
  readonly f1?: number;
  readonly recall?: { readonly yes: number; readonly no: number };
  readonly balancedAccuracy?: number;
  /** Cohen's. */
  readonly kappa?: number;
  readonly fleissKappa?: number;
  readonly escalated?: number;
  /** US dollars per judgement: wages for people, API price for models. */
  readonly dollars?: number;
  /** Seconds per judgement, all requests one after the other, and the agents of a round at a time. */
  readonly seconds?: { readonly sequential: number; readonly parallel: number };
}

const BERDS_LABELS = '542 labelled pairs of BERDS, 16.8% positive';

function berds(method: string, positiveShare: number, accuracy: number, f1: number): ReferenceRow {
  return {
    source: 'BERDS Table 4',
    method,
    data: BERDS_LABELS,
    cases: 'non-escalated',
    positiveShare,
    accuracy,
    f1,
  };
}

/** κ of the second row: section 5, "Reference Annotation". */
export const BERDS_TABLE_4: readonly ReferenceRow[] = [
  {
    source: 'BERDS Table 4',
    method: 'Reference human',
    data: BERDS_LABELS,
    cases: 'people',
    positiveShare: 0.168,
  },
  {
    source: 'BERDS Table 4',
    method: 'Another human',
    data: '176 of the labelled pairs of BERDS',
    cases: 'people',
    positiveShare: 0.227,
    accuracy: 0.852,
    f1: 0.658,
    kappa: 0.56,
  },
  berds('Random', 0.168, 0.721, 0.169),
  berds('NLI model (T5-11B)', 0.072, 0.852, 0.385),
  berds('Llama-2-13b-chat (zero-shot)', 0.311, 0.707, 0.426),
  berds('Llama-2-70b-chat (zero-shot)', 0.274, 0.777, 0.526),
  berds('Zephyr (zero-shot)', 0.224, 0.806, 0.533),
  berds('Gemma (zero-shot)', 0.584, 0.489, 0.372),
  berds('Mistral-7B (zero-shot)', 0.192, 0.822, 0.52),
  berds('GPT-4 (zero-shot)', 0.174, 0.876, 0.656),
  berds('GPT-4 (one-shot)', 0.154, 0.891, 0.678),
  berds('Mistral-7B (fine-tuned)', 0.158, 0.876, 0.622),
];

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

/** A small judge against a stronger one; the positive share is that of the stronger. */
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

function dream(
  method: string,
  recall: { readonly no: number; readonly yes: number },
  balancedAccuracy: number,
  escalated: number,
): ReferenceRow {
  return {
    source: 'DREAM Table 1',
    method,
    data: DREAM_LABELS,
    cases: method === 'Human-Only' ? 'people' : 'non-escalated',
    recall,
    balancedAccuracy,
    escalated,
  };
}

export const DREAM_TABLE_1: readonly ReferenceRow[] = [
  dream('Human-Only', { no: 0.899, yes: 0.978 }, 0.938, 1),
  dream('LLMJudge', { no: 0.502, yes: 0.975 }, 0.739, 0),
  dream('LARA (3.5% escalated)', { no: 0.745, yes: 0.896 }, 0.821, 0.035),
  dream('LARA (12.5% escalated)', { no: 0.761, yes: 0.916 }, 0.839, 0.125),
  dream('LARA (25.0% escalated)', { no: 0.802, yes: 0.953 }, 0.878, 0.25),
  dream('LARA (50.0% escalated)', { no: 0.941, yes: 0.984 }, 0.963, 0.5),
  dream('DREAM', { no: 0.919, yes: 0.984 }, 0.952, 0.035),
];

function adjudicated(
  method: string,
  adjudicator: 'LLM' | 'human',
  recall: { readonly no: number; readonly yes: number },
  balancedAccuracy: number,
): ReferenceRow {
  return {
    source: 'DREAM Table 2',
    method,
    data: DREAM_LABELS,
    cases: 'all',
    adjudicator,
    recall,
    balancedAccuracy,
  };
}

/** The people who adjudicate are crowd workers, the labels those of experts. */
export const DREAM_TABLE_2: readonly ReferenceRow[] = [
  adjudicated('DREAM (R = 1)', 'LLM', { no: 0.829, yes: 0.972 }, 0.9),
  adjudicated('DREAM (R = 2)', 'LLM', { no: 0.9, yes: 0.967 }, 0.933),
  adjudicated('DREAM (R = 3)', 'LLM', { no: 0.908, yes: 0.957 }, 0.932),
  adjudicated('DREAM (R = 2)', 'human', { no: 0.918, yes: 0.984 }, 0.951),
];

function withHistory(
  method: string,
  fleissKappa: number,
  recall: { readonly no: number; readonly yes: number },
  balancedAccuracy: number,
): ReferenceRow {
  return {
    source: 'DREAM Table 3',
    method,
    data: "escalated cases of DREAM's evaluation set, three workers each",
    cases: 'people',
    fleissKappa,
    recall,
    balancedAccuracy,
  };
}

export const DREAM_TABLE_3: readonly ReferenceRow[] = [
  withHistory('People without the debate history', 0.5, { no: 0.849, yes: 0.896 }, 0.873),
  withHistory('People with the debate history', 0.62, { no: 0.893, yes: 0.946 }, 0.92),
];

function priced(
  method: string,
  dollars: number,
  seconds: { readonly sequential: number; readonly parallel: number },
  balancedAccuracy: number,
  escalated: number,
): ReferenceRow {
  return {
    source: 'DREAM Table 11',
    method,
    data: "147 pairs of DREAM's evaluation set",
    cases: method === 'Human-Only' ? 'people' : 'non-escalated',
    dollars,
    seconds,
    balancedAccuracy,
    escalated,
  };
}

export const DREAM_TABLE_11: readonly ReferenceRow[] = [
  priced('Human-Only', 0.1, { sequential: 30, parallel: 30 }, 0.938, 1),
  priced('LLMJudge', 0.000066, { sequential: 1.292, parallel: 1.292 }, 0.739, 0),
  priced('DREAM', 0.00047, { sequential: 8.583, parallel: 4.291 }, 0.952, 0.035),
];

/** The rows to show where people gave the labels, or where another judge did. */
export function referenceRows(labelledBy: 'people' | 'judge'): readonly ReferenceRow[] {
  return labelledBy === 'judge'
    ? BERDS_TABLE_18
    : [...BERDS_TABLE_4, ...DREAM_TABLE_1, ...DREAM_TABLE_2, ...DREAM_TABLE_3, ...DREAM_TABLE_11];
}
