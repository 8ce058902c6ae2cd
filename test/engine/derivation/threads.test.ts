/** Compares indexes that several threads build with those that the engine builds alone. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ParallaxError } from '../../../src/core/errors.ts';
import { DEFAULT_BM25 } from '../../../src/core/pipeline.ts';
import type { CorpusIndex } from '../../../src/engine/corpora/corpus-index.ts';
import { deriveInThreads } from '../../../src/engine/derivation/threads.ts';
import { openDatabase } from '../../../src/engine/store/database.ts';
import {
  answers,
  DENSE,
  HERE,
  IN_THREADS,
  leftovers,
  openIndex,
  PASSAGES,
  workspace,
  write,
} from './support.ts';

const CHILD = path.join(import.meta.dirname, 'update-child.ts');

async function open(t: TestContext, ...where: Parameters<typeof openIndex>): Promise<CorpusIndex> {
  const index = await openIndex(...where);
  t.after(() => index.close());
  return index;
}

test('threads give the same indexes and scores to the last bit, also after additions and reopening', async (t) => {
  const folder = workspace(t);
  const serial = await open(t, folder, 'serial', HERE);
  const parallel = await open(t, folder, 'parallel', IN_THREADS);
  await serial.update({});
  await parallel.update({});
  assert.deepEqual(await answers(parallel), await answers(serial));
  write(folder, PASSAGES, PASSAGES + 700);
  await serial.update({});
  await parallel.update({});
  const expected = await answers(serial);
  assert.deepEqual(await answers(parallel), expected);
  assert.deepEqual(await answers(await open(t, folder, 'parallel', HERE)), expected);
});

test('after cancelling the threads, the next update completes the index without leftovers', async (t) => {
  const folder = workspace(t);
  const index = await open(t, folder, 'store', IN_THREADS);
  const stop = new AbortController();
  const updating = index.update({
    signal: stop.signal,
    // The first progress of the threads, and not of the files.
    onProgress: ({ detail }) => {
      if (detail === undefined) stop.abort();
    },
  });
  await assert.rejects(updating, (error) => ParallaxError.is(error, 'cancelled'));
  await index.update({});
  const serial = await open(t, folder, 'serial', HERE);
  await serial.update({});
  assert.deepEqual(await answers(index), await answers(serial));
  const derived = readdirSync(path.join(folder, 'store')).find((name) => name.startsWith('derived-'));
  assert.ok(derived);
  assert.equal(existsSync(path.join(folder, 'store', derived, 'bm25-english.building')), false);
});

test('segments built while files are being read give the same answers', async (t) => {
  const folder = workspace(t);
  write(folder, PASSAGES, PASSAGES + 2500);
  const ahead = await open(t, folder, 'ahead', IN_THREADS, 900);
  const serial = await open(t, folder, 'serial', HERE);
  await serial.update({});
  await ahead.update({});
  const expected = await answers(serial);
  assert.deepEqual(await answers(ahead), expected);
  assert.deepEqual(leftovers(folder, 'ahead'), []);
  assert.deepEqual(await answers(await open(t, folder, 'ahead', HERE)), expected);
});

test('searches while files are being read see stored passages, and nothing is indexed twice', async (t) => {
  const folder = workspace(t);
  for (let from = PASSAGES; from < PASSAGES + 4000; from += 1000) write(folder, from, from + 1000);
  const ahead = await open(t, folder, 'ahead', IN_THREADS, 900);
  const other = await open(t, folder, 'ahead', HERE);
  const searches: Promise<unknown>[] = [];
  await ahead.update({
    onProgress: ({ detail }) => {
      if (detail === undefined) return;
      searches.push(
        ahead.searches.bm25('river tax', DEFAULT_BM25, 5, {}),
        other.searches.bm25('river tax', DEFAULT_BM25, 5, {}),
      );
    },
  });
  assert.ok(searches.length > 4);
  await Promise.all(searches);
  const serial = await open(t, folder, 'serial', HERE);
  await serial.update({});
  const expected = await answers(serial);
  assert.deepEqual(await answers(ahead), expected);
  assert.deepEqual(await answers(other), expected);
});

test('cancelled while reading files, nothing is left and the next update completes the index', async (t) => {
  const folder = workspace(t);
  for (let from = PASSAGES; from < PASSAGES + 4000; from += 1000) write(folder, from, from + 1000);
  const index = await open(t, folder, 'ahead', IN_THREADS, 500);
  const stop = new AbortController();
  const updating = index.update({ signal: stop.signal, onProgress: () => stop.abort() });
  await assert.rejects(updating, (error) => ParallaxError.is(error, 'cancelled'));
  await index.searches.bm25('river', DEFAULT_BM25, 5, {});
  assert.deepEqual(leftovers(folder, 'ahead'), []);
  await index.update({});
  const serial = await open(t, folder, 'serial', HERE);
  await serial.update({});
  assert.deepEqual(await answers(index), await answers(serial));
});

test('killed while building ahead, nothing is left and the next update completes the index', async (t) => {
  let interrupted = 0;
  for (let kill = 0; kill < 4; kill++) {
    const [folder, store] = [workspace(t), 'killed'];
    const before = await open(t, folder, store, HERE);
    await before.update({});
    for (let from = PASSAGES; from < PASSAGES + 4000; from += 1000) write(folder, from, from + 1000);
    const serial = await open(t, folder, 'serial', HERE);
    await serial.update({});
    const expected = await answers(serial);
    const child = spawn(process.execPath, [CHILD, folder, store], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    // The first segments are there; the others are in every state.
    while (child.exitCode === null && !someAhead(folder, store)) await delay(5);
    await delay(40 * kill);
    child.kill('SIGKILL');
    await ended;
    if (child.signalCode === 'SIGKILL') interrupted++;
    // Without threads no segments are built ahead, but leftovers are deleted.
    const index = await open(t, folder, store, HERE);
    await index.update({});
    assert.deepEqual(leftovers(folder, store), []);
    assert.deepEqual(await answers(index), expected);
  }
  assert.ok(interrupted >= 2, `${interrupted} were killed before they had ended`);
});

function someAhead(folder: string, store: string): boolean {
  const derived = readdirSync(path.join(folder, store)).find((name) => name.startsWith('derived-'));
  return derived !== undefined && leftovers(folder, store).length > 0;
}

test('cancelling keeps finished embeddings of threads, and the rest follows', async (t) => {
  const folder = workspace(t);
  const index = await open(t, folder, 'store', IN_THREADS);
  await index.update({});
  const stop = new AbortController();
  const embedding = index.searches.dense('river', DENSE, 1, {
    signal: stop.signal,
    onProgress: () => stop.abort(),
  });
  await assert.rejects(embedding, (error) => ParallaxError.is(error, 'cancelled'));
  const totals: number[] = [];
  await index.searches.dense('river', DENSE, 1, { onProgress: ({ total = 0 }) => void totals.push(total) });
  assert.ok(totals[0]! < PASSAGES, `${totals[0]} were embedded again`);
  const serial = await open(t, folder, 'serial', HERE);
  await serial.update({});
  assert.deepEqual(await answers(index), await answers(serial));
});

test('a text that a thread finds damaged stops the work with a sentence', async (t) => {
  const folder = workspace(t);
  const index = await open(t, folder, 'store', IN_THREADS);
  await index.update({});
  const db = openDatabase(path.join(folder, 'store/store.sqlite'));
  db.exec("UPDATE passages SET text = text || '!' WHERE slot = 3000");
  db.close();
  await assert.rejects(
    index.searches.dense('river', DENSE, 1, {}),
    (error) => ParallaxError.is(error, 'store-unusable') && /passage 3000/u.test(error.message),
  );
});

test('a thread that fails reports it, and the threads end', async () => {
  const job = {
    type: 'hashing',
    store: '/nowhere/store.sqlite',
    slots: Uint32Array.of(1),
    dimensions: 8,
  } as const;
  await assert.rejects(deriveInThreads([job, job, job], undefined).next(), (error) =>
    ParallaxError.is(error, 'store-unusable'),
  );
});
