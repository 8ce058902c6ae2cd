import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { ParallaxError } from '../../../src/core/errors.ts';
import { DamagedDatabase, openDatabase } from '../../../src/engine/store/database.ts';
import type { DocumentWithPassages, KnownFile } from '../../../src/engine/store/file-rows.ts';
import { Store } from '../../../src/engine/store/store.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'parallax-store-'));
test.after(() => rmSync(folder, { recursive: true }));
const file = (name: string): string => path.join(folder, name);

function document(id: string, texts: readonly string[]): DocumentWithPassages {
  return {
    document: { id, title: id, text: texts.join('\n'), verbatim: true, isRecord: false },
    passages: texts.map((text, index) => ({
      id: `${id}#p${index + 1}`,
      text,
      span: { start: index, end: index + text.length },
      lines: { startLine: index, endLine: index },
    })),
  };
}

const known = (hash: string): KnownFile => ({
  size: 1,
  mtimeMs: 1,
  ctimeMs: 1,
  hash,
});

function put(store: Store, name: string, texts: readonly string[]): readonly number[] {
  const pending = store.files.begin(name, known('h'));
  store.files.addDocuments(pending, [document(name, texts)]);
  return store.files.end(pending, known('h'));
}

test('a stored passage is read with all its fields', () => {
  const { store } = Store.open(':memory:', 'words');
  const [slot] = put(store, 'a.md', ['alpha', 'beta']);
  assert.deepEqual(store.passages.bySlot(slot!), {
    slot,
    id: 'a.md#p1',
    documentId: 'a.md',
    title: 'a.md',
    text: 'alpha',
    hash: store.passages.bySlot(slot!)!.hash,
    span: { start: 0, end: 5 },
    lines: { startLine: 0, endLine: 0 },
    path: 'a.md',
    verbatim: true,
  });
  assert.equal(store.passages.byId('a.md#p2')?.text, 'beta');
  assert.deepEqual(
    store.passages.ofDocument('a.md').map(({ text }) => text),
    ['alpha', 'beta'],
  );
});

test('passages with an unchanged text keep their slot when their file is read again', () => {
  const { store } = Store.open(':memory:', 'words');
  const [alpha, beta] = put(store, 'a.md', ['alpha', 'beta']);
  const added = put(store, 'a.md', ['new first', 'alpha', 'gamma']);
  assert.equal(store.passages.byId('a.md#p2')?.slot, alpha, 'alpha moved down but stayed what it is');
  assert.equal(store.passages.bySlot(beta!), undefined);
  assert.equal(store.live.has(beta!), false);
  assert.equal(added.length, 2);
});

test('a slot is never assigned twice', () => {
  const { store } = Store.open(':memory:', 'words');
  const first = put(store, 'a.md', ['alpha']);
  store.files.delete('a.md');
  assert.ok(put(store, 'a.md', ['alpha'])[0]! > first[0]!);
});

test('the old version is read until the new one is complete, and a crash leaves the old one', () => {
  const place = file('crash.sqlite');
  const { store } = Store.open(place, 'words');
  put(store, 'a.md', ['alpha', 'beta']);
  const pending = store.files.begin('a.md', known('h2'));
  store.files.addDocuments(pending, [document('a.md', ['half of it', 'beta'])]);
  assert.deepEqual(
    [...store.live].map((slot) => store.passages.bySlot(slot)?.text),
    ['alpha', 'beta'],
  );
  store.close(); // as good as a crash: endFile was never called
  const { store: reopened } = Store.open(place, 'words');
  assert.deepEqual(
    reopened.passages.texts(0, 100).texts.map(({ text }) => text),
    ['alpha', 'beta'],
  );
  assert.equal(reopened.files.known().get('a.md')?.hash, known('h').hash, 'what is known is the former one');
  reopened.close();
});

test('texts are read in portions, from any slot', () => {
  const { store } = Store.open(':memory:', 'words');
  const slots = put(store, 'a.md', ['a', 'b', 'c', 'd', 'e']);
  put(store, 'a.md', ['a', 'c', 'd', 'e']);
  const first = store.passages.texts(0, 2);
  assert.deepEqual(
    first.texts.map(({ text }) => text),
    ['a', 'c'],
  );
  assert.deepEqual(store.passages.texts(first.next!, 10), {
    texts: [
      { slot: slots[3], text: 'd' },
      { slot: slots[4], text: 'e' },
    ],
    next: undefined,
  });
  assert.deepEqual([...store.live], [slots[0], slots[2], slots[3], slots[4]]);
});

