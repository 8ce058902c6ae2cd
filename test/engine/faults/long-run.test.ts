/** One turn of the long run with a fixed seed. `npm run bench -- long-run --minutes 60` runs it longer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LongRun, STAGES } from './support/long-run.ts';

const SEED = 20_261_123;
/**
 * The other tests in this folder cover most stages. Only this one runs the inputs that are meant to be expensive.
 * `deriving` is left out because it needs a large corpus; the kill tests build one.
 */
const KILLS = ['indexing', 'embedding', 'judging', 'judging'] as const;
const SIZES = {
  ...{ kills: KILLS, damages: 4, exchanges: 4, servers: 3, documents: 3, costs: 2 },
  ...{ sockets: 20, histories: 4, exits: 4, signals: 4 },
};

test('one turn of the long run passes', async (t) => {
  const run = await LongRun.start(SEED, SIZES);
  t.after(() => run.close());
  await run.turn();
  for (const stage of STAGES) {
    const { tried, faults } = run.tallies.get(stage)!;
    assert.deepEqual(faults, [], stage);
    assert.ok(tried >= 4, stage);
    t.diagnostic(`${stage}: ${tried}`);
  }
});
