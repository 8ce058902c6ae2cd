/** The forms in which a single model is asked. */

export interface PromptForm {
  /** One pair per request, or one passage with all its perspectives. */
  readonly mode: 'pair' | 'passage';
  /**
   * Whether evidence and a reason are asked for. Without, the answer is a bare verdict: what the papers'
   * figures for single models were measured with (BERDS Table 14, DREAM Table 17).
   */
  readonly explain: boolean;
  /** Whether an example with its answer goes before the question (BERDS Table 4, one-shot). */
  readonly shots: 0 | 1;
}

export const DEFAULT_FORM: PromptForm = { mode: 'passage', explain: true, shots: 0 };

/** Raise with any change to the words of the prompt in question. */
const VERSIONS: Readonly<Record<PromptForm['mode'], number>> = { pair: 1, passage: 2 };

/** Part of every judgement and of the cache's key, e.g. `pair-1` or `passage-verdict-shot-2`. */
export function promptVersion({ mode, explain, shots }: PromptForm): string {
  return [mode, ...(explain ? [] : ['verdict']), ...(shots === 0 ? [] : ['shot']), VERSIONS[mode]].join('-');
}
