/** A disk that fills up while threads derive indexes on it. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { CorpusIndex } from '../../../src/engine/corpora/corpus-index.ts';
import { refusedInWords } from '../faults/support/refusal.ts';
import { SmallDisk } from '../faults/support/small-disk.ts';
import { answers, HERE, IN_THREADS, leftovers, openIndex, PASSAGES, workspace, write } from './support.ts';

const AMPLE = 100 * 2 ** 20;
const MORE = 4000;
/** Free space when the work begins. With each, the work runs out of space at another point. */
const ROOM = [100, 2_300, 3_800].map((kilobytes) => kilobytes * 1024);

test('a disk that fills up while threads write is reported, and work continues with room', async (t) => {
  const disk = SmallDisk.mount(AMPLE);
  if (!disk) return t.skip('cannot run here: mounting a file system is not permitted');
  t.after(() => disk.unmount());
  const folder = workspace(t);
  const store = (room: number): string => path.join(disk.folder, `store-${room}`);
  for (const room of ROOM) await using(folder, store(room), (index) => index.update({}));
  write(folder, PASSAGES, PASSAGES + MORE);
  const expected = await using(folder, 'serial', updated, HERE);

  for (const room of ROOM) {
    disk.leave(room);
    const refusal = await using(folder, store(room), (index) => refusedInWords(updated(index)));
    t.diagnostic(`${room / 1024} kB: ${refusal ?? 'enough'}`);
    disk.leave(AMPLE);
    assert.deepEqual(leftovers(folder, store(room)), []);
    assert.deepEqual(await using(folder, store(room), updated), expected);
  }
});

async function using<T>(
  folder: string,
  store: string,
  work: (index: CorpusIndex) => Promise<T>,
  threadsFrom = IN_THREADS,
): Promise<T> {
  const index = await openIndex(folder, store, threadsFrom, 2000);
  try {
    return await work(index);
  } finally {
    await index.close();
  }
}

async function updated(index: CorpusIndex): Promise<unknown> {
  await index.update({});
  return answers(index);
}
