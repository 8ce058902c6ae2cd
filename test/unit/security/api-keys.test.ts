/** Keys have one name in all workspaces, so that a new key must not replace an existing one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SecretStorage } from 'vscode';
import { fakeEditor } from '../../fixtures/fake-editor.ts';

fakeEditor({});
const { ApiKeys } = await import('../../../src/extension/models/api-keys.ts');

test('a new key does not replace a key of the same name from another workspace', async () => {
  const held = new Map([['parallax.key.search', 'postgres://a:one@first/db']]);
  const secrets = {
    get: (name: string) => Promise.resolve(held.get(name)),
    store: (name: string, value: string) => Promise.resolve(void held.set(name, value)),
    onDidChange: () => undefined,
  };
  const keys = new ApiKeys(secrets as unknown as SecretStorage);
  assert.equal(await keys.add('search', 'postgres://b:two@second/db'), 'search-2');
  assert.equal(await keys.add('search', 'postgres://b:two@second/db'), 'search-2');
  assert.equal(await keys.add('find', 'postgres://c:three@third/db'), 'find');
  assert.deepEqual(await keys.read(['search', 'search-2', 'find']), {
    search: 'postgres://a:one@first/db',
    'search-2': 'postgres://b:two@second/db',
    find: 'postgres://c:three@third/db',
  });
});
