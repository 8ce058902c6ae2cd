/** The entries for stores in docs/retrievers.md. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { STORES, storeRetrieverSchema } from '../../../src/core/external/stores.ts';

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
