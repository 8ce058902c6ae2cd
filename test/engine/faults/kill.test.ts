/** Engines killed during their work. The long runs are `npm run bench -- faults` and `-- long-run`. */
import { test } from 'node:test';
import { KillHarness, WORKS } from './support/kills.ts';

const SEED = 20_261_121;

for (const work of WORKS)
  test(`an engine killed while ${work} loses nothing it reported, and the next one continues`, async (t) => {
    const harness = await KillHarness.start(SEED);
    t.after(() => harness.close());
    const { afterMs, reported, total, repeated } = await harness.kill(work);
    t.diagnostic(`after ${Math.round(afterMs)} ms: ${reported} of ${total} reported, ${repeated} repeated`);
  });
