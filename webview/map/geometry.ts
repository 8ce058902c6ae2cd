/** Coordinates of the map on the page. Pure; page coordinates are in pixels. */
import type { DrawnMap } from './draft.ts';
import type { Place } from './pens.ts';
import type { Box } from '../charts/label-places.ts';

/** All points of a map: first those drawn as signs, then the sample. */
export interface Points {
  readonly slots: Int32Array;
  readonly xs: Float64Array;
  readonly ys: Float64Array;
  /** The number of points drawn as signs, which come first. */
  readonly signs: number;
}

/**
 * The centre of the page in map coordinates, and pixels per map unit: equal along both axes, so that distances are
 * preserved.
 */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

const MARGIN = 40;

export function pointsOf({ passages, sample }: DrawnMap): Points {
  const signs = passages.length;
  const count = signs + sample.slots.length;
  const [slots, xs, ys] = [new Int32Array(count), new Float64Array(count), new Float64Array(count)];
  passages.forEach(({ slot, x, y }, at) => ([slots[at], xs[at], ys[at]] = [slot, x, y]));
  sample.slots.forEach((slot, at) => {
    slots[signs + at] = slot;
    xs[signs + at] = sample.places[2 * at]!;
    ys[signs + at] = sample.places[2 * at + 1]!;
  });
  return { slots, xs, ys, signs };
}

/** A view that contains all points and `otherPlaces`. */
export function fitting({ xs, ys }: Points, otherPlaces: readonly Place[], { width, height }: Size): View {
  const bounds = (values: Float64Array, more: readonly number[]): [number, number] => {
    let [least, most] = [Infinity, -Infinity];
    for (const list of [values, more])
      for (const value of list) [least, most] = [Math.min(least, value), Math.max(most, value)];
    return [least, most];
  };
  const [left, right] = bounds(
    xs,
    otherPlaces.map(({ x }) => x),
  );
  const [top, bottom] = bounds(
    ys,
    otherPlaces.map(({ y }) => y),
  );
  const room = (extent: number): number => Math.max(1, extent - 2 * MARGIN);
  const scale = Math.min(room(width) / (right - left || 1), room(height) / (bottom - top || 1));
  return { x: (left + right) / 2, y: (top + bottom) / 2, scale };
}

export function onPage(view: View, { width, height }: Size): (place: Place) => Place {
  return ({ x, y }) => ({
    x: (x - view.x) * view.scale + width / 2,
    y: (y - view.y) * view.scale + height / 2,
  });
}

/** Zooms by a factor around a place on the page, which stays fixed. */
export function zoomed(view: View, by: number, at: Place, { width, height }: Size): View {
  const [dx, dy] = [at.x - width / 2, at.y - height / 2];
  const scale = view.scale * by;
  return {
    x: view.x + dx / view.scale - dx / scale,
    y: view.y + dy / view.scale - dy / scale,
    scale,
  };
}

/**
 * The nearest point to a place on the page. Points drawn as signs take precedence over the sample.
 *
 * @param reach the largest distance to a sign in pixels; half of it applies to the sample
 * @returns its index, or `undefined` if none is in reach
 */
export function nearestPoint(
  points: Points,
  view: View,
  size: Size,
  at: Place,
  reach: number,
): number | undefined {
  const x = view.x + (at.x - size.width / 2) / view.scale;
  const y = view.y + (at.y - size.height / 2) / view.scale;
  const among = (from: number, to: number, within: number): number | undefined => {
    let [best, distance] = [-1, (within / view.scale) ** 2];
    for (let place = from; place < to; place++) {
      const candidate = (points.xs[place]! - x) ** 2 + (points.ys[place]! - y) ** 2;
      if (candidate < distance) [best, distance] = [place, candidate];
    }
    return best < 0 ? undefined : best;
  };
  return among(0, points.signs, reach) ?? among(points.signs, points.slots.length, reach / 2);
}

/** Indexes of the points inside a line on the page (even-odd rule). */
export function encircled(points: Points, toPage: (place: Place) => Place, line: readonly Place[]): number[] {
  const inside: number[] = [];
  for (let place = 0; place < points.slots.length; place++)
    if (isInside(toPage({ x: points.xs[place]!, y: points.ys[place]! }), line)) inside.push(place);
  return inside;
}

function isInside({ x, y }: Place, line: readonly Place[]): boolean {
  let inside = false;
  line.forEach((a, at) => {
    const b = line.at(at - 1)!;
    if (a.y > y !== b.y > y && x < ((b.x - a.x) * (y - a.y)) / (b.y - a.y) + a.x) inside = !inside;
  });
  return inside;
}

const SHIFTS = [0, -1, 1, -2, 2, -3, 3];

/**
 * Places names near the given places, inside the page and without overlaps; earlier names take precedence, and a name
 * without room is left out.
 *
 * @param widths of the names
 * @returns the centre of each name, or `undefined` for one that is left out
 */
export function namePlaces(
  places: readonly Place[],
  widths: readonly number[],
  line: number,
  { width, height }: Size,
): (Place | undefined)[] {
  const usedBoxes: Box[] = [];
  return places.map((place, at) => {
    const half = widths[at]! / 2;
    if (place.x < 0 || place.x > width || place.y < 0 || place.y > height) return undefined;
    const x = Math.max(half + 2, Math.min(width - half - 2, place.x));
    const boxes = SHIFTS.map((shift) => ({
      x: x - half,
      y: place.y + shift * line - line / 2,
      width: 2 * half,
      height: line,
    }));
    const box = boxes.find(
      (one) => one.y >= 0 && one.y + line <= height && !usedBoxes.some((other) => overlap(one, other)),
    );
    if (!box) return undefined;
    usedBoxes.push(box);
    return { x, y: box.y + line / 2 };
  });
}

function overlap(one: Box, other: Box): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}
