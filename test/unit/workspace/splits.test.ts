import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BERDS_SPLIT, SECTIONS_SPLIT } from '../../../src/core/split/spec.ts';
import { corporaWithout, defaultConfig } from '../../../src/shared/defaults/default-config.ts';
import { parseConfig } from '../../../src/extension/workspace/workspace-model.ts';

const splitOf = (version: object, corpus: object = {}) =>
  parseConfig(JSON.stringify({ ...version, corpora: { docs: { roots: ['docs'], ...corpus } } })).corpora[
    'docs'
  ]?.split;

test('a file keeps the splitting of its version', () => {
  assert.deepEqual(splitOf({}), BERDS_SPLIT);
  assert.deepEqual(splitOf({ version: 1 }), BERDS_SPLIT);
  assert.deepEqual(splitOf({ version: 2 }), SECTIONS_SPLIT);
  for (const version of [1, 2]) {
    assert.deepEqual(splitOf({ version }, { split: { type: 'none' } }), { type: 'none' });
    assert.deepEqual(splitOf({ version }, { split: { type: 'sections' } }), SECTIONS_SPLIT);
  }
});

test('reports errors in a file of version 2 as before', () => {
  for (const json of [
    '{ "version": 3 }',
    '{ "version": 2, "corpora": 1 }',
    '{ "version": 2, "corpora": { "a": null } }',
  ])
    assert.throws(() => parseConfig(json), { id: 'bad-config' });
});

test('a folder without the file is split at headings, unless it has labels of 100-word passages', () => {
  const splitIn = (labels?: string) => defaultConfig('/w/docs', labels).corpora['docs']?.split;
  const label = '{"v":1,"document":"a.md","hash":"00"}\n';
  assert.deepEqual(splitIn(), SECTIONS_SPLIT);
  assert.deepEqual(splitIn('{"v":1,"document":"a.md","quote":"found again by itself"}\n'), SECTIONS_SPLIT);
  assert.deepEqual(splitIn(label), BERDS_SPLIT);
  assert.deepEqual(splitIn(label + label.replace('}', ',"split":"sections"}')), SECTIONS_SPLIT);
});

test('a file without corpora has the folder as its corpus, split by its version', () => {
  assert.deepEqual(corporaWithout('/w/docs', { version: 1 })['docs']?.split, BERDS_SPLIT);
  assert.equal(corporaWithout('/w/docs', { version: 1 })['docs']?.code, true);
  assert.deepEqual(corporaWithout('/w/docs', { version: 2 })['docs']?.split, SECTIONS_SPLIT);
});

test('several folders are separate corpora with their own names', () => {
  const { corpora } = defaultConfig('/a/docs', '', ['/b/docs', '/b/app', '/x/b/docs']);
  assert.deepEqual(
    Object.entries(corpora).map(([name, { roots, code }]) => [name, roots, code]),
    [
      ['docs', ['.'], 'auto'],
      ['b/docs', ['/b/docs'], 'auto'],
      ['app', ['/b/app'], 'auto'],
      ['docs 2', ['/x/b/docs'], 'auto'],
    ],
  );
});
