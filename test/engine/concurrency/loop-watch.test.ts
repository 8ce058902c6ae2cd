import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoopWatch } from '../../../src/engine/concurrency/loop-watch.ts';
import { updateStore } from '../../../src/engine/corpus/update-store.ts';
import { Store } from '../../../src/engine/store/store.ts';
import { corpusSchema } from '../../../src/shared/config.ts';

/** A watch with a limit of half a second, and its output. */
function watched(t: TestContext): { folder: string; watch: LoopWatch; written: () => string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'parallax-watch-'));
  const file = path.join(folder, 'log.txt');
  const log = openSync(file, 'a');
  const watch = new LoopWatch({ allowedMs: 500, log });
  t.after(async () => {
    await watch.close();
    closeSync(log);
    rmSync(folder, { recursive: true });
  });
  return { folder, watch, written: () => readFileSync(file, 'utf8') };
}

/** Blocks like a parser that does not end. */
function hold(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test('a task that blocks the event loop is named once, while it does', (t) => {
  const { watch, written } = watched(t);
  watch.workOn('/docs/slow.md');
  hold(2_500);
  // Nothing was awaited, so the watcher wrote this by itself.
  assert.equal(written(), 'Nothing else has been answered for 0.5 s: busy with /docs/slow.md\n');
  assert.ok(watch.heldSeconds >= 0.5);
  watch.workOn('/docs/next.md');
  assert.equal(watch.heldSeconds, 0, 'the next document did not do it');
});

test('long work that gives way holds nothing', async (t) => {
  const { watch, written } = watched(t);
  watch.workOn('/docs/long.md');
  for (let n = 0; n < 30; n++) {
    hold(20);
    await sleep(30);
  }
  assert.equal(watch.heldSeconds, 0);
  assert.equal(written(), '');
});

test('a name cannot send commands to a terminal or a workflow', (t) => {
  const { watch, written } = watched(t);
  watch.workOn('/docs/a\n::error::b\u001b[2J##[group]\u202ec.md');
  hold(2_500);
  assert.match(written(), /busy with \/docs\/a\?::error::b\?\?2J\?\?\?group\?\?c\.md\n$/);
  assert.equal(written().split('\n').length, 2);
});

test('a file that blocks the engine during indexing is listed', async (t) => {
  const { folder, watch, written } = watched(t);
  await writeFile(path.join(folder, 'slow.md'), 'A text.');
  const config = corpusSchema.parse({ roots: ['.'], include: ['*.md'] });
  const ref = { name: 'docs', base: folder, config, excludeGlobs: [], store: folder };
  const { store } = Store.open(path.join(folder, 'store.sqlite'), 'words');
  t.after(() => store.close());
  // Acts as a slow parser.
  await updateStore(store, ref, {}, async () => hold(2_500), watch);
  assert.match(written(), /busy with .*slow\.md\n$/);
  const [slow, ...others] = store.skipped();
  assert.equal(path.basename(slow!.path), 'slow.md');
  assert.match(slow!.message, /^It was read, but it blocked other requests for \d seconds meanwhile\.$/);
  assert.deepEqual(others, []);
  assert.equal(store.counts().passages, 1, 'it was read all the same');
});
