/** How the passages of one query change ranks between pipelines. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { chartFrame } from '../../charts/chart-frame.ts';
import { letter } from '../../components/chip.ts';
import { section } from '../../components/section.ts';
import { iconButton } from '../../components/toolkit.ts';
import { rankMovement } from '../charts/rank-movement.ts';
import { saveChart, type ComparedContext } from '../draft.ts';
import { movementLinkId } from './queries.ts';
import { queryWords } from './strings.ts';

/** Empty until a query is chosen; then shows a waiting message until the answer arrives. */
export function movement(context: ComparedContext): TemplateResult | typeof nothing {
  const { state, draft, actions, set } = context;
  const { moving } = draft;
  const query = set.queries.find(({ id }) => id === moving?.queryId);
  if (!moving || moving.dataset !== set.name || !query) return nothing;
  const answer = state.movement;
  const here = answer?.dataset === moving.dataset && answer.queryId === moving.queryId;
  const chart = here ? rankMovement(set, answer) : undefined;
  return section(
    {
      id: 'movement',
      heading: queryWords.movement(),
      note: `${query.id} · ${query.text}`,
      aside: iconButton({
        label: queryWords.closeMovement(),
        icon: 'close',
        testId: 'close-movement',
        onClick: () => {
          actions.edit({ moving: undefined });
          document.getElementById(movementLinkId(query.id))?.focus();
        },
      }),
    },
    html`<ul class="movement-perspectives">
        ${query.perspectives.map((one) => html`<li>${letter(one)} <span dir="auto">${one.text}</span></li>`)}
      </ul>
      ${
        chart
          ? html`<p class="muted">${queryWords.movementHelp(chart.depth, set.k)}</p>
              ${chartFrame(saveChart(context), chart)}`
          : html`<p class="muted" data-testid="movement-waiting">
              ${here ? queryWords.nothingRanked() : queryWords.movementWaiting()}
            </p>`
      }`,
  );
}
