/** Passages that a retriever returned are kept once, and what is remembered of them is what the database holds. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ForeignPassages } from '../../../src/engine/external/foreign-passages.ts';
import { openDatabase } from '../../../src/engine/store/database.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const RECORD = { name: 'a', text: 'Rivers run.', about: { title: 'Rivers' } };

function opened(t: TestContext, file: string): ForeignPassages {
  const passages = new ForeignPassages(openDatabase(file));
  t.after(() => passages.close());
  return passages;
}

test('a record is kept once, by its id and its text, with what was said of it last', (t) => {
  const passages = opened(t, path.join(temporaryFolder(t), 'p.db'));
  const slot = passages.addRecord(RECORD);
  assert.equal(passages.addRecord(RECORD), slot);
  assert.equal(passages.idOf(slot), 'a');
  assert.equal(passages.addRecord({ ...RECORD, about: { title: 'Streams' } }), slot);
  assert.equal(passages.passage(slot)!.title, 'Streams');
  const other = passages.addRecord({ ...RECORD, text: 'Rivers stand.' });
  assert.notEqual(other, slot);
  assert.equal(passages.addRecord(RECORD), slot);
});

test('what all was kept a short while ago is known without writing', (t) => {
  const passages = opened(t, path.join(temporaryFolder(t), 'p.db'));
  passages.addRecord(RECORD);
  assert.equal(passages.remembersAll([RECORD]), true);
  assert.equal(passages.remembersAll([RECORD, { name: 'b', text: 'Lakes lie.' }]), false);
  assert.equal(passages.remembersAll([{ ...RECORD, text: 'Rivers stand.' }]), false);
  assert.equal(passages.remembersAll([{ ...RECORD, about: {} }]), false);
  assert.equal(passages.remembersAll([{ name: 'a' }]), false);
});

test('what was given up is not remembered', (t) => {
  const passages = opened(t, path.join(temporaryFolder(t), 'p.db'));
  assert.throws(() =>
    passages.together(() => {
      passages.addRecord(RECORD);
      throw new Error('given up');
    }),
  );
  assert.equal(passages.remembersAll([RECORD]), false);
  const slot = passages.together(() => passages.addRecord(RECORD));
  assert.equal(passages.passage(slot)!.text, RECORD.text);
});

test('what another window takes away is kept anew', (t) => {
  const file = path.join(temporaryFolder(t), 'p.db');
  const passages = opened(t, file);
  passages.addRecord(RECORD);
  assert.equal(passages.remembersAll([RECORD]), true);
  const other = openDatabase(file);
  other.exec('DELETE FROM foreign_passages_2');
  other.close();
  assert.equal(passages.remembersAll([RECORD]), false);
  const slot = passages.together(() => passages.addRecord(RECORD));
  assert.equal(passages.passage(slot)!.id, 'a');
});

test('what is added is written without anybody reading it, and all of it at the end', async (t) => {
  const file = path.join(temporaryFolder(t), 'p.db');
  const passages = new ForeignPassages(openDatabase(file));
  const other = openDatabase(file);
  const count = (): number =>
    Number(other.prepare('SELECT count(*) AS rows FROM foreign_passages_2').get()?.['rows']);
  passages.addRecord(RECORD);
  assert.equal(count(), 0);
  while (count() === 0) await sleep(10);
  for (let place = 0; place < 1_500; place++)
    passages.addRecord({ name: `r${place}`, text: `Text ${place}.` });
  assert.ok(count() > 1, 'what waits is bounded');
  passages.close();
  assert.equal(count(), 1_501);
  other.close();
});

test('two windows that keep the same at once give no number twice, and find what each handed out', (t) => {
  const file = path.join(temporaryFolder(t), 'p.db');
  const [one, two] = [opened(t, file), opened(t, file)];
  const slots = [one, two].flatMap((window, place) => [
    window.addRecord(RECORD),
    window.addRecord({ name: `own ${place}`, text: `Own ${place}.` }),
  ]);
  assert.equal(new Set(slots).size, 4);
  const [first, ownFirst, second, ownSecond] = slots as [number, number, number, number];
  assert.equal(one.passage(first)!.text, RECORD.text);
  assert.equal(two.passage(second)!.text, RECORD.text);
  assert.equal(two.passage(second)!.slot, second);
  assert.equal(one.idOf(ownFirst), 'own 0');
  assert.equal(two.passage(ownSecond)!.id, 'own 1');
  assert.equal(one.passage(ownSecond)!.id, 'own 1');
});
