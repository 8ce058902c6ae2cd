import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePirTask } from '../../../src/core/formats/pir.ts';
import { refuses } from '../analysis/support.ts';

const task = {
  corpus: ['Trams pay.', 'Trams cost.', 'Rails rust.'],
  queries: ['Find support for: trams', 'Find opposition to: trams'],
  source_queries: ['trams', 'trams'],
  perspectives: ['support', 'opposition'],
  query_labels: ['support', 'undermine'],
  key_ref: { '0': [0], '1': [1, 2] },
};
const parse = (changes: object): unknown =>
  parsePirTask(JSON.stringify({ ...task, ...changes }), 'tram.json');

test('reads passages and queries; ids are places', () => {
  const { corpus, queries } = parsePirTask(JSON.stringify(task), 'tram.json');
  assert.deepEqual(corpus[2], { id: '2', text: 'Rails rust.' });
  assert.deepEqual(queries[1], {
    id: '1',
    text: 'Find opposition to: trams',
    root: 'trams',
    perspective: 'opposition',
    label: 'undermine',
    gold: new Set(['1', '2']),
  });
});

test('right passages are a number, or digits as in the later version', () => {
  const { queries } = parsePirTask(
    JSON.stringify({ ...task, key_ref: { 0: 2, 1: ['1', '0'] } }),
    'tram.json',
  );
  assert.deepEqual(
    queries.map(({ gold }) => gold),
    [new Set(['2']), new Set(['1', '0'])],
  );
});

test('errors name the file and the field', () => {
  const bad = (changes: object, message: RegExp): void => refuses(() => parse(changes), message, 'bad-file');
  refuses(() => parsePirTask('{', 'tram.json'), /^tram\.json is not a PIR task: not JSON/, 'bad-file');
  refuses(() => parsePirTask('[]', 'tram.json'), /tram\.json is not a PIR task/, 'bad-file');
  refuses(() => parsePirTask('{"story": {}}', 'all.json'), /corpus/, 'bad-file');
  bad({ corpus: [] }, /corpus: must not be empty/);
  bad({ queries: 'q' }, /queries: .*"q"/);
  bad({ perspectives: ['support'] }, /perspectives has 1 entries for 2 queries/);
  bad({ query_labels: ['a', 'b', 'c'] }, /query_labels has 3 entries for 2/);
  bad({ source_queries: ['trams', 5] }, /source_queries\.1: .*5/);
  bad({ key_ref: { 0: [0] } }, /key_ref has no entry for query 1/);
  bad({ key_ref: { 0: [0], 1: [3] } }, /key_ref\.1 names passage 3, but the corpus ends at 2/);
  for (const wrong of [[], [-1], [0.5], ['x'], null, 'one', [NaN]])
    bad({ key_ref: { 0: [0], 1: wrong } }, /key_ref\.1/);
});
