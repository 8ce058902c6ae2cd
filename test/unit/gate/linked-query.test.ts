/** From a failure in the Testing view to its query in the side panel. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addressOf,
  linkedQuery,
  queryLink,
  type LinkedQuery,
  type QueryLink,
} from '../../../src/features/gate/host/linked-query.ts';
import { configSchema } from '../../../src/shared/config.ts';

const SET = 'eval/a (b).jsonl';
const query = { evalSet: SET, id: 'q)1', text: 'What?', perspectives: [] };
const config = configSchema.parse({
  pipelines: { 'mine (new)': { retriever: { type: 'bm25' }, k: 3 } },
  gate: { pipelines: ['bm25', 'mine (new)'] },
});
const workspace = { config, evalQueries: [query] };
const link: QueryLink = { evalSet: SET, query: query.id, pipeline: 'mine (new)' };
const item = { id: query.id, parent: { id: SET } };
const meant = (target: unknown): LinkedQuery | undefined => {
  const found = queryLink(target);
  return found && linkedQuery(found, workspace);
};
const message = { message: { value: `q failed [x](y)\n\n[Open](${addressOf(link)})` } };

test('reads a link, a message with its item, or an item with its first evaluated pipeline', () => {
  assert.deepEqual(meant(link), { query, pipeline: config.pipelines['mine (new)'] });
  assert.equal(meant({ test: item, message })!.pipeline.k, 3);
  assert.equal(meant({ test: item, message: { message: 'plain' } })!.pipeline.k, 5);
  assert.equal(meant(item)!.pipeline.k, 5);
});

test('an unknown query has no target', () => {
  for (const odd of [
    ...[undefined, null, 'text', { id: SET }, { id: 'other', parent: { id: SET } }],
    ...[
      { ...link, pipeline: 'gone' },
      { ...link, pipeline: 'constructor' },
      { ...link, query: 'gone' },
      { ...link, query: 1 },
    ],
    ...[{ message: null }, { test: null }, { test: {}, message: { message: { value: 1 } } }],
  ])
    assert.equal(meant(odd), undefined);
});

test('an invalid link opens the item of the message', () => {
  const [address] = addressOf(link).split('?');
  for (const argument of ['', '%', '{}', '%5B%5D', '%5B1%5D', '7']) {
    const odd = { message: { value: `[Open](${address}?${argument})` } };
    assert.equal(meant({ test: item, message: odd })!.pipeline.k, 5, argument);
  }
});
