/** Addresses of extracted documents, which anybody can write. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentNamedBy, queryOf } from '../../../src/extension/passages/extracted-query.ts';

test('a query names the document that it was written for', () => {
  const document = { corpus: 'docs "a"', documentId: 'folder/b & c.pdf' };
  assert.deepEqual(documentNamedBy(queryOf(document)), document);
});

test('any other query names none', () => {
  for (const query of ['', 'x', 'null', '[]', '{"corpus": "docs"}', '{"corpus": 1, "documentId": "a"}'])
    assert.equal(documentNamedBy(query), undefined, query);
});
