/** The figures, and always with them: whose judgements they rest on, and how much was judged. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { MetricsView } from '../../src/shared/panels/inspector.ts';
import { basis } from '../components/basis.ts';
import { button } from '../components/toolkit.ts';
import { remedyTitle } from '../../src/shared/remedies.ts';
import { words } from '../components/words.ts';
import { isRunning, type Context } from './draft.ts';
import { matrix } from './matrix.ts';
import { howItErrs } from './judge-errors/judge-errors.ts';
import { strings } from './strings.ts';

/** The coverage section; nothing before the first answer, and without perspectives to cover. */
export function metrics(context: Context): TemplateResult | typeof nothing {
  const { results, perspectives } = context.state;
  if (!results || results.items.length === 0 || perspectives.length === 0) return nothing;
  return html`<section class="metrics-section" aria-labelledby="metrics-heading">
    <header>
      <h2 id="metrics-heading">${strings.metrics()}</h2>
    </header>
    ${strip(results.metrics, perspectives.length)} ${basisAndGaps(context, results.metrics)}
    ${matrix(context, results)} ${definitions(results.metrics)}
  </section>`;
}

interface Figure {
  readonly testId: string;
  readonly name: string;
  readonly value: string;
  readonly note: string;
  readonly definition: string;
}

function strip(view: MetricsView, perspectives: number): TemplateResult {
  return html`<dl class="metrics">
    ${figures(view, perspectives).map(
      ({ testId, name, value, note, definition }) =>
        html`<div data-testid=${testId} title=${definition}>
          <dt>${name}</dt>
          <dd>
            <span class="value">${value}</span><span class="sr-only"> — </span
            ><span class="muted">${note}</span>
          </dd>
        </div>`,
    )}
  </dl>`;
}

/** Without a single verdict the figures would be zeros that nobody has earned. */
function figures(view: MetricsView, perspectives: number): Figure[] {
  const { k, mrecall, precision, judgedPairs } = view;
  const known = judgedPairs > 0;
  return [
    {
      // Of one question a measure of all or nothing says less than what it is made of.
      testId: 'metric-covered',
      name: strings.covered(),
      value: known ? strings.coveredValue(view, perspectives) : words.none(),
      note: known && mrecall !== undefined ? strings.mrecallNote(k, mrecall) : strings.nothingJudged(),
      definition: strings.mrecallDefinition(k),
    },
    {
      testId: 'metric-precision',
      name: strings.precision(k),
      value: known && precision !== undefined ? strings.precisionValue(precision) : words.none(),
      note: known && precision !== undefined ? strings.precisionNote(precision, k) : strings.nothingJudged(),
      definition: strings.precisionDefinition(k),
    },
    {
      testId: 'metric-judged',
      name: strings.judged(),
      value: strings.judgedValue(view),
      note: strings.judgedNote(),
      definition: strings.judgedDefinition(),
    },
  ];
}

/** Whose judgements these are, what is missing, and the button that fills it in. */
function basisAndGaps(context: Context, view: MetricsView): TemplateResult {
  const { state, actions } = context;
  const unjudged = view.pairs - view.judgedPairs;
  return html`<div class="basis" data-testid="basis">
    ${basis(view.sources)} ${howItErrs(state.results?.validated)}
    ${
      view.judgedPairs > 0 && unjudged > 0
        ? html`<p class="muted" data-testid="may-rise">${strings.mayRise(unjudged)}</p>`
        : nothing
    }
    ${
      view.unsurePairs > 0
        ? html`<p class="muted" data-testid="unsure-pairs">${strings.unsurePairs(view.unsurePairs)}</p>`
        : nothing
    }
    ${unjudged > 0 && !state.judge.canJudge ? nobodyJudges(context, view) : nothing}
    ${
      unjudged > 0 && state.judge.canJudge
        ? button({
            label: strings.judgePairs(unjudged),
            icon: 'law',
            testId: 'judge-button',
            disabled: isRunning(state, 'judge'),
            onClick: () => actions.send({ type: 'judge' }),
          })
        : nothing
    }
  </div>`;
}

/** Without a judge people have the next step to do, and are told which. */
function nobodyJudges({ actions }: Context, { judgedPairs }: MetricsView): TemplateResult {
  return html`<p data-testid="nobody-judges">
      ${judgedPairs === 0 ? strings.nothingJudgedYet() : nothing} ${strings.labelOrModel()}
    </p>
    ${button({
      label: remedyTitle('set-up-model'),
      testId: 'configure-model',
      onClick: () => actions.send({ type: 'remedy', remedy: 'set-up-model' }),
    })}`;
}

function definitions({ k }: MetricsView): TemplateResult {
  return html`<details class="definitions">
    <summary>${words.definitions()}</summary>
    <dl>
      <dt>${strings.mrecall(k)}</dt>
      <dd>${strings.mrecallDefinition(k)}</dd>
      <dt>${strings.precision(k)}</dt>
      <dd>${strings.precisionDefinition(k)}</dd>
      <dt>${strings.judged()}</dt>
      <dd>${strings.judgedDefinition()}</dd>
    </dl>
  </details>`;
}
