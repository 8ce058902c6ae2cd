/** Texts of models are cached, and requested again if they cannot be read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GenerationCache } from '../../../src/engine/generation/generation-cache.ts';
import { openDatabase } from '../../../src/engine/store/database.ts';

test('a written text is returned', async () => {
  const cache = new GenerationCache(openDatabase(':memory:'));
  assert.deepEqual(await cache.get('k', 'q', () => Promise.resolve(['one'])), ['one']);
  assert.deepEqual(await cache.get('k', 'q', assert.fail), ['one']);
});

for (const damaged of ['["one"', '{}', '[1]', 'f00 ["one"]'])
  test(`${damaged} is no list of texts, and is requested again`, async () => {
    const database = openDatabase(':memory:');
    const cache = new GenerationCache(database);
    await cache.get('k', 'q', () => Promise.resolve(['one']));
    database.prepare('UPDATE generations_1 SET answer = ?').run(damaged);
    assert.deepEqual(await cache.get('k', 'q', () => Promise.resolve(['two'])), ['two']);
    assert.deepEqual(await cache.get('k', 'q', assert.fail), ['two']);
  });
