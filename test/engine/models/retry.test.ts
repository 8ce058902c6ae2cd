/** The delay that a server asks for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryAfterMs } from '../../../src/engine/network/retry-after.ts';

const NOW = Date.UTC(2026, 0, 1);
const asked = (headers: Record<string, string>): number | undefined =>
  retryAfterMs(new Headers(headers), NOW);

test('seconds, milliseconds or a date; undefined if there is none', () => {
  assert.equal(asked({ 'retry-after': '1.5' }), 1_500);
  assert.equal(asked({ 'retry-after': '-1' }), 0);
  assert.equal(asked({ 'retry-after': '9', 'retry-after-ms': '20' }), 20);
  assert.equal(asked({ 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' }), 60_000);
  for (const value of ['', 'soon', 'NaN']) assert.equal(asked({ 'retry-after': value }), undefined);
});

test('any length is a number', () => {
  assert.equal(asked({ 'retry-after': '1e308' }), Number.MAX_SAFE_INTEGER);
});
