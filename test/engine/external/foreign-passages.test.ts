/** Returned passages are stored once, and what is remembered of them matches the database. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ForeignPassages } from '../../../src/engine/external/foreign-passages.ts';
import type { ForeignPassage } from '../../../src/engine/external/kept-passage.ts';
import { openDatabase } from '../../../src/engine/store/database.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const RECORD = { name: 'a', text: 'Rivers run.', about: { title: 'Rivers' } };

function opened(t: TestContext, file: string): ForeignPassages {
  const passages = new ForeignPassages(openDatabase(file));
  t.after(() => passages.close());
  return passages;
}

const add = (passages: ForeignPassages, record: ForeignPassage): number => passages.addRecords([record])[0]!;

test('a record is stored once by id and text, with its latest metadata', (t) => {
  const passages = opened(t, path.join(temporaryFolder(t), 'p.db'));
  const slot = add(passages, RECORD);
  assert.equal(add(passages, RECORD), slot);
  assert.equal(passages.idOf(slot), 'a');
  assert.equal(add(passages, { ...RECORD, about: { title: 'Streams' } }), slot);
  assert.equal(passages.passage(slot)!.title, 'Streams');
  const other = add(passages, { ...RECORD, text: 'Rivers stand.' });
  assert.notEqual(other, slot);
  assert.equal(add(passages, RECORD), slot);
});

test('records added together equal records added one by one, also with duplicates', (t) => {
  const file = path.join(temporaryFolder(t), 'p.db');
  const records = Array.from({ length: 120 }, (_, place) => ({ name: `r${place}`, text: `Text ${place}.` }));
  const former = new ForeignPassages(openDatabase(file));
  const slots = records.slice(30, 60).map((record) => add(former, record));
  former.close();
  const passages = opened(t, file);
  const all = passages.addRecords([...records, RECORD, { ...RECORD, text: 'Rivers stand.' }, RECORD]);
  assert.deepEqual(all.slice(30, 60), slots);
  assert.equal(new Set(all).size, 122);
  assert.equal(all[120], all[122]);
  assert.deepEqual(
    records.map((record) => add(passages, record)),
    all.slice(0, 120),
  );
  assert.deepEqual(
    all.slice(0, 120).map((slot) => passages.passage(slot)!.text),
    records.map(({ text }) => text),
  );
});

test('a record without a name or a text is identified by the other', (t) => {
  const passages = opened(t, path.join(temporaryFolder(t), 'p.db'));
  const unnamed = { name: '', text: RECORD.text };
  const silent = { name: 'a' };
  const [first, second, third] = passages.addRecords([unnamed, silent, RECORD]);
  assert.equal(passages.add(unnamed), first);
  assert.equal(passages.add(silent), second);
  assert.equal(passages.idOf(third!), 'a');
  assert.equal(new Set([first, second, third]).size, 3);
});

test('released records are forgotten', (t) => {
  const passages = opened(t, path.join(temporaryFolder(t), 'p.db'));
  assert.throws(() =>
    passages.together(() => {
      add(passages, RECORD);
      throw new Error('given up');
    }),
  );
  const slot = passages.together(() => add(passages, RECORD));
  assert.equal(passages.passage(slot)!.text, RECORD.text);
});

test('records that another window deletes are stored again', (t) => {
  const file = path.join(temporaryFolder(t), 'p.db');
  const passages = opened(t, file);
  add(passages, RECORD);
  const other = openDatabase(file);
  other.exec('DELETE FROM foreign_passages_3');
  other.close();
  const slot = passages.together(() => add(passages, RECORD));
  assert.equal(passages.passage(slot)!.id, 'a');
});

test('added records are written without a read, all of them on close', async (t) => {
  const file = path.join(temporaryFolder(t), 'p.db');
  const passages = new ForeignPassages(openDatabase(file));
  const other = openDatabase(file);
  const count = (): number =>
    Number(other.prepare('SELECT count(*) AS rows FROM foreign_passages_3').get()?.['rows']);
  add(passages, RECORD);
  assert.equal(count(), 0);
  while (count() === 0) await sleep(10);
  for (let place = 0; place < 1_500; place++) add(passages, { name: `r${place}`, text: `Text ${place}.` });
  assert.ok(count() > 1, 'what waits is bounded');
  passages.close();
  assert.equal(count(), 1_501);
  other.close();
});

test('two windows that add at once assign each number once, and find each other’s ids', async (t) => {
  const file = path.join(temporaryFolder(t), 'p.db');
  const [one, two] = [opened(t, file), opened(t, file)];
  const slots = [one, two].flatMap((window, place) => [
    add(window, RECORD),
    add(window, { name: `own ${place}`, text: `Own ${place}.` }),
  ]);
  assert.equal(new Set(slots).size, 4);
  const [first, ownFirst, second] = slots as [number, number, number, number];
  assert.equal(one.passage(first)!.text, RECORD.text);
  assert.equal(two.passage(second)!.slot, second);
  assert.equal(one.idOf(ownFirst), 'own 0');
  assert.equal(two.passageById('own 0'), undefined);
  while (!two.passageById('own 0') || !one.passageById('own 1')) await sleep(10);
  assert.equal(one.passage(one.passageById('own 1')!.slot)!.text, 'Own 1.');
  assert.equal(one.passageById('a')!.slot, first);
});

test('passages are found by the hashes of their texts, written or not', (t) => {
  const passages = opened(t, path.join(temporaryFolder(t), 'p.db'));
  const slots = [RECORD, { name: 'b', text: 'Lakes rest.' }].map((record) => add(passages, record));
  const expected = slots.map((slot) => ({ slot, hash: passages.passage(slot)!.hash }));
  assert.deepEqual(passages.hashes(0, 10), { hashes: expected, next: undefined });
  assert.equal(passages.passage(slots[0]!)!.hash, expected[0]!.hash);
});

test('of more than a hundred thousand passages, the latest are kept', (t) => {
  const file = path.join(temporaryFolder(t), 'p.db');
  new ForeignPassages(openDatabase(file)).close();
  const other = openDatabase(file);
  other.exec(`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 100002)
    INSERT INTO foreign_passages_3 SELECT n, 'r' || n, 'h', 'r', '{}', 'Text.' FROM n`);
  other.close();
  const passages = opened(t, file);
  assert.equal(passages.passageById('r2'), undefined);
  assert.equal(passages.passageById('r3')!.slot, -3);
});
