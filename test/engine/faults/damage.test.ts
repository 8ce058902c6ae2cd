/** Damaged files of an index. `npm run bench -- faults --damage 1` tries every byte. */
import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DamageHarness, type Outcome } from './support/damage.ts';
import { findings, index, undisturbed } from './support/engines.ts';
import { BM25, CORPUS, densePipeline, Workspace } from './support/workspace.ts';

const SEED = 7;
/** SQLite's header is the longest. */
const HEADER_BYTES = 100;
const STRIDE = 40;
const PLACES_AT_MOST = 7;

/** Every 20th byte of the header, and {@link PLACES_AT_MOST} of the rest; which bit depends on the place. */
function flips(bytes: number): { flip: number; mask: number }[] {
  const rest = Math.max(STRIDE, Math.floor(bytes / PLACES_AT_MOST));
  const places: number[] = [];
  for (let at = 0; at < bytes; at += at < HEADER_BYTES ? 20 : rest + (at % 7)) places.push(at);
  return places.map((flip) => ({ flip, mask: 1 << (flip % 8) }));
}

test('an index with a flipped byte, a cut or a missing file answers as before or reports damage', async (t) => {
  const harness = await DamageHarness.start(SEED);
  t.after(() => harness.close());
  const { files } = harness;
  const kinds = ['store.sqlite', 'judgements.sqlite', '.bm25', '.f32', '.hnsw', '.json'];
  for (const kind of kinds)
    assert.ok(
      files.some(({ name }) => name.endsWith(kind)),
      `there is a ${kind}`,
    );
  for (const { name, bytes } of files) {
    const cuts = [0, 1, Math.floor(bytes / 2), bytes - 1].map((length) => ({ length }));
    const seen = new Map<Outcome, number>();
    for (const damage of [...flips(bytes), ...cuts, 'missing'] as const) {
      const outcome = await harness.suffer(name, damage).catch((error: unknown) => {
        throw new Error(`${name}, ${JSON.stringify(damage)}`, { cause: error });
      });
      seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
    }
    t.diagnostic(`${name}: ${[...seen].map(([outcome, times]) => `${outcome} ${times}`).join(', ')}`);
  }
});

test('a store without its last transactions reuses no slot for another passage of an index', async (t) => {
  const workspace = new Workspace({ seed: 9, files: 6 });
  t.after(() => workspace.remove());
  const config = workspace.config();
  const pipelines = [BM25, densePipeline('small')];
  const update = (own = config): ReturnType<typeof findings> =>
    undisturbed(own, async (engine) => {
      await index(engine);
      return findings(engine, pipelines);
    });
  await update();
  const store = path.join(config.storage, CORPUS, 'store.sqlite');
  cpSync(store, `${store}.before`);
  const added = workspace.addFile();
  await update();
  // As after a power cut: the last transactions of the store are lost, but not the files derived from it.
  cpSync(`${store}.before`, store);
  rmSync(`${store}.before`);
  workspace.rewrite(added);
  assert.deepEqual(await update(), await update(workspace.config('undisturbed')));
});

test('a changed letter in a passage, a judgement or a column name yields no wrong answer', async (t) => {
  const harness = await DamageHarness.start(SEED);
  t.after(() => harness.close());
  for (const [name, text] of [
    ['judgements.sqlite', 'Answer 5'],
    [`${CORPUS}/store.sqlite`, 'worda0'],
    // The statements that created the tables are text, too.
    [`${CORPUS}/store.sqlite`, 'first_line'],
  ] as const) {
    const places = harness.placesOf(name, text);
    const outcomes: Outcome[] = [];
    // Many matches are remains of earlier pages, which are never read.
    for (const flip of places.reverse())
      if (!outcomes.includes('built again')) outcomes.push(await harness.suffer(name, { flip, mask: 2 }));
    assert.ok(outcomes.includes('built again'), `${name}: ${outcomes.join(', ')}`);
  }
});

test("answers survive a changed letter in the name of another table's column", async (t) => {
  const harness = await DamageHarness.start(SEED);
  t.after(() => harness.close());
  const outcomes: Outcome[] = [];
  for (const flip of harness.placesOf('judgements.sqlite', 'owner TEXT'))
    outcomes.push(await harness.suffer('judgements.sqlite', { flip, mask: 2 }));
  assert.ok(outcomes.length > 0);
  assert.deepEqual(new Set(outcomes), new Set(['harmless']));
});
