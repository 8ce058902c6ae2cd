/** The choice of who judges. */
import type { TemplateResult } from 'lit/html.js';
import { remedyTitle } from '../../src/shared/remedies.ts';
import type { FailureActions } from './frame.ts';
import { dropdown } from './toolkit.ts';
import { words } from './words.ts';

export interface JudgeChoice {
  readonly name: string;
  readonly label: string;
}

/** The last entry sets up another one. */
export function judgePicker(
  { name, choices }: { readonly name: string; readonly choices: readonly JudgeChoice[] },
  actions: FailureActions,
  onChange: (name: string) => void,
): TemplateResult {
  return dropdown({
    label: words.judge(),
    value: name,
    choices: choices.map((choice) => ({ value: choice.name, label: choice.label })),
    testId: 'judge-picker',
    onChange,
    action: {
      label: remedyTitle('set-up-model'),
      onClick: () => actions.send({ type: 'remedy', remedy: 'set-up-model' }),
    },
  });
}
