/** The share of the top k that each group of perspectives gets, per pipeline, as a heat map with figures. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { section } from '../../components/section.ts';
import type { ComparedContext } from '../draft.ts';
import { ranPipelines } from '../outcomes.ts';
import { compareWords } from '../strings.ts';
import { overviewWords } from './strings.ts';

export function groups({ set }: ComparedContext): TemplateResult | typeof nothing {
  const rows = ranPipelines(set).map(({ name, label, groups: shares }) => ({
    name,
    label,
    shares: new Map(shares.map(({ group, share }) => [group, share])),
  }));
  const columns = [...new Set(rows.flatMap(({ shares }) => [...shares.keys()]))];
  if (columns.length === 0) return nothing;
  const most = Math.max(...rows.flatMap(({ shares }) => [...shares.values()]));
  return section(
    { id: 'groups', heading: overviewWords.groups(), note: overviewWords.groupsNote() },
    html`<div class="table-scroll">
      <table class="groups">
        <caption class="sr-only">
          ${overviewWords.groupsCaption()}
        </caption>
        <thead>
          <tr>
            <th scope="col" class="name">${compareWords.pipeline()}</th>
            ${columns.map((group) => html`<th scope="col" dir="auto">${group}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ({ name, label, shares }) =>
              html`<tr data-testid="groups-${name}">
                <th scope="row" class="name" title=${label}>${name}</th>
                ${columns.map((group) => heatCell(shares.get(group) ?? 0, most))}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`,
  );
}

/** Density of the fullest cell; more would reduce the figure's contrast. */
const DENSEST = 0.36;

function heatCell(share: number, most: number): TemplateResult {
  const heat = most === 0 ? 0 : share / most;
  return html`<td class="heat">
    <svg aria-hidden="true">
      <rect width="100%" height="100%" fill-opacity=${(heat * DENSEST).toFixed(3)}></rect>
    </svg>
    <span>${overviewWords.share(share)}</span>
  </td>`;
}
