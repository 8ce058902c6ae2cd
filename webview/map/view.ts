/** Renders the whole map from the newest state and the draft. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { SAMPLES } from '../../src/features/map/contract/passage-map.ts';
import type { MapState } from '../../src/features/map/contract/panel.ts';
import { codicon } from '../components/icon.ts';
import { errorAlert, frame, welcome } from '../components/frame.ts';
import { button, dropdown, iconButton } from '../components/toolkit.ts';
import { choose } from './choose.ts';
import { choosing } from './chosen.ts';
import { knownPassages, type Actions, type Context, type Draft, type DrawnContext } from './draft.ts';
import { legend, outlines } from './legend.ts';
import { STEP, type MapElement } from './map-element.ts';
import { passageList, passageFacts } from './passage-list.ts';
import { strings } from './strings.ts';

/** `state` is `undefined` until the extension host has answered. */
export function view(state: MapState | undefined, draft: Draft, actions: Actions): TemplateResult {
  return frame(strings.title(), draft, state && panel({ state, draft, actions }));
}

function panel(context: Context): TemplateResult {
  const { state, actions } = context;
  const { map, question } = state;
  if (question === undefined)
    return welcome('graph-scatter', strings.nothingAsked(), 'map-welcome', [
      html`<p>${strings.askFirst()}</p>`,
      errorAlert(state.error, actions),
    ]);
  return html`<div class="top">
      <p class="map-question" dir="auto">${question}</p>
      ${errorAlert(state.error, actions)} ${controls(context)} ${progress(context)}
      ${map ? html`<p class="hint" data-testid="map-hint">${strings.hint(map)}</p>` : nothing}
      ${map && map.sample.slots.length > 0 ? html`<p class="muted" data-testid="map-sampled">${strings.sampled(map)}</p>` : nothing}
      ${map?.sample.problem === undefined ? nothing : html`<p class="notice" data-testid="sample-problem">${map.sample.problem}</p>`}
    </div>
    ${map ? body({ ...context, map }) : nothing}`;
}

function controls({ state, actions }: Context): TemplateResult {
  return html`<div class="setup-fields">
    ${dropdown({
      label: strings.sample(),
      value: String(state.sample),
      choices: SAMPLES.map((size) => ({ value: String(size), label: strings.samples(size) })),
      onChange: (value) => actions.send({ type: 'set-sample', sample: Number(value) }),
      testId: 'map-sample',
    })}
  </div>`;
}

/** A running drawing with a stop button, or a button to start it again. */
function progress({ state, actions }: Context): TemplateResult | typeof nothing {
  const { working, map, error } = state;
  if (working)
    return html`<p class="muted progress" data-testid="map-working">
      ${codicon('loading')} ${strings.working()}
      <button class="link" data-testid="map-stop" @click=${() => actions.send({ type: 'cancel' })}>
        ${strings.stop()}
      </button>
    </p>`;
  if (map || error) return nothing;
  return html`<p class="muted">${strings.stopped()}</p>
    ${button({ label: strings.draw(), testId: 'map-draw', onClick: () => actions.send({ type: 'draw' }) })}`;
}

function body(context: DrawnContext): TemplateResult {
  return html`<div class="map-body">
    <figure class="map-figure">${tools(context)} ${picture(context)} ${detail(context)}</figure>
    <div class="map-side">
      ${choosing(context)} ${outlines(context)} ${legend(context)} ${passageList(context)}
    </div>
  </div>`;
}

const drawnMap = (): MapElement | null => document.querySelector<MapElement>('parallax-map');

function tools({ draft, actions }: DrawnContext): TemplateResult {
  return html`<div class="map-tools">
    ${iconButton({ label: strings.zoomIn(), icon: 'zoom-in', testId: 'zoom-in', onClick: () => drawnMap()?.zoom(STEP) })}
    ${iconButton({ label: strings.zoomOut(), icon: 'zoom-out', testId: 'zoom-out', onClick: () => drawnMap()?.zoom(1 / STEP) })}
    ${iconButton({ label: strings.fit(), icon: 'screen-full', testId: 'zoom-fit', onClick: () => drawnMap()?.fit() })}
    <button
      class="toggle"
      aria-pressed=${draft.encircling}
      title=${strings.encircleHint()}
      data-testid="encircle"
      @click=${() => actions.edit({ encircling: !draft.encircling })}
    >
      ${strings.encircle()}
    </button>
    <span class="muted grow moving">${strings.moving()}</span>
    <span class="export" role="group" aria-label=${strings.save()}>
      ${(['svg', 'png'] as const).map(
        (format) =>
          html`<button
            class="link"
            title=${strings.saveAs(format.toUpperCase())}
            data-testid="save-${format}"
            @click=${() => save(actions, format)}
          >
            ${format.toUpperCase()}
          </button>`,
      )}
    </span>
  </div>`;
}

function save(actions: Actions, format: 'svg' | 'png'): void {
  const content = drawnMap()?.[format]();
  if (content !== undefined)
    actions.send({ type: 'save-chart', name: strings.pictureName(), format, content });
}

function picture(context: DrawnContext): TemplateResult {
  const { map, state, draft } = context;
  const { perspectives, supports } = state;
  return html`<parallax-map
    class="map ${draft.encircling ? 'encircling' : ''}"
    role="img"
    aria-label=${strings.described(map.passages.length, map.likeness.themes.larger.length)}
    data-testid="map"
    .encircles=${draft.encircling}
    .onPoint=${(slot: number | undefined) => pointAt(context, slot)}
    .onOpen=${(slot: number) => open(context, slot)}
    .onEncircle=${(slots: readonly number[]) => choose(context, slots)}
    .scene=${{ map, perspectives, supports, on: draft.on, chosen: new Set(draft.chosen) }}
  ></parallax-map>`;
}

/** Delay before the point of the sample under the pointer is read, in milliseconds. */
const REST_MS = 80;
let resting: ReturnType<typeof setTimeout> | undefined;

function pointAt({ map, state, draft, actions }: DrawnContext, slot: number | undefined): void {
  if (slot === draft.on) return;
  actions.edit({ on: slot });
  clearTimeout(resting);
  if (slot === undefined || knownPassages({ map, state }).has(slot)) return;
  resting = setTimeout(() => actions.send({ type: 'look', slots: [slot] }), REST_MS);
}

function open(context: DrawnContext, slot: number): void {
  const id = knownPassages(context).get(slot)?.id;
  if (id !== undefined) context.actions.send({ type: 'open', passageId: id });
}

/** The point under the pointer or with the focus. */
function detail(context: DrawnContext): TemplateResult {
  const { on } = context.draft;
  if (on === undefined) return html`<figcaption class="detail muted">${strings.pointAt()}</figcaption>`;
  const passage = knownPassages(context).get(on);
  if (!passage) return html`<figcaption class="detail muted">${strings.reading()}</figcaption>`;
  return html`<figcaption class="detail" data-testid="map-detail">
    <b dir="auto">${passage.title}</b> <span class="muted">${passageFacts(context, passage)}</span>
    <p class="passage-text" dir="auto">${passage.text}</p>
  </figcaption>`;
}
