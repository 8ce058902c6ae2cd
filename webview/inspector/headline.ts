/** A sentence about the passages, what is needed to read them, and all else in a fold. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { codicon } from '../components/icon.ts';
import type { Context } from './draft.ts';
import { orderedBy } from './judge-errors/judge-errors.ts';
import { likeness } from './likeness.ts';
import { metrics } from './metrics.ts';
import { offer } from './perspectives/perspectives.ts';
import { stances } from './perspectives/stance.ts';
import { strings } from './strings.ts';
import { whatIf, whatIfInUse } from './what-if.ts';

type Results = NonNullable<Context['state']['results']>;

export function headline(context: Context): TemplateResult | typeof nothing {
  const { results } = context.state;
  if (!results || results.items.length === 0) return offer(context);
  return html`<section class="headline-section" aria-labelledby="results-heading">
    <header><h2 id="results-heading" data-testid="summary">${strings.passages(results)}</h2></header>
    ${warnings(results)} ${offer(context)} ${whatIfInUse(context)} ${more(context, results)}
  </section>`;
}

/** Reasons why the passages may be incomplete. */
function warnings({ matches, short, meaning }: Results): TemplateResult {
  return html`${
    short
      ? html`<p class="notice" data-testid="short">
          ${codicon('warning')}<span>${strings.short(short)}</span>
        </p>`
      : nothing
  }
  ${meaning ? html`<p class="muted" data-testid="meaning">${strings.meaning(meaning)}</p>` : nothing}
  ${matches && matches.foreign > 0 ? recognised(matches) : nothing}`;
}

function recognised(matches: NonNullable<Results['matches']>): TemplateResult {
  return html`<p class="muted" data-testid="matches">${strings.matches(matches)}</p>`;
}

/** Figures, sides, sliders and themes, for a closer look. */
function more(context: Context, results: Results): TemplateResult {
  const { draft, actions } = context;
  const toggled = (event: Event): void => {
    const { open } = event.currentTarget as HTMLDetailsElement;
    if (open !== draft.moreOpen) actions.edit({ moreOpen: open });
  };
  return html`<details class="more" ?open=${draft.moreOpen} @toggle=${toggled} data-testid="more">
    <summary>${strings.more()}</summary>
    ${
      draft.moreOpen
        ? [search(results), metrics(context), stances(context), whatIf(context), likeness(context)]
        : nothing
    }
  </details>`;
}

/** How the passages were searched. */
function search({
  items,
  search: kind,
  milliseconds,
  candidates,
  splits = [],
  matches,
  certainty,
  takenErrors,
}: Results): TemplateResult {
  return html`<div class="muted" data-testid="search-kind">
    <p>${strings.searchKind(kind, milliseconds)} · ${strings.candidatesShort(candidates)}</p>
    ${splits.map((split) => html`<p class="split" data-testid="split" dir="auto">${strings.split(split)}</p>`)}
    ${matches && matches.foreign === 0 ? recognised(matches) : nothing}
    ${certainty ? html`<p data-testid="certainty">${strings.certainty(certainty, items.length)}</p>` : nothing}
    ${orderedBy(takenErrors)}
  </div>`;
}
