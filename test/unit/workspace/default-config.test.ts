/** The configuration of a folder without `parallax.json`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { defaultConfig } from '../../../src/shared/defaults/default-config.ts';
import { textWhereReadable } from '../../../src/extension/workspace/workspace-model.ts';

const splitBy = (labels: string | undefined): unknown =>
  Object.values(defaultConfig('/home/kim/pets', labels).corpora)[0]?.split.type;

test('labels of passages keep their splitting; unreadable labels do not block work', async () => {
  const label = '{"hash":"h"}\n';
  assert.equal(splitBy(await textWhereReadable(() => Promise.resolve(label))), 'words');
  assert.equal(splitBy(await textWhereReadable(() => Promise.resolve(undefined))), 'sections');
  const unreadable = new ParallaxError('too-large', 'judgements.jsonl is larger than 64 MB.');
  assert.equal(splitBy(await textWhereReadable(() => Promise.reject(unreadable))), 'sections');
});
