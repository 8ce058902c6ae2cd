/** Looking deeper for a perspective: the button, and what was found, to be opened, understood and labelled. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { VERDICTS } from '../../../src/core/model.ts';
import type { CoverageView, DeeperPassage, PerspectiveView } from '../../../src/shared/panels/inspector.ts';
import { button } from '../../components/toolkit.ts';
import { isRunning, type Context } from '../draft.ts';
import { deeperStrings as strings } from './strings.ts';
import { strings as panelStrings } from '../strings.ts';

/** Searches whose ranks are named for each passage. */
const RANKS = 3;

/** Below a perspective that the top k do not cover. */
export function lookDeeper(
  context: Context,
  perspective: PerspectiveView,
  coverage: CoverageView | undefined,
): TemplateResult | typeof nothing {
  const { state, actions } = context;
  if (!coverage || coverage.where === 'covered' || !state.results) return nothing;
  const { id, letter } = perspective;
  const { canJudge, label } = state.judge;
  const found = state.results.deeper.find(({ perspectiveId }) => perspectiveId === id);
  const isFound = coverage.where === 'below-k' || coverage.where === 'not-retrieved';
  return html`<div class="deeper">
    ${
      isFound
        ? nothing
        : html`<span
            title=${strings.buttonHint(letter, canJudge ? label : undefined, state.results.lookDeeperPassages)}
            >${button({
              label: strings.button(),
              icon: 'search',
              testId: `look-deeper-${id}`,
              disabled: isRunning(state, 'deeper') || state.results.stale,
              onClick: () => actions.send({ type: 'look-deeper', perspectiveId: id }),
            })}</span
          >`
    }
    ${found ? foundPassages(context, perspective, found.passages) : nothing}
  </div>`;
}

function foundPassages(
  context: Context,
  perspective: PerspectiveView,
  passages: readonly DeeperPassage[],
): TemplateResult {
  if (passages.length === 0) return html`<p class="muted">${strings.nothingFound()}</p>`;
  return html`<details data-testid="deeper-${perspective.id}" open>
    <summary>${strings.heading(passages.length)}</summary>
    <ol>
      ${passages.map((passage, place) => found(context, perspective, passage, place))}
    </ol>
  </details>`;
}

function found(
  { state, actions }: Context,
  { id }: PerspectiveView,
  passage: DeeperPassage,
  place: number,
): TemplateResult {
  const { passageId, title, rank, ranks, verdict } = passage;
  const why = [
    rank === undefined ? strings.outside(state.results?.candidates ?? 0) : strings.candidate(rank),
    ...ranks
      .toSorted((a, b) => a.rank - b.rank)
      .slice(0, RANKS)
      .map(strings.foundBy),
  ];
  return html`<li data-testid="deeper-${id}-${place}">
    <button
      class="link"
      dir="auto"
      title=${strings.open(title)}
      @click=${() => actions.send({ type: 'open', passageId, perspectiveId: id })}
    >
      ${title}
    </button>
    <span class="muted">${strings.verdict(verdict)} · ${why.join(' · ')}</span>
    ${
      verdict === 'yes' || verdict === 'no'
        ? nothing
        : html`<span class="segmented" role="group" aria-label=${title}>
            ${VERDICTS.map(
              (said) =>
                html`<button
                  aria-label=${strings.label(title, panelStrings.verdictChoice(said))}
                  data-testid="deeper-label-${id}-${place}-${said}"
                  @click=${() => actions.send({ type: 'label', passageId, perspectiveId: id, verdict: said })}
                >
                  ${panelStrings.verdictChoice(said)}
                </button>`,
            )}
          </span>`
    }
  </li>`;
}
