/** One turn of the long run, with a fixed seed; for as long as one likes: `npm run bench -- long-run --minutes 60`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LongRun, STAGES } from './support/long-run.ts';

const SEED = 20_261_123;
/**
 * The tests beside this one do the rest: what only this one does is the inputs that are meant to cost. A corpus that is large
 * enough to be killed while it derives is made there.
 */
const KILLS = ['indexing', 'embedding', 'judging', 'judging'] as const;
const SIZES = {
  ...{ kills: KILLS, damages: 4, exchanges: 4, servers: 3, documents: 3, costs: 2 },
  ...{ sockets: 20, histories: 4, exits: 4, signals: 4 },
};

test('a turn of all that the long run does', async (t) => {
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
