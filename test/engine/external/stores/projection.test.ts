/** Compares PAP and PAP+ over stores with scoring every passage: results called certain are right. */
import assert from 'node:assert/strict';
import { after, test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { planProjection, PROJECTION_METHODS, scoreRows } from '../../../../src/core/projection/project.ts';
import { projectedInStore } from '../../../../src/engine/external/project-in-store.ts';
import type { StoredVectors } from '../../../../src/engine/external/stores/remote-store.ts';
import { loadChroma, loadPostgres } from '../../../fixtures/stores/loading.ts';
import { orReason, startChroma, startPostgres } from '../../../fixtures/stores/real-servers.ts';
import { embedded, openStore } from './support.ts';

const postgres = await orReason(startPostgres);
const chroma = await orReason(startChroma);
after(() => Promise.all([postgres.server?.stop(), chroma.server?.stop()]));

const TOPICS = ['rivers', 'mountains', 'harbours', 'deserts', 'forests', 'islands', 'plains'];
const TEXTS = Array.from({ length: 300 }, (_, at) => ({
  id: `p${at}`,
  text: `Passage ${at} is about ${TOPICS[at % 7]} and ${TOPICS[(at * 3) % 7]}, number ${at * 7919}.`,
}));
const passages = await embedded(TEXTS);

const unit = (vector: readonly number[]): Float32Array =>
  Float32Array.from(vector, (value) => value / Math.hypot(...vector));

/** A store by cosine, with an error of up to `error`, as in half precision. */
function memoryStore(rows: readonly Float32Array[], error: number): StoredVectors {
  const near = (vector: Float32Array, row: Float32Array): number =>
    row.reduce((sum, value, at) => sum + value * vector[at]!, 0) / Math.hypot(...vector) / Math.hypot(...row);
  return {
    embedder: 'hashing',
    fetch: (keys) => Promise.resolve(new Map(keys.map((key) => [key, rows[Number(key)]!]))),
    nearest: (vector, k) =>
      Promise.resolve(
        rows
          .map((row, at) => ({ id: `${at}`, key: `${at}`, score: near(vector, row) + error * Math.sin(at) }))
          .sort((a, b) => b.score - a.score)
          .slice(0, k),
      ),
  };
}

const vectors = fc.integer({ min: 2, max: 12 }).chain((d) =>
  fc.array(
    fc
      .array(fc.integer({ min: -9, max: 9 }), { minLength: d, maxLength: d })
      .filter((values) => values.some((value) => value !== 0)),
    { minLength: 6, maxLength: 60 },
  ),
);

test('a passage that a store did not return is never ranked among certain ones', async () => {
  let some = 0;
  await fc.assert(
    fc.asyncProperty(
      vectors,
      fc.constantFrom(...PROJECTION_METHODS),
      fc.double({ min: -1, max: 3, noNaN: true }),
      fc.integer({ min: 1, max: 20 }),
      fc.constantFrom(0, 0.0008),
      async ([query, root, perspective, ...passages], method, weight, pool, error) => {
        const rows = passages.map((row) => Float32Array.from(row));
        let plan;
        try {
          plan = planProjection(method, { query, root, perspective: perspective!, weight });
        } catch {
          // The projection leaves nothing of the query.
          return;
        }
        const { results, certainty } = await projectedInStore(
          memoryStore(rows, error),
          plan,
          pool,
          { approximate: false },
          undefined,
        );
        if (!certainty) return;
        some += certainty.certain > 0 && pool < rows.length && plan.norm ? 1 : 0;
        const all = rows.map((row) => scoreRows(plan, row)[0]!).toSorted((a, b) => b - a);
        for (let place = 0; place < certainty.certain; place++)
          assert.ok(results[place]!.score >= all[place]! - 1e-12, `place ${place}`);
      },
    ),
    { numRuns: 4_000, seed: 1 },
  );
  assert.ok(some > 50, `only ${some} tell anything of PAP+`);
});

async function assertHolds(t: TestContext, spec: object, approximate: boolean): Promise<void> {
  const [query, perspective] = await embedded([
    { id: '', text: 'harbours and islands, number 7919' },
    { id: '', text: 'islands' },
  ]);
  const store = openStore(t, spec).vectors!;
  const counts: number[] = [];
  for (const [method, weight, pool] of [
    ['pap', 1, 20],
    ['pap+', 0.5, 20],
    ['pap+', 1, 100],
    ['pap+', 1, 400],
  ] as const) {
    const plan = planProjection(method, { query: query!.vector, perspective: perspective!.vector, weight });
    const { results, certainty } = await projectedInStore(
      store,
      plan,
      pool,
      { approximate, holds: 300 },
      undefined,
    );
    const all = passages
      .map(({ vector }) => scoreRows(plan, unit([...vector]))[0]!)
      .toSorted((a, b) => b - a);
    const { certain } = certainty!;
    for (let place = 0; place < certain; place++)
      assert.ok(Math.abs(results[place]!.score - all[place]!) < 1e-5, `${method}, place ${place}`);
    counts.push(certain);
  }
  assert.ok(
    counts.every((count) => count > 0),
    counts.join(),
  );
  assert.equal(counts[3], 300);
}

test('PostgreSQL', { skip: postgres.skip }, async (t) => {
  const { port } = postgres.server!;
  await loadPostgres(port, 'places', passages);
  const place = { type: 'postgres', port, database: 'postgres', user: 'postgres', table: 'places' };
  const spec = { ...place, columns: { text: 'te"xt' }, embedder: 'hashing' };
  await assertHolds(t, { ...spec, exact: true }, false);
  const byLength = openStore(t, { ...spec, distance: 'l2' }).vectors!;
  const plan = planProjection('pap', { query: passages[0]!.vector, perspective: passages[1]!.vector });
  const { certainty } = await projectedInStore(byLength, plan, 5, { approximate: false }, undefined);
  assert.equal(certainty, undefined);
});

test('Chroma', { skip: chroma.skip }, async (t) => {
  const { port } = chroma.server!;
  await loadChroma(port, 'places', passages);
  const place = {
    type: 'chroma',
    url: `http://127.0.0.1:${port}`,
    collection: 'places',
    embedder: 'hashing',
  };
  await assertHolds(t, place, true);
});
