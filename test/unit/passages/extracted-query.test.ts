/** URIs of extracted documents, which any extension can create. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentNamedBy, queryOf } from '../../../src/extension/passages/extracted-query.ts';

test('a query contains the document it was created for', () => {
  const document = { corpus: 'docs "a"', documentId: 'folder/b & c.pdf' };
  assert.deepEqual(documentNamedBy(queryOf(document)), document);
});

test('other queries contain none', () => {
  for (const query of ['', 'x', 'null', '[]', '{"corpus": "docs"}', '{"corpus": 1, "documentId": "a"}'])
    assert.equal(documentNamedBy(query), undefined, query);
});
