/** The map for keyboard users: every passage drawn as a sign, by theme. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { choose } from './choose.ts';
import type { DrawnContext, Passage } from './draft.ts';
import type { MapElement } from './map-element.ts';
import { strings } from './strings.ts';

export function passageList(context: DrawnContext): TemplateResult {
  const { map } = context;
  const { larger } = map.likeness.themes;
  const themed = new Set(larger.flatMap(({ members }) => members));
  return html`<section class="map-list" aria-labelledby="map-list-heading" data-testid="map-list">
    <h2 id="map-list-heading">${strings.list()}</h2>
    ${larger.map(({ terms, members, top, passages, nearest }, place) => {
      const ids = new Set(members);
      const name = terms.length > 0 ? terms : [nearest.title];
      return group(
        context,
        `theme-${place}`,
        strings.theme(name, top, passages),
        map.passages.filter(({ id }) => ids.has(id)),
      );
    })}
    ${group(
      context,
      'rest',
      strings.rest(),
      map.passages.filter(({ id }) => !themed.has(id)),
    )}
  </section>`;
}

function group(
  context: DrawnContext,
  testId: string,
  heading: string,
  passages: readonly Passage[],
): TemplateResult | typeof nothing {
  if (passages.length === 0) return nothing;
  const { draft } = context;
  const chooseAll = (): void =>
    choose(
      context,
      passages.map(({ slot }) => slot),
    );
  return html`<h3 dir="auto">
      ${heading}
      <button
        class="link"
        title=${strings.chooseHint(heading)}
        data-testid="choose-${testId}"
        @click=${chooseAll}
      >
        ${strings.choose()}
      </button>
    </h3>
    <ul>
      ${passages.map(
        (passage) =>
          html`<li class=${draft.on === passage.slot ? 'on' : ''}>
            ${passageButton(context, passage)} <span class="muted">${passageFacts(context, passage)}</span>
          </li>`,
      )}
    </ul>`;
}

/** Highlights its passage on the map while it has the focus or the pointer, and opens it on click. */
export function passageButton({ actions }: DrawnContext, { slot, id, title }: Passage): TemplateResult {
  const show = (reveal: boolean): void => {
    actions.edit({ on: slot });
    if (reveal) document.querySelector<MapElement>('parallax-map')?.reveal(slot);
  };
  return html`<button
    class="title"
    dir="auto"
    title=${strings.open(title)}
    @focus=${() => show(true)}
    @pointerenter=${() => show(false)}
    @click=${() => actions.send({ type: 'open', passageId: id })}
  >
    ${title}
  </button>`;
}

/** The rank of a passage, and the perspectives that it is known to support. */
export function passageFacts({ map, state }: DrawnContext, { id }: Passage): string {
  const rank = map.tops[0]?.ids.indexOf(id) ?? -1;
  const supports = state.supports[id];
  const letters = (supports ?? []).flatMap((place) => state.perspectives[place]?.letter ?? []);
  return [
    ...(rank < 0 ? [] : [strings.rank(rank + 1)]),
    supports === undefined
      ? strings.unjudged()
      : letters.length > 0
        ? strings.supports(letters)
        : strings.judgedNo(),
  ].join(', ');
}
