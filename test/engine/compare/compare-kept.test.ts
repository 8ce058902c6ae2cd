/** Stored comparisons and their rankings. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { KeptComparisons } from '../../../src/features/compare/engine/kept-comparisons.ts';
import { openDatabase } from '../../../src/engine/store/database.ts';
import type { Evaluation } from '../../../src/evaluation/evaluation.ts';
import { keptComparisonSchema, movementSchema } from '../../../src/features/compare/contract/panel.ts';
import { BM25, DENSE, evalQuery, refuses, Workspace } from './compare-support.ts';

const QUERIES = [evalQuery('dam', 'dam power', 'for', 'against'), evalQuery('fish', 'fish', 'for')];

async function compared(t: TestContext): Promise<{ workspace: Workspace; comparison: Evaluation }> {
  const workspace = new Workspace(t);
  await workspace.corpus('corpus', {
    a: 'the dam floods the valley',
    b: 'the dam gives power to a city',
    c: 'a fish swims',
  });
  workspace.label('dam for b', 'dam against a', 'fish for !c');
  const comparison = await workspace.compare({ bm25: BM25, dense: DENSE }, [{ queries: QUERIES }]);
  return { workspace, comparison };
}

test('a comparison can be reopened completely after a restart', async (t) => {
  const { workspace, comparison } = await compared(t);
  await workspace.restart();
  const { kept } = await workspace.engine.keptComparisons();
  assert.deepEqual(kept, [
    {
      id: comparison.id,
      at: comparison.at,
      datasets: ['set'],
      pipelines: ['bm25', 'dense'],
      queries: 2,
      k: 5,
    },
  ]);
  assert.deepEqual(await workspace.engine.keptComparison({ id: comparison.id }), comparison);
});

test('the newest comes first, and a deleted one is gone with its rankings', async (t) => {
  const { workspace, comparison } = await compared(t);
  const second = await workspace.compare({ bm25: BM25 }, [{ queries: QUERIES }], { k: 2 });
  const ids = async () => (await workspace.engine.keptComparisons()).kept.map(({ id }) => id);
  assert.deepEqual(await ids(), [second.id, comparison.id]);
  await workspace.engine.forgetComparison({ id: comparison.id });
  await workspace.engine.forgetComparison({ id: comparison.id });
  assert.deepEqual(await ids(), [second.id]);
  await refuses(workspace.engine.keptComparison({ id: comparison.id }), /no longer kept/u, 'not-found');
  const rows = openDatabase(workspace.database)
    .prepare('SELECT DISTINCT comparison FROM comparison_rankings_1')
    .all();
  assert.equal(rows.length, 1);
});

test('movement: each pipeline’s ranking of a query, with known support', async (t) => {
  const { workspace, comparison } = await compared(t);
  await workspace.restart();
  const ask = (depth: number, queryId = 'dam') =>
    workspace.engine.movement({ id: comparison.id, dataset: 'set', queryId, depth });
  const { passages } = movementSchema.parse(await ask(100));
  assert.deepEqual(
    passages.map(({ id, title, supports }) => [id, title, supports]),
    [
      ['b', 'b', ['for']],
      ['a', 'a', ['against']],
      ['c', 'c', []],
    ],
  );
  assert.deepEqual(
    passages.map(({ ranks }) => ranks[0]),
    [1, 2, null],
    'BM25 does not find the fish',
  );
  assert.ok(
    passages.every(({ ranks }) => ranks[1] !== null),
    'a scan ranks everything',
  );
  assert.deepEqual(
    (await ask(1)).passages.map(({ id }) => id),
    ['b'],
  );
  assert.deepEqual((await ask(5, 'fish')).passages[0]!.supports, [], 'a labelled no is no support');
  await refuses(ask(5, 'frogs'), /no.*question "frogs" in "set"/iu, 'not-found');
});

test('movement agrees with its comparison, even if corpus and labels changed since', async (t) => {
  const { workspace, comparison } = await compared(t);
  const ask = () =>
    workspace.engine.movement({ id: comparison.id, dataset: 'set', queryId: 'dam', depth: 10 });
  const before = await ask();
  workspace.label('dam for !b');
  workspace.write('corpus', { z: 'something else' });
  await workspace.index('corpus');
  assert.deepEqual(await ask(), before);
});

const damage = {
  'a damaged comparison': "UPDATE comparisons_1 SET content = x'00'",
  'one without content': "UPDATE comparisons_1 SET content = ''",
  'a damaged summary': 'UPDATE comparisons_1 SET summary = \'{"id":1}\'',
  'one of whose summary a letter changed':
    "UPDATE comparisons_1 SET summary = replace(summary, 'bm25', 'bm26')",
  'one of an older form': 'UPDATE comparisons_1 SET form = 0',
};
for (const [what, sql] of Object.entries(damage))
  test(`${what} is omitted and logged, and the others stay`, async (t) => {
    const { workspace, comparison } = await compared(t);
    const second = await workspace.compare({ bm25: BM25 }, [{ queries: QUERIES }]);
    const database = openDatabase(workspace.database);
    database.exec(`${sql} WHERE id = '${comparison.id}'`);
    database.close();
    await workspace.restart();
    for (let time = 0; time < 2; time++) {
      const { kept } = await workspace.engine.keptComparisons();
      assert.deepEqual(
        kept.map(({ id }) => id),
        [second.id],
      );
    }
    const lines = workspace.logged.filter((line) => line.includes(comparison.id));
    assert.equal(lines.length, 1, 'logged once');
  });

test('damaged content is reported in a sentence when it is opened', async (t) => {
  const { workspace, comparison } = await compared(t);
  const database = openDatabase(workspace.database);
  database.exec("UPDATE comparisons_1 SET content = x'00'");
  database.exec("UPDATE comparison_rankings_1 SET rankings = x'00'");
  database.close();
  const { id } = comparison;
  await refuses(workspace.engine.keptComparison({ id }), /can no longer be read/u, 'not-found');
  const movement = workspace.engine.movement({ id, dataset: 'set', queryId: 'dam', depth: 5 });
  await refuses(movement, /can no longer be read/u, 'not-found');
});

test('a changed byte within a ranking yields no answer', async (t) => {
  const { workspace, comparison } = await compared(t);
  const database = openDatabase(workspace.database);
  const { rankings } = database.prepare('SELECT rankings FROM comparison_rankings_1').get()!;
  assert.ok(rankings instanceof Uint8Array);
  const movement = { id: comparison.id, dataset: 'set', queryId: 'dam', depth: 5 };
  const flipped = rankings.slice();
  flipped[rankings.length >> 1]! ^= 4;
  const set = database.prepare('UPDATE comparison_rankings_1 SET rankings = ?');
  set.run(flipped);
  await refuses(workspace.engine.movement(movement), /can no longer be read/u, 'not-found');
  database.close();
});

test('the oldest are deleted beyond the capacity', async (t) => {
  const { comparison } = await compared(t);
  const kept = new KeptComparisons(openDatabase(':memory:'), assert.fail, 2);
  for (const id of ['first', 'second', 'third']) await kept.add({ ...comparison, id }, []);
  assert.deepEqual(
    kept.list().map((one) => keptComparisonSchema.parse(one).id),
    ['third', 'second'],
  );
});
