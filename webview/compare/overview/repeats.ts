/** What changes if the judge is asked again: the figures of each repeat, and the queries behind them. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { RepeatedFigure, RepeatsReport } from '../../../src/core/metrics/repeats.ts';
import { section } from '../../components/section.ts';
import type { ComparedContext } from '../draft.ts';
import { compareWords } from '../strings.ts';
import { overviewWords } from './strings.ts';

export function repeats({ set }: ComparedContext): TemplateResult | typeof nothing {
  const report = set.repeats;
  if (!report) return nothing;
  return section(
    { id: 'repeats', heading: overviewWords.repeats(), note: overviewWords.repeatsNote(report) },
    html`<div class="table-scroll">
        <table class="repeats">
          <caption class="sr-only">
            ${overviewWords.repeats()}
          </caption>
          <thead>
            <tr>
              <th scope="col" class="name">${compareWords.pipeline()}</th>
              <th scope="col">${overviewWords.eachRepeat()}</th>
              <th scope="col">${overviewWords.mean()}</th>
              <th scope="col">${overviewWords.theseQueries()}</th>
              <th scope="col">${overviewWords.otherQueries()}</th>
              <th scope="col">${overviewWords.changed()}</th>
            </tr>
          </thead>
          <tbody>
            ${report.pipelines.flatMap(({ name, figures, differences = {} }) => [
              ...rows(name, figures, overviewWords.share),
              ...rows(overviewWords.differenceOf(name), differences, overviewWords.points),
            ])}
          </tbody>
        </table>
      </div>
      ${changes(report, new Map(set.queries.map(({ id, text }) => [id, text])))}`,
  );
}

function rows(
  name: string,
  figures: Readonly<Record<string, RepeatedFigure>>,
  text: (value: number) => string,
): TemplateResult[] {
  return Object.entries(figures).map(
    ([measure, { values, mean, theseQueries, otherQueries, changed }]) =>
      html`<tr data-testid="repeats-${name}-${measure}">
        <th scope="row" class="name">${name}, ${measure}</th>
        <td>${values.map(text).join(', ')}</td>
        <td>${text(mean)}</td>
        <td>${overviewWords.range(theseQueries, text)}</td>
        <td>${overviewWords.range(otherQueries, text)}</td>
        <td>${changed}</td>
      </tr>`,
  );
}

function changes(
  { pipelines }: RepeatsReport,
  texts: ReadonlyMap<string, string>,
): TemplateResult | typeof nothing {
  const all = pipelines.flatMap(({ name, changes: pipelineChanges }) =>
    pipelineChanges.map((change) => ({ name, ...change })),
  );
  if (all.length === 0) return html`<p class="muted">${overviewWords.nothingChanges()}</p>`;
  const byQuery = [...Map.groupBy(all, ({ query }) => query)];
  return html`<details data-testid="repeats-changes">
    <summary>${overviewWords.changedQueries(byQuery.length)}</summary>
    <ul>
      ${byQuery.map(
        ([query, changesOfQuery]) =>
          html`<li>
            <span dir="auto">${texts.get(query) ?? query}</span>
            ${changesOfQuery.flatMap(({ name, values }) =>
              Object.entries(values).map(
                ([measure, each]) =>
                  html`<div class="muted">
                    ${name}, ${measure}: ${each.map(overviewWords.share).join(', ')}
                  </div>`,
              ),
            )}
          </li>`,
      )}
    </ul>
  </details>`;
}
