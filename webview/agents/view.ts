/** Draws an answer with the figures and differences of the panels. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { priceLines } from '../../src/evaluation/change-price.ts';
import type {
  AppAnswer,
  EvaluationView,
  MissingView,
} from '../../src/features/agents/contract/app-answer.ts';
import { differenceLine } from '../components/difference.ts';
import { intervalText, shareText } from '../components/figures.ts';
import { strings } from './strings.ts';

type PipelineView = EvaluationView['pipelines'][number];

export function view(answer: AppAnswer): TemplateResult {
  if ('missing' in answer) return missing(answer.missing);
  if ('evaluation' in answer) return evaluation(answer.evaluation);
  return html`<p class="top" dir="auto" data-testid="text">${answer.text}</p>`;
}

function missing(answer: MissingView): TemplateResult {
  const { document, query, says, change } = answer;
  return html`<div class="top" data-testid="missing">
    <h2 dir="auto">${strings.missing(document)}</h2>
    <p class="muted" dir="auto">${query}</p>
    <p class="muted">${strings.place(answer)}</p>
    <p class="says" dir="auto">${says}</p>
    ${
      change
        ? html`<p class="says" dir="auto">${change.says}</p>
            ${
              change.price
                ? html`<ul class="price">
                    ${priceLines(change.price).map((line) => html`<li>${line}</li>`)}
                  </ul>`
                : nothing
            }`
        : nothing
    }
  </div>`;
}

function evaluation(answer: EvaluationView): TemplateResult {
  const { pipelines } = answer;
  const names = [...new Set(pipelines.flatMap(({ figures }) => Object.keys(figures)))];
  return html`<div class="top" data-testid="evaluation">
    <p class="muted">${strings.evaluation(answer)}</p>
    <div class="table-scroll">
      <table>
        <thead>
          <tr>
            ${[strings.pipeline(), ...names, strings.judged()].map((name) => html`<th scope="col">${name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${pipelines.map((pipeline) => row(pipeline, names, pipelines))}
        </tbody>
      </table>
    </div>
    ${pipelines.map(lost)}
  </div>`;
}

function row(pipeline: PipelineView, names: readonly string[], all: readonly PipelineView[]): TemplateResult {
  const { name, origin, error, unjudged, judgedShare } = pipeline;
  const why = error ?? unjudged;
  return html`<tr>
    <th scope="row" dir="auto">
      ${name}${origin === undefined ? nothing : html`<span class="muted">${origin}</span>`}
    </th>
    ${
      why === undefined
        ? html`${names.map((each) => figure(pipeline, each, scaleOf(each, all)))}
            <td>${strings.share(judgedShare)}</td>`
        : html`<td colspan=${names.length + 1} dir="auto">${why}</td>`
    }
  </tr>`;
}

function figure(
  { figures, differenceToBaseline }: PipelineView,
  name: string,
  scale: number,
): TemplateResult {
  const at = figures[name];
  if (!at) return html`<td></td>`;
  const { value, bound, low, high } = at;
  const difference = differenceToBaseline[name];
  return html`<td>
    <span class="value">${strings.bounded(shareText(value), bound)}</span>
    ${
      low === undefined || high === undefined
        ? nothing
        : html`<span class="muted">${intervalText({ low, high })}</span>`
    }
    ${difference ? differenceLine(difference, scale) : nothing}
  </td>`;
}

/** The largest end of an interval, so that the bars of a column can be compared. */
function scaleOf(name: string, pipelines: readonly PipelineView[]): number {
  const ends = pipelines.flatMap(({ differenceToBaseline }) => {
    const difference = differenceToBaseline[name];
    return difference ? [Math.abs(difference.low), Math.abs(difference.high)] : [];
  });
  return Math.max(0, ...ends);
}

function lost({ name, worstQueries }: PipelineView): TemplateResult | typeof nothing {
  if (worstQueries.length === 0) return nothing;
  return html`<details>
    <summary dir="auto">${strings.lost(name)}</summary>
    ${worstQueries.map(
      ({ query, lost: perspectives }) =>
        html`<p dir="auto">${query}</p>
          <ul class="lost">
            ${perspectives.map((perspective) => html`<li dir="auto">${perspective}</li>`)}
          </ul>`,
    )}
  </details>`;
}
