/** One turn of the long run with a fixed seed. `npm run bench -- long-run --minutes 60` runs it longer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LongRun, STAGES } from './support/long-run.ts';

const SEED = 20_261_123;
/**
 * The other tests in this folder cover most stages. Only this one runs the inputs that are meant to be expensive.
 * `deriving` is left out because it needs a large corpus; the kill tests build one.
 */
const KILLS = ['embedding', 'judging'] as const;
const SIZES = {
  ...{ kills: KILLS, damages: 2, exchanges: 2, servers: 1, documents: 1, costs: 1 },
  ...{ sockets: 7, histories: 2, exits: 2, signals: 2 },
};

test('one turn of the long run passes', async (t) => {
  const run = await LongRun.start(SEED, SIZES);
  t.after(() => run.close());
  await run.turn();
  for (const stage of STAGES) {
    const { tried, faults } = run.tallies.get(stage)!;
    assert.deepEqual(faults, [], stage);
    assert.ok(tried >= 2, stage);
    t.diagnostic(`${stage}: ${tried}`);
  }
});
