import assert from 'node:assert/strict';
import test from 'node:test';
import { normalized, unitTables } from '../../../src/engine/embedders/hashing-tables.ts';

const WORD = /[\p{L}\p{M}\p{N}\p{Cs}]/u;
const SEPARATOR = 1;
const { any, normalized: forNormalized } = unitTables();
const units = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit));
const inWords = (unit: string): number => (WORD.test(unit) ? unit.charCodeAt(0) : SEPARATOR);
const decided = (unit: string): boolean => any[unit.charCodeAt(0)] !== 0;

test('units of words map to themselves, all others are separators', () => {
  assert.deepEqual(forNormalized, Uint16Array.from(units, inWords));
});

test('a unit with an entry becomes its normalized form', () => {
  for (const unit of units.filter(decided)) {
    assert.equal(normalized(unit).length, 1);
    assert.equal(any[unit.charCodeAt(0)], inWords(normalized(unit)), `U+${unit.charCodeAt(0).toString(16)}`);
  }
});

test('no unit that composes with the one before it has an entry', () => {
  const composed = units.filter((unit) => !/\p{Cs}/u.test(unit) && unit.normalize('NFD').length > 1);
  assert.ok(composed.length > 10_000);
  for (const unit of composed)
    for (const part of unit.normalize('NFD').slice(1)) assert.ok(!decided(part), `part of ${unit}`);
});

test('a sigma, whose lower case depends on its position, and surrogates have no entry', () => {
  for (const unit of ['Σ', 'İ', '\ud800', '\udfff', '\u0301', '\u1161']) assert.ok(!decided(unit), unit);
});

test('the letters, digits and signs of most texts have an entry', () => {
  for (const unit of 'azAZ09 .,;:!?"“”’–—…äÉßøАя東は각') assert.ok(decided(unit), unit);
});