test('another splitter or version empties the store', () => {
  const place = file('identity.sqlite');
  const first = Store.open(place, 'words');
  assert.equal(first.reset, true);
  put(first.store, 'a.md', ['alpha']);
  first.store.close();
  const same = Store.open(place, 'words');
  assert.equal(same.reset, false);
  assert.equal(same.store.counts().passages, 1);
  same.store.close();
  const other = Store.open(place, 'sentences');
  assert.equal(other.reset, true);
  assert.equal(other.store.counts().passages, 0);
  other.store.close();
});

test('unreadable files are listed by path, unless a letter has changed since', () => {
  const place = file('skipped.sqlite');
  const { store } = Store.open(place, 'words');
  const files = [
    { path: 'b.pdf', reason: 'broken', message: '{It} is "broken".' },
    { path: 'c.md', reason: 'empty', message: 'It has no text.' },
  ];
  store.setSkipped(files.toReversed());
  assert.deepEqual(store.skipped(), files);
  const db = openDatabase(place);
  db.exec("UPDATE skipped SET report = replace(report, 'has', 'had')");
  db.close();
  assert.throws(() => store.skipped(), DamagedDatabase);
  store.close();
});

test('a file that is no database is refused with a sentence', () => {
  writeFileSync(
    file('no.sqlite'),
    'this is not a database, it is a text that is long enough to be read as a header',
  );
  assert.throws(
    () => Store.open(file('no.sqlite'), 'words'),
    (error) => ParallaxError.is(error, 'store-unusable') && /no\.sqlite/u.test(error.message),
  );
});

test('a store with a changed header or changed tables counts as damaged', () => {
  const { store } = Store.open(file('damaged.sqlite'), 'words');
  put(store, 'a.md', ['alpha']);
  store.close();
  const whole = readFileSync(file('damaged.sqlite'));
  // The number of the schema's format, and the name of a table.
  const damages: readonly ((bytes: Buffer) => unknown)[] = [
    (bytes) => bytes.writeUInt32BE(132, 44),
    (bytes) => bytes.fill('passagex', bytes.indexOf('passages')).length,
  ];
  for (const damage of damages) {
    const bytes = Buffer.from(whole);
    damage(bytes);
    writeFileSync(file('damaged.sqlite'), bytes);
    assert.throws(
      () => Store.open(file('damaged.sqlite'), 'words'),
      (error) => error instanceof DamagedDatabase,
    );
  }
});

test('after any additions, replacements and deletions, the store has each file’s newest version', () => {
  const texts = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 5 });
  const step = fc.tuple(fc.constantFrom('x', 'y', 'z'), fc.option(texts));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const { store } = Store.open(':memory:', 'words');
      const model = new Map<string, readonly string[]>();
      for (const [name, content] of steps) {
        if (content === null) {
          store.files.delete(name);
          model.delete(name);
        } else {
          put(store, name, content);
          model.set(name, content);
        }
      }
      const expected = [...model.values()].flat().sort();
      assert.deepEqual(
        store.passages
          .texts(0, 100)
          .texts.map(({ text }) => text)
          .sort(),
        expected,
      );
      assert.equal(store.live.count, expected.length);
      for (const [name, content] of model)
        assert.deepEqual(
          store.passages.ofDocument(name).map(({ text }) => text),
          content,
        );
      store.close();
    }),
    { numRuns: 200 },
  );
});

test('acknowledged files survive SIGKILL', async () => {
  const place = file('killed.sqlite');
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'endless-writer.ts'), place], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let acknowledged = 0;
  for await (const line of child.stdout) {
    acknowledged = Math.max(acknowledged, ...String(line).trim().split('\n').map(Number));
    if (acknowledged >= 50) break;
  }
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  const { store, reset } = Store.open(place, 'words');
  assert.equal(reset, false);
  for (let n = 1; n <= acknowledged; n++) assert.ok(store.passages.byId(`file-${n}#p1`), `file ${n}`);
  store.close();
});
