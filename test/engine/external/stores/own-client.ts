/** Shared tests of stores that are read by a project's client, on the same passages. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { ExternalRetrievers } from '../../../../src/engine/external/external-retrievers.ts';
import type { RemoteStore } from '../../../../src/engine/external/stores/remote-store.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';
import { embedded, retrievers, storeSpec } from './support.ts';

export const TEXTS = Array.from({ length: 250 }, (_, index) => ({
  id: `p${index}`,
  text: `Passage ${index} is about ${['rivers', 'mountains', 'harbours', 'deserts', 'forests'][index % 5]} number ${index}.`,
}));
export const passages = await embedded(TEXTS);
export const QUERY = { text: 'harbours number 42' };

export const ids = (found: readonly { id?: string | undefined }[]): (string | undefined)[] =>
  found.map(({ id }) => id);

/** Ids and inner products of unit vectors, best first. */
export async function expected(text: string, k: number): Promise<{ id: string; score: number }[]> {
  const [query] = await embedded([{ id: 'q', text }]);
  const score = (vector: Float32Array): number =>
    vector.reduce((sum, value, index) => sum + value * query!.vector[index]!, 0);
  return passages
    .map(({ id, vector }) => ({ id, score: score(vector) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, k);
}

/** Asserts the best three passages, with their cosines and locations. */
export async function assertFindsBest(store: RemoteStore): Promise<void> {
  const results = await store.search(QUERY, 3);
  const best = await expected(QUERY.text, 3);
  assert.deepEqual(ids(results), ids(best));
  for (const [place, { score }] of results.entries())
    assert.ok(Math.abs(score - best[place]!.score) < 1e-6, `rank ${place + 1}`);
  assert.equal(results[0]!.text, 'Passage 42 is about harbours number 42.');
  assert.equal(results[0]!.about?.source, 'doc-p42');
  assert.equal(results[0]!.about?.page, '42');
}

/** @param store with a filter for passages of even numbers, except that of `doc-p42` */
export async function assertKeepsFilter(store: RemoteStore): Promise<void> {
  const results = await store.search(QUERY, 200);
  assert.equal(results.length, 124);
  assert.ok(results.every(({ id }) => id !== 'p42' && Number(id!.slice(1)) % 2 === 0));
  assert.equal(await store.count(), 124);
  assert.deepEqual(ids(await store.records(['p8', 'p7', 'p42'])), ['p8']);
  assert.equal((await store.first!(200)).length, 124);
}

/** Asserts that missing ids yield nothing, and that an id cannot end a string. */
export async function assertComesByIds(store: RemoteStore): Promise<void> {
  const [record, none] = await store.records(['p8', 'gone', "it's"]);
  assert.equal(record!.text, TEXTS[8]!.text);
  assert.equal(none, undefined);
  assert.deepEqual(await store.records([]), []);
  const vectors = await store.vectors!.fetch(['p7', 'gone']);
  assert.deepEqual([...vectors], [['p7', passages[7]!.vector]]);
}

/** A project with these packages, each given by the text of its only file. */
export function projectWith(t: TestContext, packages: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder(t);
  for (const [name, text] of Object.entries(packages)) {
    const place = path.join(folder, 'node_modules', name);
    mkdirSync(place, { recursive: true });
    writeFileSync(path.join(place, 'package.json'), '{"main": "index.js"}');
    writeFileSync(path.join(place, 'index.js'), text);
  }
  return folder;
}

/** Asserts that packages of a workspace run only once it is trusted. @param spec with the folder of their project */
export async function assertWaitsForTrust(
  t: TestContext,
  names: readonly string[],
  spec: (client: string) => object,
): Promise<void> {
  const mark = path.join(temporaryFolder(t), 'loaded');
  const marking = `require('node:fs').writeFileSync(${JSON.stringify(mark)}, '')`;
  const client = projectWith(t, Object.fromEntries(names.map((name) => [name, marking])));
  const untrusted = new ExternalRetrievers({ base: '.', trusted: false, keys: {} }, () => assert.fail());
  const place = storeSpec(spec(client));
  assert.throws(() => untrusted.store(place), { id: 'untrusted' });
  assert.equal((await untrusted.check(place, undefined)).ok, false);
  assert.equal(existsSync(mark), false);
  await retrievers(t).check(place, undefined);
  assert.equal(existsSync(mark), true);
}
