/** The figures, always with their judges and the judged share. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { MetricsView } from '../../src/features/inspector/contract/panel.ts';
import { basis } from '../components/basis.ts';
import { words } from '../components/words.ts';
import type { Context } from './draft.ts';
import { matrix } from './matrix.ts';
import { howItErrs } from './judge-errors/judge-errors.ts';
import { strings } from './strings.ts';

/** The figures behind the sentence on coverage. Empty without perspectives. */
export function metrics(context: Context): TemplateResult | typeof nothing {
  const { results, perspectives } = context.state;
  if (!results || results.items.length === 0 || perspectives.length === 0) return nothing;
  return html`<section class="metrics-section" aria-labelledby="metrics-heading">
    <header>
      <h2 id="metrics-heading">${strings.metrics()}</h2>
    </header>
    <p class="muted">${strings.perspectiveSource(context.state.perspectiveSource)}</p>
    ${strip(results.metrics)} ${basisAndGaps(context, results.metrics)} ${matrix(context, results)}
    ${definitions(results.metrics)}
  </section>`;
}

interface Figure {
  readonly testId: string;
  readonly name: string;
  readonly value: string;
  readonly note: string;
  readonly definition: string;
}

function strip(view: MetricsView): TemplateResult {
  return html`<dl class="metrics">
    ${figures(view).map(
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

/** Without verdicts the figures would be meaningless zeros. */
function figures(view: MetricsView): Figure[] {
  const { k, mrecall, precision, judgedPairs } = view;
  const known = judgedPairs > 0;
  return [
    {
      testId: 'metric-mrecall',
      name: strings.mrecall(k),
      value: known && mrecall !== undefined ? strings.mrecallValue(mrecall) : words.none(),
      note: known ? strings.mrecallNote() : strings.nothingJudged(),
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

/** The judges of the figures, and the number of unjudged pairs. */
function basisAndGaps({ state }: Context, view: MetricsView): TemplateResult {
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
  </div>`;
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
