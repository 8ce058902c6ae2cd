/** A failure has the same remedies wherever it is shown. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERROR_IDS, inContext, ParallaxError } from '../../src/core/errors.ts';
import { noEvalSets } from '../../src/features/gate/host/evaluator.ts';
import { requireUsableConfig } from '../../src/extension/workspace/usable-config.ts';
import { failureOf, failureSchema } from '../../src/shared/panels/failure.ts';
import { REMEDIES, remediesFor, remedyTitle } from '../../src/shared/remedies.ts';

test('offers to build or name an eval set, and opens an invalid parallax.json', () => {
  assert.deepEqual(remediesFor(noEvalSets().id), ['build-eval-set', 'open-config']);
  assert.throws(
    () => requireUsableConfig('parallax.json is not valid JSON.'),
    (error) => ParallaxError.is(error) && remediesFor(error.id).join() === 'open-config',
  );
  assert.deepEqual(remediesFor('not-found'), []);
});

test("a failure in a panel has the remedies of the editor's message", () => {
  for (const id of ERROR_IDS) {
    const failure = failureOf(new ParallaxError(id, 'It failed.'));
    assert.deepEqual(failureSchema.parse(failure), { message: 'It failed.', remedies: [...remediesFor(id)] });
  }
});

test('a failure names its corpus, also within another sentence', () => {
  const failure = new ParallaxError('not-indexed', 'It is not indexed.', { corpus: 'wiki' });
  assert.equal(failureOf(failure).corpus, 'wiki');
  const within = inContext((sentence) => `Query "q": ${sentence}`, failure);
  assert.ok(ParallaxError.is(within));
  assert.equal(failureSchema.parse(failureOf(within)).corpus, 'wiki');
});

test('each remedy has its own text and at least one error', () => {
  assert.equal(new Set(REMEDIES.map(remedyTitle)).size, REMEDIES.length);
  assert.deepEqual([...new Set(ERROR_IDS.flatMap(remediesFor))].sort(), [...REMEDIES].sort());
});
