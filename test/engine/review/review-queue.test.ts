/** The durable queue on real SQLite: dedupe, bounds, damage, two windows. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { ReviewQueue, type NewReviewItem } from '../../../src/features/review/engine/review-queue.ts';
import { openDatabase, type Database } from '../../../src/engine/store/database.ts';

function databaseFor(t: TestContext): { db: Database; open(): Database } {
  const folder = mkdtempSync(path.join(tmpdir(), 'parallax-queue-'));
  const opened: Database[] = [];
  const open = (): Database => {
    const db = openDatabase(path.join(folder, 'judgements.sqlite'));
    opened.push(db);
    return db;
  };
  t.after(() => {
    for (const db of opened) db.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { db: open(), open };
}

const item = (name: string, fields: Partial<NewReviewItem> = {}): NewReviewItem => ({
  corpus: 'c',
  reason: 'hole',
  query: { text: 'Q?' },
  perspective: { id: 'p', text: 'It is.' },
  passage: { id: name, hash: name, documentId: `${name}.md`, text: name },
  standard: 'berds-1',
  judges: [],
  people: 1,
  ...fields,
});

const never = (): boolean => false;
const names = (queue: ReviewQueue): string[] =>
  queue.all().map(({ passage, reason }) => `${reason} ${passage.id}`);

test('a pair is queued once, for its most urgent reason, with all judges and most people', (t) => {
  const { db } = databaseFor(t);
  const queue = new ReviewQueue(db, assert.fail);
  assert.deepEqual(queue.add([item('a'), item('a'), item('b')], never), { added: 2, leftOut: 0 });
  assert.deepEqual(queue.add([item('a', { reason: 'disagreement', judges: ['x'], people: 2 })], never), {
    added: 0,
    leftOut: 0,
  });
  queue.add([item('a', { reason: 'escalated', judges: ['y'] })], never);
  queue.add([item('a', { reason: 'hole', perspective: { id: 'other', text: ' it IS' } })], never);
  assert.deepEqual(names(queue), ['escalated a', 'hole b']);
  const [a] = queue.all();
  assert.deepEqual([a!.judges.toSorted(), a!.people], [['x', 'y'], 2]);
  assert.deepEqual(queue.get(a!.id), a);
});

test('another question, corpus, text or standard is another pair, and so is an attention check', (t) => {
  const { db } = databaseFor(t);
  const queue = new ReviewQueue(db, assert.fail);
  const different = [
    item('a'),
    item('b'),
    item('a', { corpus: 'd' }),
    item('a', { query: { text: 'R?' } }),
    item('a', { perspective: { id: 'p', text: 'It is not.' } }),
    item('a', { standard: 'strict-1' }),
    item('a', { expected: 'yes', reason: 'attention' }),
  ];
  assert.equal(queue.add(different, never).added, different.length);
});

test('a full queue drops done pairs first, then the least urgent ones', (t) => {
  const { db } = databaseFor(t);
  const queue = new ReviewQueue(db, assert.fail, 3);
  queue.add([item('a'), item('b', { reason: 'escalated' }), item('c')], never);
  const isDone = ({ passage }: { passage: { id: string } }): boolean => passage.id === 'b';
  assert.deepEqual(queue.add([item('d', { reason: 'disagreement' })], isDone), { added: 1, leftOut: 0 });
  assert.deepEqual(names(queue), ['disagreement d', 'hole a', 'hole c']);
  assert.deepEqual(queue.add([item('e'), item('f', { reason: 'escalated' })], never), {
    added: 1,
    leftOut: 1,
  });
  assert.deepEqual(names(queue), ['escalated f', 'disagreement d', 'hole a']);
});

test('two windows see one queue', (t) => {
  const { db, open } = databaseFor(t);
  const [first, second] = [new ReviewQueue(db, assert.fail), new ReviewQueue(open(), assert.fail)];
  first.add([item('a')], never);
  assert.deepEqual(second.add([item('a'), item('b')], never), { added: 1, leftOut: 0 });
  const [a] = first.all();
  second.skip(a!.id, '2026-01-01T00:00:00Z');
  assert.deepEqual(names(first), ['hole b', 'hole a']);
  second.remove([a!.id, 'gone']);
  assert.deepEqual(names(first), ['hole b']);
});

test('a damaged row is dropped with a message, and the others stay', (t) => {
  const { db } = databaseFor(t);
  const problems: string[] = [];
  const queue = new ReviewQueue(db, (problem) => problems.push(problem));
  queue.add([item('a'), item('b'), item('c'), item('d')], never);
  db.exec(`UPDATE review_1 SET content = replace(content, 'd.md', 'e.md') WHERE number = 4`);
  db.exec(`UPDATE review_1 SET content = '{' WHERE number = 1`);
  db.exec(`UPDATE review_1 SET reason = 'whim' WHERE number = 2`);
  assert.deepEqual(names(queue), ['hole c']);
  assert.equal(problems.length, 3);
  assert.deepEqual(names(queue), ['hole c']);
  assert.equal(problems.length, 3, 'said once');
});
