/** Long tables render the rows around the visible ones. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  movedColumns,
  movedWindow,
  rowParts,
  type RowWindow,
} from '../../../webview/compare/queries/row-window.ts';

describe('the parts of a table', () => {
  test('are all of its rows, rendered or in gaps', () => {
    const drawn = { first: 4, last: 6 };
    assert.deepEqual(rowParts(9, drawn, 1), [
      { gap: { first: 0, last: 1 } },
      { row: 1 },
      { gap: { first: 2, last: 4 } },
      { row: 4 },
      { row: 5 },
      { gap: { first: 6, last: 9 } },
    ]);
    assert.deepEqual(rowParts(2, { first: 0, last: 0 }, 0), [{ row: 0 }, { gap: { first: 1, last: 2 } }]);
    assert.deepEqual(rowParts(2, { first: 0, last: 9 }, 7), [{ row: 0 }, { row: 1 }]);
    assert.deepEqual(rowParts(0, { first: 0, last: 0 }, 0), []);
  });
});

describe('the rendered rows', () => {
  const size = ({ first, last }: RowWindow): number => last - first;

  test('converge to the visible rows and those around them', () => {
    for (const rows of [1, 5, 40, 2_000])
      for (const most of [10, 60])
        for (const step of [1, 7, 200])
          for (const first of [0, 3, 30, 1_000, 1_995])
            for (const begin of [
              { first: 0, last: 1 },
              { first: 20, last: 33 },
            ]) {
              if (first >= rows || begin.last > rows) continue;
              const seen = { first, last: Math.min(rows, first + 13) };
              let drawn: RowWindow = begin;
              for (let frames = 0; frames < 100; frames++) {
                const next = movedWindow({ rows, most, step, drawn }, seen);
                const added = Math.max(0, drawn.first - next.first) + next.last - drawn.last;
                const isElsewhere = next.first >= drawn.last || next.last <= drawn.first;
                assert.ok((isElsewhere ? size(next) : added) <= step, JSON.stringify({ drawn, next }));
                drawn = next;
              }
              const told = JSON.stringify({ rows, most, step, seen, begin, drawn });
              assert.deepEqual(movedWindow({ rows, most, step, drawn }, seen), drawn, told);
              assert.ok(drawn.first <= seen.first && drawn.last >= seen.last, told);
              assert.ok(drawn.first >= 0 && drawn.last <= rows, told);
              assert.ok(size(drawn) <= Math.max(most + 1, size(seen) + 8), told);
              assert.ok(drawn.last >= Math.min(rows, seen.last + 2), told);
            }
  });

  test('do not change with every scrolled row', () => {
    const at = { rows: 2_000, most: 60, step: 5, drawn: { first: 100, last: 160 } };
    for (const first of [115, 120, 125, 130])
      assert.equal(movedWindow(at, { first, last: first + 13 }), at.drawn);
    assert.notDeepEqual(movedWindow(at, { first: 144, last: 157 }), at.drawn);
  });
});

describe('the columns of a wide table', () => {
  test('stay if they contain the visible ones, else are those around them', () => {
    const drawn = { first: 0, last: 16 };
    assert.equal(movedColumns(drawn, undefined), drawn, 'out of sight nothing moves');
    assert.equal(movedColumns(drawn, { first: 0, last: 15 }), drawn);
    assert.deepEqual(movedColumns(drawn, { first: 1, last: 16 }), { first: 0, last: 20 });
    const further = movedColumns(drawn, { first: 30, last: 44 });
    assert.deepEqual(further, { first: 26, last: 48 });
    assert.equal(movedColumns(further, { first: 27, last: 47 }), further);
    assert.deepEqual(movedColumns(further, { first: 26, last: 40 }), { first: 22, last: 44 });
  });
});
