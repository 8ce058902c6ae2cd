/** The letters of perspectives in the gutter. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { letterIcon } from '../../../src/extension/passages/letter-icon.ts';

const rowsOf = (icon: string): string[] =>
  Array.from(icon.matchAll(/<text[^>]*>([^<]*)</gu), ([, row]) => row!);

test('shows letters in rows of two, and the first three of more than four', () => {
  assert.deepEqual(rowsOf(letterIcon(['A'], '#000')), ['A']);
  assert.deepEqual(rowsOf(letterIcon(['A', 'B'], '#000')), ['AB']);
  assert.deepEqual(rowsOf(letterIcon(['A', 'B', 'C', 'D'], '#000')), ['AB', 'CD']);
  assert.deepEqual(rowsOf(letterIcon(['A', 'B', 'C', 'D', 'E'], '#000')), ['AB', 'C…']);
});

test('letters stay within the icon, whatever their number', () => {
  for (const letters of [['A'], ['AA', 'AB'], [...'ABCDEFGH']]) {
    const icon = letterIcon(letters, '#000');
    const size = Number(/font-size="([\d.]+)"/u.exec(icon)![1]);
    for (const [, y] of icon.matchAll(/ y="([\d.]+)"/gu)) assert.ok(Number(y) <= 16 && Number(y) >= size / 2);
    for (const row of rowsOf(icon)) assert.ok(0.72 * size * [...row].length <= 16.2, `${row} at ${size}`);
  }
});
