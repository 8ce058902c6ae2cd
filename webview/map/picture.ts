/** The map as a picture: points, outlines of what pipelines show first, names of themes. */
import { nothing, svg, type SVGTemplateResult } from 'lit/html.js';
import type { DrawnContext, Point } from './draft.ts';
import { hull } from './hull.ts';

export const WIDTH = 960;
export const HEIGHT = 600;
const MARGIN = 44;
/** How an outline goes around its points. */
const REACH = 12;

interface Place {
  readonly x: number;
  readonly y: number;
}

export function picture(context: DrawnContext): SVGTemplateResult {
  const { map } = context;
  const onPage = scaled([...map.passages, map.question, ...map.perspectives]);
  return svg`${map.tops.map(({ ids }, index) => outline(context, ids, index, onPage))}
    ${map.passages.map((point) => pointSign(context, point, onPage))}
    ${themeNames(context, onPage)}
    ${targets(context, onPage)}`;
}

/** Both axes alike, so that distances are what they are. */
function scaled(places: readonly Place[]): (place: Place) => Place {
  const [xs, ys] = [places.map(({ x }) => x), places.map(({ y }) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [width, height] = [Math.max(...xs) - left, Math.max(...ys) - top];
  const scale = Math.min((WIDTH - 2 * MARGIN) / (width || 1), (HEIGHT - 2 * MARGIN) / (height || 1));
  const [dx, dy] = [(WIDTH - width * scale) / 2, (HEIGHT - height * scale) / 2];
  return ({ x, y }) => ({ x: dx + (x - left) * scale, y: dy + (y - top) * scale });
}

function outline(
  { map }: DrawnContext,
  ids: readonly string[],
  index: number,
  onPage: (place: Place) => Place,
): SVGTemplateResult | typeof nothing {
  const shown = map.passages.filter(({ id }) => ids.includes(id)).map(onPage);
  if (shown.length === 0) return nothing;
  const around = shown.flatMap(({ x, y }) =>
    Array.from({ length: 12 }, (_, step) => {
      const angle = (step * Math.PI) / 6;
      return { x: x + REACH * Math.cos(angle), y: y + REACH * Math.sin(angle) };
    }),
  );
  const points = hull(around)
    .map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`)
    .join(' ');
  return svg`<polygon class="outline outline-${index}" points=${points}></polygon>`;
}

function pointSign(
  { map, state, draft, actions }: DrawnContext,
  point: Point,
  onPage: (place: Place) => Place,
): SVGTemplateResult {
  const { x, y } = onPage(point);
  const supports = state.supports[point.id];
  const [first] = supports ?? [];
  const sign = first === undefined ? undefined : state.perspectives[first];
  const isTop = map.tops[0]?.ids.includes(point.id) === true;
  const kind = supports === undefined ? 'unjudged' : sign ? 'supporting' : 'judged';
  const letters = (supports ?? []).map((place) => state.perspectives[place]?.letter ?? '').join('');
  return svg`<g
    class="point ${kind}${isTop ? ' top-point' : ''}${draft.on === point.id ? ' on' : ''}"
    data-color=${sign ? sign.color : nothing}
    data-passage=${point.id}
    transform="translate(${x.toFixed(1)} ${y.toFixed(1)})"
    @pointerenter=${() => actions.edit({ on: point.id })}
    @click=${() => actions.send({ type: 'open', passageId: point.id })}
  >${rings(map, point.id)}<circle r=${isTop ? 7 : 5}></circle>${
    letters === '' ? nothing : svg`<text class="letters" x="9" y="4">${letters}</text>`
  }</g>`;
}

/** Around a passage that other pipelines show first: their outlines may go around passages that they do not show. */
function rings({ tops }: DrawnContext['map'], id: string): SVGTemplateResult[] {
  return tops.flatMap(({ ids }, index) =>
    index > 0 && ids.includes(id)
      ? [svg`<circle class="outline outline-${index} ring-${index}" r=${7 + 4 * index}></circle>`]
      : [],
  );
}

/** In the middle of their passages. */
function themeNames({ map }: DrawnContext, onPage: (place: Place) => Place): SVGTemplateResult[] {
  return map.likeness.themes.larger.flatMap(({ terms, members }) => {
    const own = map.passages.filter(({ id }) => members.includes(id)).map(onPage);
    if (own.length === 0 || terms.length === 0) return [];
    const middle = (values: readonly number[]): number =>
      values.reduce((sum, value) => sum + value, 0) / values.length;
    const [x, y] = [middle(own.map((place) => place.x)), middle(own.map((place) => place.y))];
    return [
      svg`<text class="theme-name" x=${x.toFixed(1)} y=${y.toFixed(1)}>${terms.slice(0, 2).join(' · ')}</text>`,
    ];
  });
}

/** The question as a diamond, perspectives as their letters. */
function targets({ map, state }: DrawnContext, onPage: (place: Place) => Place): SVGTemplateResult {
  const { x, y } = onPage(map.question);
  return svg`${map.perspectives.map((place, index) => {
    const sign = state.perspectives[index];
    if (!sign) return nothing;
    const at = onPage(place);
    return svg`<g class="target" data-color=${sign.color} transform="translate(${at.x.toFixed(1)} ${at.y.toFixed(1)})"
      ><title>${sign.text}</title><rect x="-9" y="-9" width="18" height="18" rx="3"></rect><text y="4">${sign.letter}</text></g>`;
  })}<path class="question" transform="translate(${x.toFixed(1)} ${y.toFixed(1)})" d="M0-10L10 0L0 10L-10 0Z"><title>${state.question ?? ''}</title></path>`;
}
