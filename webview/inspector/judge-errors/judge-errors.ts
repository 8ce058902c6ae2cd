/** The known errors of a judge whose answers order the passages or determine the figures. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { InspectorState, ResultView } from '../../../src/features/inspector/contract/panel.ts';
import type { TakenErrors } from '../../../src/features/validation/core/taken-errors.ts';
import { strings } from './strings.ts';

type Shown = TemplateResult | typeof nothing;

/** A sentence on the error rates assumed for the answers that ordered the passages. */
export function orderedBy(errors: TakenErrors | undefined): Shown {
  return errors ? html`<p class="muted" data-testid="taken-errors">${strings.taken(errors)}</p>` : nothing;
}

/** How often a judge was wrong, below the figures of its judgements. */
export function howItErrs(validated: TakenErrors | undefined): Shown {
  return validated
    ? html`<p class="muted" data-testid="validated">${strings.validated(validated)}</p>`
    : nothing;
}

/** A sentence on why the coverage reranker moved a passage up. */
export function raisedReason({ perspectives }: InspectorState, { rank, raised }: ResultView): Shown {
  const perspective = perspectives.find(({ id }) => id === raised?.perspectiveId);
  if (!raised || !perspective) return nothing;
  return html`<p class="muted" data-testid="raised-${rank}" title=${strings.raisedHint(raised, perspective)}>
    ${strings.raised(raised, perspective.letter)}
  </p>`;
}
