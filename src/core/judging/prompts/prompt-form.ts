/** The forms in which a single model is asked. */

export interface PromptForm {
  /** One pair per request, or one passage with all its perspectives. */
  readonly mode: 'pair' | 'passage';
  /**
   * Whether to ask for evidence and a reason. Otherwise the answer is a bare verdict, as in the papers' figures for
   * single models (BERDS Table 14, DREAM Table 17).
   */
  readonly explain: boolean;
  /** Whether an example with its answer precedes the question (BERDS Table 4, one-shot). */
  readonly shots: 0 | 1;
}

export const DEFAULT_FORM: PromptForm = { mode: 'passage', explain: true, shots: 0 };

/** Increment with any change to the wording of the prompt in question. */
const VERSIONS: Readonly<Record<PromptForm['mode'], number>> = { pair: 1, passage: 2 };

/** Part of every judgement and of the cache key, e.g. `pair-1` or `passage-verdict-shot-2`. */
export function promptVersion({ mode, explain, shots }: PromptForm): string {
  return [mode, ...(explain ? [] : ['verdict']), ...(shots === 0 ? [] : ['shot']), VERSIONS[mode]].join('-');
}
