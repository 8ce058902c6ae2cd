/** The lists of stores, and their entries in docs/retrievers.md. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { storeLists } from '../../../scripts/stores.ts';
import { STORES } from '../../../src/core/external/stores.gen.ts';
import { storeRetrieverSchema } from '../../../src/core/external/stores.ts';

test('the documentation has a valid entry for each type of store', () => {
  const text = readFileSync('docs/retrievers.md', 'utf8');
  const blocks = [...text.matchAll(/^```json\n(.*?)^```/gmsu)].map(([, block = '']) => block);
  const entries = blocks
    .flatMap((block) => block.split(/\n(?=\{)/u))
    .map((entry) => /^\{\s*"type": "([\w-]+)"/u.exec(entry))
    .flatMap((match) => (match && Object.hasOwn(STORES, match[1]!) ? match.input : []));
  const types = entries.map((entry) => storeRetrieverSchema.parse(JSON.parse(entry)).type);
  assert.deepEqual([...new Set(types)].toSorted(), Object.keys(STORES).toSorted());
});

test('the lists of stores match the files', async () => {
  for (const [name, content] of Object.entries(await storeLists()))
    assert.equal(readFileSync(name, 'utf8'), content, `run: node scripts/stores.ts (${name})`);
});
