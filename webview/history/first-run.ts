/** First steps, before there is a run to show. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { remedyTitle } from '../../src/shared/remedies.ts';
import { starting, welcome } from '../components/frame.ts';
import { button } from '../components/toolkit.ts';
import type { Context } from './draft.ts';
import { strings } from './strings.ts';

export function firstRun({ state, actions }: Context): TemplateResult | typeof nothing {
  // The alert says what to do: advice on what to write would take the file for an empty one.
  if (state.configProblem !== undefined) return nothing;
  // The engine has not answered: it may be starting.
  if (state.revision === 0 && state.error === undefined) return starting('history');
  if (state.demands.evalSets.length === 0)
    return welcome('beaker', strings.noEvalSetTitle(), 'no-eval-set', [
      html`<p>${strings.noRunYet()}</p>
        <p>${strings.noEvalSet()}</p>`,
      button({
        label: remedyTitle('open-config'),
        icon: 'go-to-file',
        primary: true,
        testId: 'open-config',
        onClick: () => actions.send({ type: 'remedy', remedy: 'open-config' }),
      }),
      button({
        label: remedyTitle('build-eval-set'),
        icon: 'beaker',
        testId: 'build-eval-set',
        onClick: () => actions.send({ type: 'remedy', remedy: 'build-eval-set' }),
      }),
    ]);
  return welcome('history', strings.noRunTitle(), 'no-run', [
    html`<p>${strings.noRunYet()}</p>
      <p>${strings.firstRun(state.demands)}</p>`,
    button({
      label: strings.evaluate(),
      icon: 'play',
      primary: true,
      testId: 'evaluate',
      disabled: state.task !== undefined,
      onClick: () => actions.send({ type: 'evaluate' }),
    }),
  ]);
}
