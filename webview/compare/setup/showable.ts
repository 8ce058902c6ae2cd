/** What the chosen data sets can show, before anything is run. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { showableOf } from '../../../src/features/eval-set-check/core/showable.ts';
import { showableLine } from '../../../src/features/eval-set-check/core/wording.ts';
import type { CompareState } from '../../../src/features/compare/contract/panel.ts';
import { setupWords } from './strings.ts';

type Setup = Pick<CompareState, 'evalSets' | 'chosenSets' | 'chosen' | 'k'>;

/** A line about the smallest of the chosen sets, because each set is compared separately. */
export function showable(state: Setup): TemplateResult | typeof nothing {
  const line = showableText(state);
  if (line === undefined) return nothing;
  return html`<p class="muted showable" data-testid="showable" title=${setupWords.showableHelp()}>
    ${line}
  </p>`;
}

/** Cached by the number of questions, because progress updates arrive many times a second. */
const lines = new Map<string, string | undefined>();

export function showableText({ evalSets, chosenSets, chosen, k }: Setup): string | undefined {
  const sizes = new Map(evalSets.map(({ path, compared }) => [path, compared]));
  const [smallest] = chosenSets
    .map(({ evalSet }) => ({ evalSet, questions: sizes.get(evalSet) ?? 0 }))
    .filter(({ questions }) => questions > 0)
    .sort((a, b) => a.questions - b.questions);
  if (!smallest || chosen.length < 2) return undefined;
  const { questions, evalSet } = smallest;
  const tests = chosen.length - 1;
  const key = `${questions} ${tests} ${k}`;
  if (!lines.has(key)) {
    const shown = showableOf({ family: 'MRecall', k }, questions, tests);
    lines.set(key, shown && showableLine(questions, shown));
  }
  const line = lines.get(key);
  return line === undefined || chosenSets.length === 1 ? line : `${evalSet}: ${line}`;
}
