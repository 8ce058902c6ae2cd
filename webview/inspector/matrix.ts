/** The coverage matrix: perspectives × ranks, a mark for every verdict. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type {
  InspectorState,
  JudgementView,
  PerspectiveView,
} from '../../src/features/inspector/contract/panel.ts';
import { letter } from '../components/chip.ts';
import { focusCell, gridMove } from '../components/grid.ts';
import { iconButton } from '../components/toolkit.ts';
import { words } from '../components/words.ts';
import type { Context } from './draft.ts';
import { goToResult } from './go-to.ts';
import { labelButtons } from './label-buttons.ts';
import { verdictOfKey } from '../components/verdict-keys.ts';
import { keepPairInSight, labelCell, pairAt } from './labelling.ts';
import { wholePassage } from './passage-text.ts';
import { strings } from './strings.ts';

type Results = NonNullable<InspectorState['results']>;

/** With more ranks than this, a table is not readable. */
const MAX_RANKS = 50;

const MARKS: Record<JudgementView['verdict'], string> = { yes: '●', no: '○', unsure: '?', unjudged: '·' };
const PENDING_MARK = '…';

export function matrix(context: Context, { items, metrics }: Results): TemplateResult | typeof nothing {
  const { perspectives } = context.state;
  if (perspectives.length === 0 || items.length === 0) return nothing;
  const top = items.slice(0, Math.min(metrics.k, MAX_RANKS));
  return html`<div class="matrix-legend">
      <div class="matrix" @keydown=${(event: KeyboardEvent) => onLabelKey(context, event)}>
        <table
          data-testid="coverage-matrix"
          @keydown=${(event: KeyboardEvent) => onKeydown(context, top.length, event)}
        >
          <caption class="sr-only">
            ${strings.matrixCaption()}
          </caption>
          <thead>
            <tr>
              <th scope="col"><span class="sr-only">${strings.matrixCorner()}</span></th>
              ${top.map(({ rank }) => html`<th scope="col"><span class="sr-only">${strings.rank(rank)}</span><span aria-hidden="true">${rank}</span></th>`)}
            </tr>
          </thead>
          <tbody>
            ${perspectives.map(
              (perspective, row) =>
                html`<tr data-color=${perspective.color}>
                  <th scope="row">
                    ${letter(perspective)}<span class="sr-only">: ${perspective.text}</span>
                  </th>
                  ${top.map((item, column) => cell(context, perspective, item, row, column))}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
      <p class="legend muted">
        <span class="sr-only">${words.legend()}: </span>${Object.entries(MARKS).map(
          ([verdict, mark]) =>
            html`<span
              ><span class="legend-mark" aria-hidden="true">${mark}</span> ${strings.verdict(
                verdict as JudgementView['verdict'],
              )}</span
            >`,
        )}
        ${
          metrics.k > MAX_RANKS && items.length > MAX_RANKS
            ? html`<span>${strings.matrixCut(MAX_RANKS, Math.min(items.length, metrics.k))}</span>`
            : nothing
        }
      </p>
    </div>
    ${strip(context, top.length)}`;
}

function cell(
  context: Context,
  perspective: PerspectiveView,
  item: Results['items'][number],
  row: number,
  column: number,
): TemplateResult {
  const { draft, actions } = context;
  const judgement = item.judgements.find(({ perspectiveId }) => perspectiveId === perspective.id);
  const verdict = judgement?.verdict ?? 'unjudged';
  const pending = judgement?.pending === true;
  const doubtful = !pending && judgement?.evidenceNotFound === true;
  const label = pending ? strings.judging() : strings.verdictWithDoubt(verdict, doubtful);
  const reachable = draft.cell.row === row && draft.cell.column === column;
  return html`<td>
    <button
      class="cell ${verdict} ${doubtful ? 'doubtful' : ''}"
      data-row=${row}
      data-column=${column}
      tabindex=${reachable ? 0 : -1}
      aria-label=${strings.matrixCell(perspective.letter, item.rank, label)}
      title=${`${perspective.letter} · ${item.rank} · ${label}`}
      @focus=${() => (reachable ? undefined : actions.edit({ cell: { row, column } }))}
      @click=${() => {
        actions.edit({ cell: { row, column }, labelling: true });
        keepPairInSight();
      }}
    >
      ${pending ? PENDING_MARK : MARKS[verdict]}
    </button>
  </td>`;
}

function onKeydown({ state, draft, actions }: Context, columns: number, event: KeyboardEvent): void {
  const to = gridMove(event, draft.cell, { rows: state.perspectives.length, columns });
  if (!to) return;
  event.preventDefault();
  actions.edit({ cell: to });
  focusCell(event.currentTarget as HTMLElement, to);
  if (draft.labelling) keepPairInSight();
}

/** Y, N and U label the focused cell and move the focus to the next unjudged one. */
function onLabelKey(context: Context, event: KeyboardEvent): void {
  const verdict = verdictOfKey(event);
  if (verdict === undefined) return;
  event.preventDefault();
  const next = labelCell(context, context.draft.cell, verdict);
  context.actions.edit({ labelling: true });
  focusCell(event.currentTarget as HTMLElement, next);
  keepPairInSight();
}

/** The pair of the chosen cell: the perspective, the passage, and the verdict buttons. */
function strip(context: Context, columns: number): TemplateResult | typeof nothing {
  const { state, draft, actions } = context;
  const pair = draft.labelling && draft.cell.column < columns ? pairAt(state, draft.cell) : undefined;
  if (!pair) return nothing;
  const { perspective, item } = pair;
  return html`<section
    class="labelling"
    data-testid="labelling"
    data-color=${perspective.color}
    aria-label=${strings.labelling(perspective.letter, item.rank)}
    @keydown=${(event: KeyboardEvent) => onStripKey(context, event)}
  >
    <header>
      ${letter(perspective)}
      <p class="grow" dir="auto">${perspective.text}</p>
      ${iconButton({
        label: strings.closeLabelling(),
        icon: 'close',
        testId: 'close-labelling',
        onClick: () => actions.edit({ labelling: false }),
      })}
    </header>
    <p class="muted">
      ${strings.rank(item.rank)} ·
      <button class="link" data-testid="labelling-passage" @click=${() => goToResult(context, item.rank)}>
        ${item.title}
      </button>
    </p>
    <div class="labelled-passage" tabindex="0" role="region" aria-label=${item.title}>
      ${wholePassage(context, item)}
    </div>
    ${labelButtons(context, item, perspective, (verdict) => void labelCell(context, draft.cell, verdict))}
  </section>`;
}

function onStripKey(context: Context, event: KeyboardEvent): void {
  const verdict = verdictOfKey(event);
  if (verdict !== undefined) {
    event.preventDefault();
    labelCell(context, context.draft.cell, verdict);
  }
  if (event.key === 'Escape') context.actions.edit({ labelling: false });
}
