import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { updateStore } from '../../../src/engine/corpus/update-store.ts';
import { Store } from '../../../src/engine/store/store.ts';
import { corpusSchema } from '../../../src/shared/config.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

/** As the version before joined sections wrote it, the one before fields, and the one before sections and times of change. */
const FORMER = {
  5: '',
  4: 'ALTER TABLE documents DROP COLUMN fields;',
  3: `
    ALTER TABLE documents DROP COLUMN fields;
    ALTER TABLE passages DROP COLUMN section;
    ALTER TABLE files DROP COLUMN ctime;`,
};

function makeFormer(file: string, version: keyof typeof FORMER, split = 'words'): void {
  const db = new DatabaseSync(file);
  db.exec(`
    ${FORMER[version]}
    UPDATE meta SET value = '${version} ${split}' WHERE key = 'identity';
    PRAGMA user_version = 0;
  `);
  db.close();
}

test('a store of the former version is taken over: its passages read, keep their slots, and get their sections', async (t) => {
  const base = temporaryFolder(t);
  const file = path.join(base, 'store.sqlite');
  await writeFile(path.join(base, 'a.md'), '# Title\nlead\n## Alternatives\nnone of them');
  const config = corpusSchema.parse({ roots: ['.'], include: ['*.md'], split: { type: 'words', size: 3 } });
  const ref = { name: 'docs', base, config, excludeGlobs: [], store: base };
  const sections = (store: Store): unknown[] =>
    [...store.live].map((slot) => [slot, store.passages.bySlot(slot)?.section]);

  const first = Store.open(file, 'words');
  await writeFile(path.join(base, 'b.md'), 'no heading');
  await updateStore(first.store, ref, {});
  const expected = sections(first.store);
  assert.deepEqual(
    expected.map((each) => (each as unknown[])[1]),
    [undefined, 'Alternatives', 'Alternatives', undefined],
  );
  first.store.close();
  makeFormer(file, 3);

  const { store, reset } = Store.open(file, 'words');
  t.after(() => store.close());
  assert.equal(reset, false);
  assert.equal(store.passages.bySlot(Number((expected.at(-1) as unknown[])[0]))?.text, 'no heading');
  const changes = await updateStore(store, ref, {});
  assert.deepEqual(changes, { added: 0, changed: 2, deleted: 0, unchanged: 0 });
  assert.deepEqual(sections(store), expected);
  assert.deepEqual(await updateStore(store, ref, {}), { added: 0, changed: 0, deleted: 0, unchanged: 2 });
});

test('a store from before documents had fields is taken over: texts keep their slots, documents get their fields', async (t) => {
  const base = temporaryFolder(t);
  const file = path.join(base, 'store.sqlite');
  await writeFile(path.join(base, 'a.md'), 'no head');
  const config = corpusSchema.parse({ roots: ['.'], include: ['*.md'] });
  const ref = { name: 'docs', base, config, excludeGlobs: [], store: base };
  const first = Store.open(file, 'words');
  await updateStore(first.store, ref, {});
  const slots = [...first.store.live];
  first.store.close();
  makeFormer(file, 4);
  await writeFile(path.join(base, 'b.md'), '---\nauthor: Kim\n---\ntext');

  const { store, reset } = Store.open(file, 'words');
  t.after(() => store.close());
  assert.equal(reset, false);
  assert.equal(store.passages.bySlot(slots[0]!)?.text, 'no head');
  assert.deepEqual(await updateStore(store, ref, {}), { added: 1, changed: 1, deleted: 0, unchanged: 0 });
  assert.deepEqual(
    [...store.live].map((slot) => store.passages.bySlot(slot)?.fields),
    [undefined, { author: 'Kim' }],
  );
  assert.equal([...store.live][0], slots[0]);
});

test('a store from before tiny sections were joined is cut anew, and keeps the slots of texts that are the same', async (t) => {
  const base = temporaryFolder(t);
  const file = path.join(base, 'store.sqlite');
  const long = 'Whole words. '.repeat(10).trim();
  await writeFile(path.join(base, 'a.md'), `# A\n\n## Tiny\n\nYes.\n\n## Next\n\n${long}\n`);
  await writeFile(path.join(base, 'b.md'), long);
  const ref = (split: object) => {
    const config = corpusSchema.parse({ roots: ['.'], include: ['*.md'], split });
    return { name: 'docs', base, config, excludeGlobs: [], store: base };
  };
  const first = Store.open(file, 'sections');
  await updateStore(first.store, ref({ type: 'headings' }), {});
  const passages = (store: Store) => [...store.live].map((slot) => store.passages.bySlot(slot)!);
  const before = passages(first.store);
  assert.deepEqual(
    before.map(({ section }) => section),
    ['Tiny', 'Next', undefined],
  );
  first.store.close();
  makeFormer(file, 5, 'sections');

  const { store, reset } = Store.open(file, 'sections');
  t.after(() => store.close());
  assert.equal(reset, false);
  await updateStore(store, ref({ type: 'sections' }), {});
  const after = passages(store);
  assert.deepEqual(after.map(({ section }) => section).sort(), ['Next', undefined]);
  assert.equal(after.find(({ section }) => section === undefined)?.slot, before[2]!.slot);
});
