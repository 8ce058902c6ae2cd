/** A chart with its name, ways to save it, and its figures as a table. */
import { html, type TemplateResult } from 'lit/html.js';
import type { ChartFile } from '../../src/shared/panels/save-chart.ts';
import { words } from '../components/words.ts';
import { chartCsv } from './chart-csv.ts';
import type { ChartElement, Pick } from './chart-element.ts';
import type { ChartTable, Figure } from './chart.ts';
import type { Chart } from './draw.ts';
import { strings } from './strings.ts';

/** @param onPick called when a cell is clicked, for charts with pickable cells */
export function chartFrame(
  onSave: (file: ChartFile) => void,
  chart: Chart,
  onPick?: (pick: Pick) => void,
): TemplateResult {
  const save = async (event: Event): Promise<void> => {
    const figure = (event.currentTarget as Element).closest('figure');
    const content = await figure?.querySelector<ChartElement>('parallax-chart')?.svgFile();
    if (content !== undefined) onSave({ name: nameOf(chart), format: 'svg', content });
  };
  const saveNumbers = (): void =>
    onSave({ name: nameOf(chart), format: 'csv', content: chartCsv(chart.data) });
  return html`<figure class="chart-frame" data-testid="chart-${chart.kind}">
    <div class="chart-scroll">
      <parallax-chart
        class="chart chart-${chart.kind}"
        role="img"
        aria-label=${chart.description}
        .failure=${strings.notDrawn()}
        .onPick=${onPick}
        .chart=${chart}
      ></parallax-chart>
    </div>
    <figcaption class="chart-caption">
      <details>
        <summary>${strings.asTable()}</summary>
        <div class="table-scroll">${figuresTable(chart.table, chart.description)}</div>
      </details>
      <span class="export" role="group" aria-label=${strings.saveChart()}>
        <button class="link" data-testid="save-svg" @click=${save}>SVG</button>
        <button class="link" data-testid="save-csv" @click=${saveNumbers}>CSV</button>
      </span>
    </figcaption>
  </figure>`;
}

/** The longest name that a `save-chart` message accepts. */
const nameOf = ({ name }: Chart): string => name.slice(0, 100);

function figuresTable({ columns, rows }: ChartTable, caption: string): TemplateResult {
  return html`<table class="chart-table">
    <caption class="sr-only">
      ${caption}
    </caption>
    <thead>
      <tr>
        ${columns.map((column, index) => html`<th scope="col" class=${index === 0 ? 'name' : ''}>${column}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ([name, ...figures]) =>
          html`<tr>
            <th scope="row" class="name">${name}</th>
            ${figures.map((figure) => html`<td>${figureText(figure)}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function figureText(figure: Figure): string {
  if (figure === undefined) return words.none();
  return typeof figure === 'number' ? strings.figure(figure) : figure;
}
