/** Buttons under a failure. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParallaxError, type ErrorId } from '../../src/core/errors.ts';
import { waysOut } from '../../src/extension/platform/ways-out.ts';
import { noEvalSets } from '../../src/extension/testing/evaluator.ts';
import { requireUsableConfig } from '../../src/extension/workspace/usable-config.ts';
import { COMMANDS } from '../../src/shared/contributions.ts';

const commandsFor = (id: ErrorId): string[] => waysOut(id).map(({ command }) => command);

test('without an eval set one can be built, or named; a parallax.json that cannot be used is opened', () => {
  assert.deepEqual(commandsFor(noEvalSets().id), [COMMANDS.buildEvalSet, COMMANDS.openConfig]);
  assert.throws(
    () => requireUsableConfig('parallax.json is not valid JSON.'),
    (error) => ParallaxError.is(error) && commandsFor(error.id).join() === COMMANDS.openConfig,
  );
  assert.deepEqual(commandsFor('not-found'), []);
});
