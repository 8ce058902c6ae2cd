import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toMapSchema } from '../../../src/shared/panels/map-panel.ts';
import { hull } from '../../../webview/map/hull.ts';
import { isToMap } from '../../../webview/map/message-guards.ts';
import { MAP_FIXTURES } from '../../../webview/preview/map-fixtures.ts';

test('states of the map fit the schema, and are understood', () => {
  for (const [name, state] of Object.entries(MAP_FIXTURES)) {
    if (!state) continue;
    assert.equal(toMapSchema.safeParse({ type: 'state', state }).success, true, name);
    assert.equal(isToMap({ type: 'state', state }), true, name);
    assert.equal(isToMap({ type: 'state', state: { ...state, supports: undefined } }), false, name);
  }
});

test('the outline goes around all points, and is no more than the points where there are two', () => {
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
