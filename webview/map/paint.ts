/** Paints the map: outlines of the pipelines' top k, points, names of themes, the question and the perspectives. */
import type { MapState } from '../../src/features/map/contract/panel.ts';
import type { DrawnMap } from './draft.ts';
import { namePlaces, type Size } from './geometry.ts';
import type { Pen, Place, Style } from './pens.ts';

/** The points to draw, and the highlighted ones. */
export interface Scene {
  readonly map: DrawnMap;
  readonly perspectives: MapState['perspectives'];
  readonly supports: MapState['supports'];
  /** Slot of the passage under the pointer or with the focus. */
  readonly on: number | undefined;
  /** Slots of the encircled passages. */
  readonly chosen: ReadonlySet<number>;
}

export interface Colors {
  readonly ground: string;
  readonly foreground: string;
  readonly muted: string;
  readonly focus: string;
  /** By the colour index of perspectives. */
  readonly marks: readonly string[];
}

/** Distance of an outline from its points. */
const REACH = 12;
const DASHES: readonly (readonly number[])[] = [[], [9, 5], [2, 4]];
const NAME_SIZE = 14;
const NAME_LINE = 19;
const LETTER_SIZE = 12;
/** Width of a letter relative to its size, rounded up. */
const LETTER_WIDTH = 0.62;

/** The dashes of outlines, also used by the legend. */
export const dashOf = (index: number): readonly number[] => DASHES[index] ?? [];

/** Paints everything except the sample, which is drawn before. */
export function paint(
  pen: Pen,
  scene: Scene,
  toPage: (place: Place) => Place,
  size: Size,
  colors: Colors,
): void {
  const { map } = scene;
  const places = map.passages.map(toPage);
  const painting: Painting = { pen, scene, places, colors };
  map.tops.forEach(({ ids }, index) => outline(painting, ids, index));
  map.passages.forEach((_, at) => sign(painting, at));
  // After all points, which would cover them.
  map.passages.forEach((_, at) => supported(painting, at));
  names(painting, size);
  targets(painting, toPage);
}

/** The state while a picture is painted. */
interface Painting {
  readonly pen: Pen;
  readonly scene: Scene;
  /** Page coordinates of the passages. */
  readonly places: readonly Place[];
  readonly colors: Colors;
}

/** Outlines the top k of a pipeline. */
function outline({ pen, scene, places, colors }: Painting, ids: readonly string[], index: number): void {
  const { map } = scene;
  const members = new Set(ids);
  const around = places.flatMap(({ x, y }, at) =>
    members.has(map.passages[at]!.id)
      ? Array.from({ length: 12 }, (_, step) => ({
          x: x + REACH * Math.cos((step * Math.PI) / 6),
          y: y + REACH * Math.sin((step * Math.PI) / 6),
        }))
      : [],
  );
  if (around.length > 0)
    pen.polygon(hull(around), { stroke: colors.foreground, width: 2, dash: dashOf(index) });
}

/** A passage, in the colour of the first perspective that it supports. */
function sign({ pen, scene, places, colors }: Painting, at: number): void {
  const { map, perspectives, supports, on, chosen } = scene;
  const { x, y } = places[at]!;
  const { id, slot } = map.passages[at]!;
  const support = supports[id];
  const mark = perspectives[support?.[0] ?? -1];
  const isTop = isInFirst(map, id);
  const radius = radiusOf(isTop);
  // Marks passages in the top k of other pipelines, because outlines may also enclose passages that are not.
  map.tops.forEach(({ ids }, index) => {
    if (index > 0 && ids.includes(id))
      pen.circle(x, y, 7 + 4 * index, { stroke: colors.foreground, dash: dashOf(index) });
  });
  pen.circle(x, y, radius, signStyle(support, mark, isTop, colors));
  if (chosen.has(slot)) pen.circle(x, y, radius + 3, { stroke: colors.focus, width: 2 });
  if (on === slot) pen.circle(x, y, radius + 5, { stroke: colors.focus, width: 3.5 });
}

/** The letters of the perspectives that a passage supports. */
function supported({ pen, scene, places, colors }: Painting, at: number): void {
  const { map, perspectives, supports } = scene;
  const { x, y } = places[at]!;
  const { id } = map.passages[at]!;
  const letters = (supports[id] ?? []).map((place) => perspectives[place]?.letter ?? '').join('');
  if (letters !== '')
    pen.text(x + radiusOf(isInFirst(map, id)) + 3, y + LETTER_SIZE / 3, letters, {
      size: LETTER_SIZE,
      weight: 700,
      color: colors.foreground,
      halo: colors.ground,
    });
}

