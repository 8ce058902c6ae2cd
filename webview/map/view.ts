/** The whole map as a function of the newest state and the draft. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { MAPPED_PIPELINES } from '../../src/shared/passage-map.ts';
import type { MapState } from '../../src/shared/panels/map-panel.ts';
import { svgFile } from '../charts/svg-file.ts';
import { letter } from '../components/chip.ts';
import { errorAlert, frame, welcome } from '../components/frame.ts';
import { button } from '../components/toolkit.ts';
import type { Actions, Context, Draft, DrawnContext, Point } from './draft.ts';
import { HEIGHT, picture, WIDTH } from './picture.ts';
import { strings } from './strings.ts';

/** `state` is absent until the extension host has answered for the first time. */
export function view(state: MapState | undefined, draft: Draft, actions: Actions): TemplateResult {
  return frame(strings.title(), draft, state && panel({ state, draft, actions }));
}

function panel(context: Context): TemplateResult {
  const { state, actions } = context;
  const { map, question, working } = state;
  if (question === undefined)
    return welcome('graph-scatter', strings.nothingAsked(), 'map-welcome', [
      html`<p>${strings.askFirst()}</p>`,
      errorAlert(state.error, actions),
    ]);
  return html`<div class="top">
      <p class="map-question" dir="auto">${question}</p>
      ${errorAlert(state.error, actions)}
      ${working ? html`<p class="muted" data-testid="map-working">${strings.working()}</p>` : nothing}
      ${map ? html`<p class="hint" data-testid="map-hint">${strings.hint(map.explained, map.likeness.embedder)}</p>` : nothing}
    </div>
    ${map ? body({ ...context, map }) : nothing}`;
}

function body(context: DrawnContext): TemplateResult {
  return html`<div class="map-body">
    <div class="map-side">${outlines(context)} ${legend(context)}</div>
    <figure class="map-figure">
      <svg
        class="map"
        viewBox="0 0 ${WIDTH} ${HEIGHT}"
        role="img"
        aria-label=${strings.described(context.map.passages.length, context.map.likeness.themes.larger.length)}
        data-testid="map"
      >
        ${picture(context)}
      </svg>
      ${detail(context)}
      ${button({ label: strings.saveSvg(), testId: 'save-map', onClick: () => save(context) })}
    </figure>
    ${passageList(context)}
  </div>`;
}

function save({ actions }: DrawnContext): void {
  const drawn = document.querySelector<SVGSVGElement>('svg.map');
  if (!drawn) return;
  const background = getComputedStyle(drawn).backgroundColor;
  actions.send({
    type: 'save-chart',
    name: strings.pictureName(),
    format: 'svg',
    content: svgFile(drawn, background),
  });
}

function outlines({ map, state, actions }: DrawnContext): TemplateResult {
  const { pipelines, chosen } = state;
  const isFull = chosen.length >= MAPPED_PIPELINES - 1;
  const change = (name: string, isOn: boolean): void =>
    actions.send({
      type: 'set-pipelines',
      names: isOn ? [...chosen, name] : chosen.filter((other) => other !== name),
    });
  return html`<section aria-labelledby="outlined">
    <h2 id="outlined">${strings.outlines()}</h2>
    <ul class="outlines">
      ${map.tops.map(
        ({ name, ids, problem }, index) =>
          html`<li>
            <svg class="sample" viewBox="0 0 24 12" aria-hidden="true">
              <path class="outline outline-${index}" d="M2 6H22"></path></svg
            >${problem === undefined ? strings.top(name, ids.length) : strings.notAsked(name, problem)}
          </li>`,
      )}
    </ul>
    <p class="muted">${strings.outlineNote()}</p>
    ${
      pipelines.length === 0
        ? nothing
        : html`<fieldset>
            <legend class="muted">${strings.also()}</legend>
            ${pipelines.map(
              (name) =>
                html`<label class="also"
                  ><input
                    type="checkbox"
                    data-testid="outline-${name}"
                    .checked=${chosen.includes(name)}
                    ?disabled=${isFull && !chosen.includes(name)}
                    @change=${(event: Event) => change(name, (event.target as HTMLInputElement).checked)}
                  />${name}</label
                >`,
            )}
          </fieldset>`
    }
  </section>`;
}

function legend({ state }: DrawnContext): TemplateResult {
  const sample = (kind: string, said: string): TemplateResult =>
    html`<li>
      <svg class="sample" viewBox="-12 -6 24 12" aria-hidden="true">
        <g class="point ${kind}" data-color=${kind === 'supporting' ? 0 : nothing}>
          <circle r="4"></circle>
        </g></svg
      >${said}
    </li>`;
  return html`<section aria-labelledby="legend">
    <h2 id="legend">${strings.legend()}</h2>
    <ul class="outlines">
      <li>
        <svg class="sample" viewBox="-12 -6 24 12" aria-hidden="true">
          <path class="question" d="M0-5L5 0L0 5L-5 0Z"></path></svg
        >${strings.question()}
      </li>
      ${state.perspectives.map(
        (perspective) => html`<li>${letter(perspective)} <span dir="auto">${perspective.text}</span></li>`,
      )}
      ${state.perspectives.length === 0 ? nothing : [sample('supporting', strings.supporting()), sample('judged', strings.judgedNo())]}
      ${sample('unjudged', strings.unjudged())}
    </ul>
  </section>`;
}

/** What the pointer or the keyboard is on. */
function detail(context: DrawnContext): TemplateResult {
  const { map, draft } = context;
  const point = map.passages.find(({ id }) => id === draft.on);
  if (!point) return html`<figcaption class="detail muted">${strings.pointAt()}</figcaption>`;
  return html`<figcaption class="detail" data-testid="map-detail">
    <b dir="auto">${point.title}</b> <span class="muted">${said(context, point)}</span>
    <p class="passage-text" dir="auto">${point.text}</p>
  </figcaption>`;
}

function said({ map, state }: DrawnContext, { id }: Point): string {
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

/** The same for the keyboard: every passage by its theme. */
function passageList(context: DrawnContext): TemplateResult {
  const { map } = context;
  const { larger } = map.likeness.themes;
  const themed = new Set(larger.flatMap(({ members }) => members));
  const of = (ids: readonly string[]): Point[] => map.passages.filter(({ id }) => ids.includes(id));
  return html`<section class="map-list" aria-labelledby="map-list-heading" data-testid="map-list">
    <h2 id="map-list-heading">${strings.list()}</h2>
    ${larger.map(({ terms, members, top, passages, nearest }) =>
      group(context, strings.theme(terms.length > 0 ? terms : [nearest.title], top, passages), of(members)),
    )}
    ${group(
      context,
      strings.rest(),
      map.passages.filter(({ id }) => !themed.has(id)),
    )}
  </section>`;
}

function group(
  context: DrawnContext,
  heading: string,
  points: readonly Point[],
): TemplateResult | typeof nothing {
  if (points.length === 0) return nothing;
  const { draft, actions } = context;
  return html`<h3 dir="auto">${heading}</h3>
    <ul>
      ${points.map(
        (point) =>
          html`<li class=${draft.on === point.id ? 'on' : ''}>
            <button
              class="title"
              dir="auto"
              title=${strings.open(point.title)}
              @focus=${() => actions.edit({ on: point.id })}
              @pointerenter=${() => actions.edit({ on: point.id })}
              @click=${() => actions.send({ type: 'open', passageId: point.id })}
            >
              ${point.title}
            </button>
            <span class="muted">${said(context, point)}</span>
          </li>`,
      )}
    </ul>`;
}
