import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { updateStore } from '../../../src/engine/corpus/update-store.ts';
import { Store } from '../../../src/engine/store/store.ts';
import { corpusSchema } from '../../../src/shared/config.ts';

/** As the version before sections and times of change wrote it. */
function makeFormer(file: string): void {
  const db = new DatabaseSync(file);
  db.exec(`
    ALTER TABLE passages DROP COLUMN section;
    ALTER TABLE files DROP COLUMN ctime;
    UPDATE meta SET value = '3 words' WHERE key = 'identity';
    PRAGMA user_version = 0;
  `);
  db.close();
}

test('a store of the former version is taken over: its passages read, keep their slots, and get their sections', async (t) => {
  const base = await mkdtemp(path.join(tmpdir(), 'parallax-former-'));
  t.after(() => rm(base, { recursive: true, force: true }));
  const file = path.join(base, 'store.sqlite');
  await writeFile(path.join(base, 'a.md'), '# Title\nlead\n## Alternatives\nnone of them');
  const config = corpusSchema.parse({ roots: ['.'], include: ['*.md'], split: { type: 'words', size: 3 } });
  const ref = { name: 'docs', base, config, excludeGlobs: [], store: base };
  const sections = (store: Store): unknown[] =>
    [...store.live].map((slot) => [slot, store.passage(slot)?.section]);

  const first = Store.open(file, 'words');
  await writeFile(path.join(base, 'b.md'), 'no heading');
  await updateStore(first.store, ref, {});
  const expected = sections(first.store);
  assert.deepEqual(
    expected.map((each) => (each as unknown[])[1]),
    [undefined, 'Alternatives', 'Alternatives', undefined],
  );
  first.store.close();
  makeFormer(file);

  const { store, reset } = Store.open(file, 'words');
  t.after(() => store.close());
  assert.equal(reset, false);
  assert.equal(store.passage(Number((expected.at(-1) as unknown[])[0]))?.text, 'no heading');
  const changes = await updateStore(store, ref, {});
  assert.deepEqual(changes, { added: 0, changed: 2, deleted: 0, unchanged: 0 });
  assert.deepEqual(sections(store), expected);
  assert.deepEqual(await updateStore(store, ref, {}), { added: 0, changed: 0, deleted: 0, unchanged: 2 });
});
