import assert from 'node:assert/strict';
import { ParallaxError, type ErrorId } from '../../../src/core/errors.ts';
import type { Qrels, Run } from '../../../src/core/model.ts';
import type { PerspectiveQuery } from '../../../src/core/analysis/p-recall.ts';

/** Rankings by query id, with one letter for each passage: `{ q1: 'abc' }`. */
export function runOf(rankings: Readonly<Record<string, string>>): Run {
  return new Map(
    Object.entries(rankings).map(([query, passages]) => [
      query,
      [...passages].map((item, index) => ({ item, score: -index })),
    ]),
  );
}

/** Passages by query and perspective, with one letter each; capitals were judged not to support. */
export function qrelsOf(topics: Readonly<Record<string, Readonly<Record<string, string>>>>): Qrels {
  const judged = (letters: string) =>
    new Map([...letters].map((letter) => [letter.toLowerCase(), letter === letter.toLowerCase() ? 1 : 0]));
  return new Map(
    Object.entries(topics).map(([query, perspectives]) => [
      query,
      new Map(Object.entries(perspectives).map(([perspective, letters]) => [perspective, judged(letters)])),
    ]),
  );
}

export function perspectiveQuery(id: string, root: string, label: string, gold: string): PerspectiveQuery {
  return { id, root, label, gold: new Set(gold) };
}

export function refuses(work: () => unknown, message: RegExp, id: ErrorId = 'bad-argument'): void {
  assert.throws(work, (error) => {
    assert.ok(ParallaxError.is(error, id), String(error));
    assert.match(error.message, message);
    return true;
  });
}