const isInFirst = ({ tops }: Scene['map'], id: string): boolean => tops[0]?.ids.includes(id) === true;

const radiusOf = (isTop: boolean): number => (isTop ? 7 : 5);

function signStyle(
  supports: readonly number[] | undefined,
  mark: Scene['perspectives'][number] | undefined,
  isTop: boolean,
  { ground, foreground, muted, marks }: Colors,
): Style {
  const color = mark ? marks[mark.color]! : muted;
  const fill = supports === undefined ? ground : color;
  return { fill, stroke: isTop ? foreground : color, width: isTop ? 2.5 : 1.5 };
}

/** Names of themes at the centre of their passages. */
function names({ pen, scene: { map }, places, colors }: Painting, size: Size): void {
  const themes = map.likeness.themes.larger.flatMap(({ terms, members }) => {
    const ids = new Set(members);
    const themePlaces = places.filter((_, at) => ids.has(map.passages[at]!.id));
    if (themePlaces.length === 0 || terms.length === 0) return [];
    const name = fitted(terms, size.width);
    return [
      { name, middle: { x: mean(themePlaces.map(({ x }) => x)), y: mean(themePlaces.map(({ y }) => y)) } },
    ];
  });
  const widths = themes.map(({ name }) => name.length * NAME_SIZE * LETTER_WIDTH);
  const spots = namePlaces(
    themes.map(({ middle }) => middle),
    widths,
    NAME_LINE,
    size,
  );
  themes.forEach(({ name }, at) => {
    const place = spots[at];
    if (place)
      pen.text(place.x, place.y + NAME_SIZE / 3, name, {
        size: NAME_SIZE,
        weight: 600,
        color: colors.foreground,
        halo: colors.ground,
        anchor: 'middle',
      });
  });
}

/** Two terms if there is room, else as much of the first as fits. */
function fitted(terms: readonly string[], width: number): string {
  const room = Math.max(4, Math.floor(width / 2 / (NAME_SIZE * LETTER_WIDTH)));
  const both = terms.slice(0, 2).join(' · ');
  if (both.length <= room) return both;
  const [first = ''] = terms;
  return first.length <= room ? first : `${first.slice(0, room - 1)}…`;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Perspectives as boxed letters, the projected queries as small diamonds, the question as a large one. */
function targets({ pen, scene, colors }: Painting, toPage: (place: Place) => Place): void {
  const { map, perspectives } = scene;
  const { ground, foreground, marks } = colors;
  map.perspectives.forEach((place, index) => {
    const known = perspectives[index];
    if (!known) return;
    const { x, y } = toPage(place);
    pen.polygon(box(x, y, 9), { fill: ground, stroke: marks[known.color]!, width: 2.5 });
    pen.text(x, y + LETTER_SIZE / 3, known.letter, {
      size: LETTER_SIZE,
      weight: 700,
      color: foreground,
      halo: ground,
      anchor: 'middle',
    });
  });
  for (const { perspective, ...place } of map.projections) {
    const known = perspectives.find(({ text }) => text === perspective);
    const { x, y } = toPage(place);
    pen.polygon(diamond(x, y, 7), { fill: known ? marks[known.color]! : ground, stroke: foreground });
  }
  const { x, y } = toPage(map.question);
  pen.polygon(diamond(x, y, 10), { fill: foreground, stroke: ground });
}

const box = (x: number, y: number, reach: number): Place[] => [
  { x: x - reach, y: y - reach },
  { x: x + reach, y: y - reach },
  { x: x + reach, y: y + reach },
  { x: x - reach, y: y + reach },
];

const diamond = (x: number, y: number, reach: number): Place[] => [
  { x, y: y - reach },
  { x: x + reach, y },
  { x, y: y + reach },
  { x: x - reach, y },
];

/** The convex hull of points. */
interface Corner {
  readonly x: number;
  readonly y: number;
}

/**
 * The corners of the convex hull in order (Andrew's monotone chain), or the points themselves if there are fewer than
 * three.
 */
export function hull(points: readonly Corner[]): Corner[] {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  if (sorted.length < 3) return sorted;
  const lower = chain(sorted);
  const upper = chain([...sorted].reverse());
  return [...lower.slice(0, -1), ...upper.slice(0, -1)];
}

function chain(sorted: readonly Corner[]): Corner[] {
  const corners: Corner[] = [];
  for (const point of sorted) {
    while (corners.length > 1 && !turnsLeft(corners.at(-2)!, corners.at(-1)!, point)) corners.pop();
    corners.push(point);
  }
  return corners;
}

function turnsLeft(a: Corner, b: Corner, c: Corner): boolean {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 0;
}
