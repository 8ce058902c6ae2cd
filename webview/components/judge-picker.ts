/** The choice of who judges. */
import type { TemplateResult } from 'lit/html.js';
import { dropdown } from './toolkit.ts';
import { words } from './words.ts';

export interface JudgeChoice {
  readonly name: string;
  readonly label: string;
}

export function judgePicker(
  { name, choices }: { readonly name: string; readonly choices: readonly JudgeChoice[] },
  onChange: (name: string) => void,
): TemplateResult {
  return dropdown({
    label: words.judge(),
    value: name,
    choices: choices.map((choice) => ({ value: choice.name, label: choice.label })),
    testId: 'judge-picker',
    onChange,
  });
}
