/** The side that a perspective takes on the question: known, proposed by a model, or missing. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { Stance } from '../../../src/core/model.ts';
import { STANCES } from '../../../src/core/words.ts';
import type { PerspectiveView } from '../../../src/features/inspector/contract/panel.ts';
import { letter } from '../../components/chip.ts';
import { codicon, type Codicon } from '../../components/icon.ts';
import { iconButton } from '../../components/toolkit.ts';
import { isRunning, type Context } from '../draft.ts';
import { strings } from '../strings.ts';

const ICONS: Record<Stance, Codicon> = { support: 'thumbsup', oppose: 'thumbsdown' };

/** The sides of all perspectives: known, to be set, or proposed. Empty if no perspective has or needs a side. */
export function stances(context: Context): TemplateResult | typeof nothing {
  const { perspectives, judge } = context.state;
  const isTopic = judge.canGenerate || perspectives.some((one) => one.stance ?? one.proposal);
  if (perspectives.length === 0 || !isTopic) return nothing;
  return html`<section class="stances-section" aria-labelledby="stances-heading">
    <header>
      <h2 id="stances-heading" class="grow">${strings.stances()}</h2>
      ${proposeStances(context)}
    </header>
    <ul>
      ${perspectives.map(
        (perspective) =>
          html`<li data-testid="side-${perspective.id}">
            ${letter(perspective)}
            <div>${stance(context, perspective)} ${proposedStance(context, perspective)}</div>
          </li>`,
      )}
    </ul>
  </section>`;
}

function stance(context: Context, perspective: PerspectiveView): TemplateResult | typeof nothing {
  const { draft, actions } = context;
  const { id, letter: sign } = perspective;
  if (draft.stanceOf === id) return chooser(context, perspective);
  if (perspective.proposal) return nothing;
  const open = (): void => {
    actions.edit({ stanceOf: id });
    focus(chooserId(perspective, perspective.stance ?? 'support'));
  };
  return html`<button
    class="link quiet stance"
    data-testid=${`stance-${id}`}
    aria-label=${strings.changeStance(sign, perspective.stance)}
    title=${strings.stanceHint(perspective)}
    @click=${open}
  >
    ${perspective.stance ? codicon(ICONS[perspective.stance]) : nothing}${strings.stance(perspective.stance)}
  </button>`;
}

/** A proposal below a perspective without a stance, marked as unconfirmed, to accept, correct or reject. */
function proposedStance(
  { draft, actions }: Context,
  perspective: PerspectiveView,
): TemplateResult | typeof nothing {
  const { id, letter: sign, proposal } = perspective;
  if (!proposal || draft.stanceOf === id) return nothing;
  return html`<div class="proposal" data-testid=${`proposal-${id}`}>
    <span title=${strings.proposalHint(proposal.by)}
      >${codicon('sparkle')}${strings.proposal(proposal.stance, proposal.by)}</span
    >
    <span class="proposal-actions">
      ${
        proposal.stance === 'neither'
          ? nothing
          : iconButton({
              label: strings.acceptStance(sign, proposal.stance),
              icon: 'check',
              testId: `accept-stance-${id}`,
              onClick: () => actions.send({ type: 'accept-stance', perspectiveId: id }),
            })
      }
      ${STANCES.filter((side) => side !== proposal.stance).map((side) =>
        iconButton({
          label: strings.correctStance(sign, side),
          icon: ICONS[side],
          testId: `correct-stance-${id}-${side}`,
          onClick: () => actions.send({ type: 'set-stance', perspectiveId: id, stance: side }),
        }),
      )}
      ${iconButton({
        label: strings.rejectStance(sign),
        icon: 'close',
        testId: `reject-stance-${id}`,
        onClick: () => actions.send({ type: 'reject-stance', perspectiveId: id }),
      })}
    </span>
  </div>`;
}

/** Offered if a perspective has neither a stance nor a proposal, and there is a model. */
function proposeStances({ state, actions }: Context): TemplateResult | typeof nothing {
  const isOpen = state.perspectives.some((one) => !one.stance && !one.proposal);
  if (!state.judge.canGenerate || !isOpen) return nothing;
  return iconButton({
    label: strings.proposeStances(state.judge.generator),
    icon: 'arrow-both',
    testId: 'propose-stances',
    disabled: isRunning(state, 'stances'),
    onClick: () => actions.send({ type: 'propose-stances' }),
  });
}

function chooser({ actions }: Context, perspective: PerspectiveView): TemplateResult {
  const close = (): void => {
    actions.edit({ stanceOf: undefined });
    focus(`stance-${perspective.id}`);
  };
  const choose = (side: Stance | undefined): void => {
    const chosen = side === undefined ? {} : { stance: side };
    actions.send({ type: 'set-stance', perspectiveId: perspective.id, ...chosen });
    close();
  };
  return html`<div
    class="segmented"
    role="group"
    aria-label=${strings.stanceOf(perspective.letter)}
    @keydown=${(event: KeyboardEvent) => event.key === 'Escape' && close()}
  >
    ${[...STANCES, undefined].map(
      (side) =>
        html`<button
          aria-pressed=${perspective.stance === side}
          data-testid=${chooserId(perspective, side)}
          @click=${() => choose(side)}
        >
          ${strings.stanceChoice(side)}
        </button>`,
    )}
  </div>`;
}

function chooserId({ id }: PerspectiveView, side: Stance | undefined): string {
  return `choose-stance-${id}-${side ?? 'none'}`;
}

/** Focuses a control that the last change may have created. */
function focus(testId: string): void {
  document.querySelector<HTMLElement>(`[data-testid="${CSS.escape(testId)}"]`)?.focus();
}
