import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toMapSchema } from '../../../src/features/map/contract/panel.ts';
import {
  encircled,
  fitting,
  namePlaces,
  nearestPoint,
  onPage,
  pointsOf,
  zoomed,
} from '../../../webview/map/geometry.ts';
import { hull } from '../../../webview/map/paint.ts';
import { SvgPen } from '../../../webview/map/pens.ts';
import { MAP_FIXTURES, sampleOf } from '../../panels/map-fixtures.ts';

test('states of the map fit the schema', () => {
  for (const [name, state] of Object.entries(MAP_FIXTURES)) {
    if (!state) continue;
    assert.equal(toMapSchema.safeParse({ type: 'state', state }).success, true, name);
  }
});

test('the outline encloses all points; for two points it is just those', () => {
  const square = [
    { x: 0, y: 0 },
    { x: 4, y: 0 },
    { x: 4, y: 4 },
    { x: 0, y: 4 },
  ];
  const corners = hull([...square, { x: 2, y: 2 }, { x: 2, y: 0 }]);
  assert.deepEqual(
    new Set(corners.map(({ x, y }) => `${x} ${y}`)),
    new Set(square.map(({ x, y }) => `${x} ${y}`)),
  );
  assert.equal(hull(square.slice(0, 2)).length, 2);
  assert.deepEqual(hull([]), []);
});

const SIZE = { width: 400, height: 300 };
const MAP = MAP_FIXTURES.sampled.map!;
const POINTS = pointsOf({ ...MAP, sample: sampleOf(50) });

test('everything fits on the page, and both axes have the same scale', () => {
  const toPage = onPage(fitting(POINTS, [{ x: 3, y: 0 }], SIZE), SIZE);
  const places = Array.from(POINTS.xs, (x, at) => toPage({ x, y: POINTS.ys[at]! }));
  for (const { x, y } of [...places, toPage({ x: 3, y: 0 })])
    assert.ok(x >= 0 && x <= SIZE.width && y >= 0 && y <= SIZE.height, `${x} ${y}`);
  const [from, right, down] = [toPage({ x: 0, y: 0 }), toPage({ x: 1, y: 0 }), toPage({ x: 0, y: 1 })];
  assert.ok(Math.abs(right.x - from.x - (down.y - from.y)) < 1e-9);
  const alone = fitting(pointsOf({ ...MAP, passages: [MAP.passages[0]!], sample: sampleOf(0) }), [], SIZE);
  assert.ok(Number.isFinite(alone.scale));
});

test('the point under the cursor does not move on zoom', () => {
  const view = fitting(POINTS, [], SIZE);
  const larger = zoomed(view, 3, { x: 50, y: 70 }, SIZE);
  const place = { x: view.x + (50 - 200) / view.scale, y: view.y + (70 - 150) / view.scale };
  const { x, y } = onPage(larger, SIZE)(place);
  assert.deepEqual([Math.round(x), Math.round(y), larger.scale], [50, 70, 3 * view.scale]);
});

test('finds the nearest point in reach, marked points first', () => {
  const points = {
    slots: Int32Array.of(1, 2, 3),
    xs: Float64Array.of(0, 10, 10.5),
    ys: Float64Array.of(0, 0, 0),
    signs: 2,
  };
  const view = { x: 0, y: 0, scale: 10 };
  const at = (x: number): number | undefined => nearestPoint(points, view, SIZE, { x, y: 150 }, 12);
  assert.deepEqual([at(200), at(303), at(306), at(315), at(250)], [0, 1, 1, undefined, undefined]);
  assert.equal(nearestPoint({ ...points, signs: 0 }, view, SIZE, { x: 304, y: 150 }, 12), 2);
});

test('finds the points inside a lasso drawn in either direction', () => {
  const line = [
    { x: 0, y: 0 },
    { x: 6, y: 0 },
    { x: 6, y: 6 },
    { x: 3, y: 2 },
    { x: 0, y: 6 },
  ];
  const points = {
    slots: Int32Array.of(7, 8, 9),
    xs: Float64Array.of(1, 3, 5),
    ys: Float64Array.of(3, 4, 3),
    signs: 3,
  };
  const same = (place: { x: number; y: number }): typeof place => place;
  assert.deepEqual(encircled(points, same, line), [0, 2]);
  assert.deepEqual(encircled(points, same, line.toReversed()), [0, 2]);
  assert.deepEqual(encircled(points, same, []), []);
});

test('labels stay on the page without overlap; those without room are omitted', () => {
  const middle = { x: 2, y: 150 };
  const places = namePlaces(
    Array.from({ length: 9 }, () => middle),
    Array.from({ length: 9 }, () => 100),
    20,
    SIZE,
  );
  const shown = places.flatMap((place) => place ?? []);
  assert.equal(shown.length, 7);
  assert.ok(shown.every(({ x }) => x === 52));
  assert.equal(new Set(shown.map(({ y }) => y)).size, 7);
  assert.deepEqual(namePlaces([{ x: -5, y: 10 }], [10], 20, SIZE), [undefined]);
});

test('text in a picture is escaped', () => {
  const pen = new SvgPen({ ...SIZE, ground: 'black', font: '"A", serif' });
  pen.text(1, 2, '<script>&"', { size: 12, color: 'white', halo: 'black' });
  pen.dots([{ x: 1.26, y: 2 }], 2, 'red');
  const file = pen.file();
  assert.match(file, />&#60;script&#62;&#38;&#34;<\/text>/u);
  assert.match(file, /font-family="&#34;A&#34;, serif"/u);
  assert.match(file, /d="M1\.3 2h0"/u);
});
