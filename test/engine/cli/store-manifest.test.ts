/** The manifest beside a command-line index, and the folders of several indexes. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  corpusFolder,
  readStoreManifest,
  writeStoreManifest,
  type StoreManifest,
} from '../../../src/cli/store-manifest.ts';
import { configSchema } from '../../../src/shared/config.ts';
import { corpusRefSchema } from '../../../src/shared/requests/configuration.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

test('each index is in a separate folder within the store, whatever the corpus’s name', () => {
  const store = path.resolve('store');
  const names = fc.oneof(
    fc.constantFrom('.', '..', '...', '../x', '..\\x', '/etc', 'a/../../b', '%2E%2E', '%2E', 'C:\\x'),
    fc.string({ unit: 'grapheme', minLength: 1 }).filter((name) => name.isWellFormed()),
  );
  fc.assert(
    fc.property(names, names, (name, other) => {
      const folder = corpusFolder(store, name);
      assert.equal(path.dirname(folder), store);
      assert.equal(path.resolve(folder), folder);
      if (name !== other) assert.notEqual(corpusFolder(store, other), folder);
    }),
    { numRuns: 500, seed: 20_261_123 },
  );
});

test('a concurrent reader of the manifest gets one complete version', async (t) => {
  const store = temporaryFolder(t);
  const manifestOf = (roots: number): StoreManifest => ({
    corpus: corpusRefSchema.parse({
      name: 'pets',
      store,
      base: store,
      excludeGlobs: [],
      config: { roots: Array.from({ length: roots }, (_, n) => `folder ${n}`) },
    }),
    models: configSchema.parse({ version: 1 }),
    within: false,
  });
  await writeStoreManifest(manifestOf(1));
  let isWriting = true;
  const writing = (async () => {
    for (let round = 0; round < 100; round++)
      await writeStoreManifest(manifestOf(round % 2 === 0 ? 20_000 : 1));
    isWriting = false;
  })();
  const seen = new Set<number>();
  while (isWriting) seen.add((await readStoreManifest(store)).corpus.config.roots.length);
  await writing;
  assert.deepEqual(
    [...seen].sort((a, b) => a - b),
    [1, 20_000],
  );
});

test('an oversized or endlessly nested manifest is not parsed', async (t) => {
  const store = temporaryFolder(t);
  const file = path.join(store, 'parallax-store.json');
  for (const [text, sentence] of [
    ['['.repeat(14e6), /parallax-store\.json: it is larger than/u],
    [`{"a":${'['.repeat(5_000)}`, /nested 1000 levels deep at most/u],
  ] as const) {
    writeFileSync(file, text);
    await assert.rejects(readStoreManifest(store), sentence);
  }
});
