/** An index in an image or on a read-only disk. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { evalCommand } from '../../../src/cli/commands/eval-command.ts';
import { indexCommand } from '../../../src/cli/commands/index-command.ts';
import { searchCommand } from '../../../src/cli/commands/search-command.ts';
import { SmallDisk } from '../faults/support/small-disk.ts';
import { files, inputs, run, topics } from './support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const AMPLE = 50 * 2 ** 20;
const HYBRID = JSON.stringify({
  retriever: { type: 'hybrid', retrievers: [{ type: 'bm25' }, { type: 'dense' }] },
});

function smallDisk(t: TestContext): SmallDisk | undefined {
  const disk = SmallDisk.mount(AMPLE);
  if (disk) t.after(() => disk.unmount());
  else t.skip('cannot run here: mounting a file system is not permitted');
  return disk;
}

/** Every file of a folder with its size and times. */
function stateOf(folder: string): unknown {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => [name, statSync(path.join(folder, name)).size, statSync(path.join(folder, name)).mtimeMs]);
}

/** Puts copies into this folder until the test ends. */
function cachesIn(t: TestContext, folder: string): string {
  const before = process.env['XDG_CACHE_HOME'];
  process.env['XDG_CACHE_HOME'] = folder;
  t.after(() => {
    if (before === undefined) delete process.env['XDG_CACHE_HOME'];
    else process.env['XDG_CACHE_HOME'] = before;
  });
  return path.join(folder, 'parallax', 'stores');
}

test('a read-only index is searched and evaluated, and stays unchanged', async (t) => {
  const disk = smallDisk(t);
  if (!disk) return;
  const copies = cachesIn(t, temporaryFolder(t));
  const places = await files(t, topics(3));
  const docs = path.join(disk.folder, 'docs');
  mkdirSync(docs);
  for (const n of [1, 2, 3]) writeFileSync(path.join(docs, `${n}.md`), `topic${n} is here\n`);
  const store = path.join(disk.folder, 'store');
  const evaluated = path.join(disk.folder, 'evaluated');
  const evaluation = [...inputs(places), '--store', evaluated, '--pipeline', 'bm25', '--k', '2'];
  assert.equal((await run(indexCommand, docs, '--store', store)).code, 0);
  const warm = await run(evalCommand, ...evaluation);
  const found = await run(searchCommand, 'topic2', '--store', store, '--pipeline', HYBRID);
  assert.deepEqual([warm.code, found.code], [0, 0], warm.stderr + found.stderr);
  disk.makeReadOnly();
  const before = stateOf(disk.folder);

  for (const time of ['made', 'there already']) {
    const again = await run(searchCommand, 'topic2', '--store', store, '--pipeline', HYBRID);
    assert.equal(again.stdout, found.stdout, `the copy is ${time}`);
    assert.match(
      again.stderr,
      /cannot be written: this works on a copy of it, .* New judgements are kept there\./u,
    );
  }
  const compared = await run(evalCommand, ...evaluation);
  assert.equal(compared.stdout, warm.stdout);
  assert.equal(readdirSync(copies).length, 2, 'one for each index');
  assert.deepEqual(stateOf(disk.folder), before);
  for (const name of readdirSync(copies))
    assert.equal(statSync(path.join(copies, name)).mode & 0o077, 0, `${name} is for its owner alone`);

  const indexed = await run(indexCommand, docs, '--store', store).catch((error: unknown) => error);
  assert.match(String(indexed), /The index in .* cannot be written\. Make the folder writable/u);
});

test('without any writable folder, the copy is deleted with the command', async (t) => {
  const disk = smallDisk(t);
  if (!disk) return;
  cachesIn(t, disk.folder);
  const store = path.join(disk.folder, 'store');
  const places = await files(t, { docs: 'topic1 is here' });
  assert.equal((await run(indexCommand, places.docs, '--store', store)).code, 0);
  disk.makeReadOnly();
  const { code, stderr } = await run(searchCommand, 'topic1', '--store', store);
  assert.equal(code, 0);
  const [, copy] = /a copy of it, (.*)\. It is removed afterwards\./u.exec(stderr)!;
  assert.throws(() => statSync(copy!), { code: 'ENOENT' });
});
