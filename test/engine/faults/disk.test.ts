/** Full disks and folders that cannot be written. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Params } from '../../../src/shared/rpc.ts';
import { startModelServer, verdictReply } from '../../fixtures/model-server.ts';
import { findings, index, undisturbed, type Asked } from './support/engines.ts';
import { refusedInWords } from './support/refusal.ts';
import { SmallDisk } from './support/small-disk.ts';
import { BM25, CORPUS, densePipeline, JUDGE, Workspace } from './support/workspace.ts';

const AMPLE = 50 * 2 ** 20;
const PIPELINES = [BM25, densePipeline('small')];
/** Free space when the work begins, in bytes. With each, the work runs out of space at another point. */
const ROOM = [0, 16, 64, 256, 900, 2_000, 2_800].map((kilobytes) => kilobytes * 1024);

function smallDisk(t: TestContext): SmallDisk | undefined {
  const disk = SmallDisk.mount(AMPLE);
  if (disk) t.after(() => disk.unmount());
  else t.skip('cannot run here: mounting a file system is not permitted');
  return disk;
}

/** The file that could not be written. */
const culpritOf = (refusal: string | undefined): string =>
  refusal === undefined ? 'enough' : (/[\w-]+\.\w+(?= |\.|:)/.exec(refusal)?.[0] ?? refusal);

async function matterOf(engine: Asked): Promise<Params<'judge'>> {
  const { candidates } = await engine.request('search', {
    corpus: CORPUS,
    query: { text: 'worda0' },
    perspectives: [],
    pipeline: BM25,
  });
  const slots = candidates.slice(0, 5).map(({ slot }) => slot);
  const perspectives = [{ id: 'p', text: 'It is so.' }];
  return { corpus: CORPUS, judge: JUDGE, query: { text: 'Which?' }, perspectives, slots };
}

test('a full disk is reported, loses nothing that was stored, and work continues once there is room', async (t) => {
  const disk = smallDisk(t);
  if (!disk) return;
  const server = await startModelServer({ chat: [verdictReply('yes')] });
  t.after(() => server.close());
  for (const room of ROOM) {
    const workspace = new Workspace({ seed: room, files: 10 });
    t.after(() => workspace.remove());
    const config = workspace.config(path.join(disk.folder, `storage-${room}`), server.url);
    const refusals: (string | undefined)[] = [];
    await undisturbed(config, async (engine) => {
      await index(engine);
      const before = await matterOf(engine);
      await engine.request('judge', before);
      const known = (await engine.request('judgements', before)).pairs;
      assert.equal(known.length, 5);

      for (let n = 0; n < 150; n++) workspace.addFile();
      workspace.writeRecords(300);
      disk.leave(room);
      refusals.push(await refusedInWords(index(engine)));
      refusals.push(await refusedInWords(findings(engine, PIPELINES)));
      const other = { ...before, perspectives: [{ id: 'o', text: 'x '.repeat(50_000) }] };
      const report = await engine.request('judge', other);
      if (report.error !== undefined) assert.equal(report.errorId, 'store-unusable', report.error);
      refusals.push(report.error);
      assert.deepEqual((await engine.request('judgements', before)).pairs, known);
    });
    disk.leave(AMPLE);
    t.diagnostic(`${room / 1024} kB: ${refusals.map(culpritOf).join(', ')}`);
    const expected = await undisturbed(workspace.config('elsewhere'), async (engine) => {
      await index(engine);
      return findings(engine, PIPELINES);
    });
    await undisturbed(config, async (engine) => {
      const judgingTask = await matterOf(engine);
      await index(engine);
      assert.deepEqual(await findings(engine, PIPELINES), expected);
      assert.ok(judgingTask.slots.length > 0, 'what was stored before could be found at once');
    });
  }
});

test('a read-only storage folder is reported', async (t) => {
  const disk = smallDisk(t);
  if (!disk) return;
  const workspace = new Workspace({ seed: 1, files: 3 });
  t.after(() => workspace.remove());
  const config = workspace.config(path.join(disk.folder, 'storage'));
  await undisturbed(config, (engine) => index(engine));
  disk.makeReadOnly();
  assert.ok(await refusedInWords(undisturbed(config, (engine) => index(engine))));
  const fresh = workspace.config(path.join(disk.folder, 'fresh'));
  assert.ok(await refusedInWords(undisturbed(fresh, (engine) => index(engine))));
});

test('a storage folder that cannot be created is reported', async (t) => {
  const workspace = new Workspace({ seed: 1, files: 3 });
  t.after(() => workspace.remove());
  writeFileSync(path.join(workspace.folder, 'file'), 'no folder');
  const config = workspace.config('file/storage');
  assert.ok(await refusedInWords(undisturbed(config, (engine) => index(engine))));
  const [corpus] = config.corpora;
  const partly = { ...config, storage: path.join(workspace.folder, 'storage') };
  assert.ok(corpus && (await refusedInWords(undisturbed(partly, (engine) => index(engine)))));
});
