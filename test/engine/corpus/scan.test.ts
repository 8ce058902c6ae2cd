import assert from 'node:assert/strict';
import promises, { chmod, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { describe, it } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { readDocument } from '../../../src/engine/corpus/read-document.ts';
import { MAX_PROBLEMS, scanCorpus, type ScanOptions } from '../../../src/engine/corpus/scan.ts';
import { corpusSchema } from '../../../src/shared/config.ts';
import { folderWith, scan, type Scanned } from './workspace.ts';

const types = (events: readonly { type: string }[]) => events.map(({ type }) => type);
const named = (events: readonly { path: string }[]) => events.map((event) => path.basename(event.path));

const NOBODY = 65_534;
const NO_BYTE_NAMES =
  process.platform !== 'linux' && 'cannot run here: names of files are text on this system';
const NO_PERMISSIONS = process.platform === 'win32' && 'cannot run here: Windows has no permission bits';

/**
 * Scans while `names` are not readable. Permissions do not apply to root, so it changes to another user during the
 * scan.
 */
async function scanForbidden(
  base: string,
  names: string[],
  options: Partial<ScanOptions> = {},
): Promise<Scanned> {
  const isRoot = process.geteuid?.() === 0;
  await chmod(base, 0o755);
  for (const name of names) await chmod(path.join(base, name), 0);
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    return await scan(base, {}, options);
  } finally {
    if (isRoot) process.seteuid?.(0);
    for (const name of names) await chmod(path.join(base, name), 0o755);
  }
}

describe('a file with changed content but the same size and time', () => {
  it('is found by the time of its last status change', async (t) => {
    const base = await folderWith(t, { 'a.md': 'before', 'b.md': 'other' });
    const file = path.join(base, 'a.md');
    await utimes(file, 1_000_000, 1_000_000);
    const { known } = await scan(base);
    await writeFile(file, 'behind');
    await utimes(file, 1_000_000, 1_000_000);
    const { of } = await scan(base, {}, { known });
    assert.deepEqual(named(of('file-end')), ['a.md']);
    assert.deepEqual(named(of('unchanged')), ['b.md']);
  });
});

describe('a first scan', () => {
  it('reads every file and wraps its documents in events', async (t) => {
    const base = await folderWith(t, {
      'b.md': '# B',
      'a b/ü.txt': 'text',
      'c.jsonl': '{"_id":"x","text":"one"}\n{"text":"two"}',
    });
    const { events, documents, known } = await scan(base);
    assert.deepEqual(types(events), [
      'discovered',
      ...Array(3).fill(['file-start', 'documents', 'file-end']).flat(),
    ]);
    assert.deepEqual([...documents.keys()], ['a b/ü.txt', 'b.md', 'x', 'c.jsonl#2']);
    assert.equal(known.get(path.join(base, 'b.md'))?.size, 3);
    assert.match(known.get(path.join(base, 'b.md'))?.hash ?? '', /^[0-9a-f]{64}$/);
  });

  it('delivers large files of records in batches', async (t) => {
    const lines = Array.from({ length: 1200 }, (_, at) => JSON.stringify({ text: `text ${at}` }));
    const base = await folderWith(t, { 'c.jsonl': lines.join('\n') });
    const { of, documents } = await scan(base);
    assert.deepEqual(
      of('documents').map((event) => event.documents.length),
      [500, 500, 200],
    );
    assert.equal(of('file-start').length, 1);
    assert.equal(of('file-end')[0]?.documents, 1200);
    assert.equal(documents.get('c.jsonl#1200')?.text, 'text 1199');
  });

  it('delivers long records in smaller batches', async (t) => {
    const line = JSON.stringify({ text: 'x'.repeat(600_000) });
    const base = await folderWith(t, { 'c.jsonl': Array(5).fill(line).join('\n') });
    assert.deepEqual(
      (await scan(base)).of('documents').map((event) => event.documents.length),
      [2, 2, 1],
    );
  });

  it('keeps the first of many problems and counts all', async (t) => {
    const base = await folderWith(t, { 'c.jsonl': `{"text":"one"}\n${'bad\n'.repeat(300)}` });
    const [end] = (await scan(base)).of('file-end');
    assert.equal(end?.problems.length, MAX_PROBLEMS);
    assert.equal(end?.problemCount, 300);
  });

  it('gives every document a different id', async (t) => {
    const base = await folderWith(t, {
      'a.jsonl':
        '{"_id":"x","text":"1"}\n{"_id":"x","text":"2"}\n{"_id":"a.jsonl#4","text":"3"}\n{"text":"4"}\n{"_id":"z.md","text":"5"}',
      'b.jsonl': '{"_id":"x","text":"6"}',
      'z.md': 'text',
    });
    const { documents, of } = await scan(base);
    assert.deepEqual(
      [...documents.keys()],
      ['x', 'a.jsonl#2', 'a.jsonl#4', 'a.jsonl#4~2', 'z.md', 'b.jsonl#1', 'z.md~2'],
    );
    assert.deepEqual(
      of('file-end').flatMap(({ problems }) => problems.map(({ message }) => message)),
      [
        'Line 2: the id "x" is taken, so this record is called "a.jsonl#2".',
        'Line 4: the id "a.jsonl#4" is taken, so this record is called "a.jsonl#4~2".',
        'Line 1: the id "x" is taken, so this record is called "b.jsonl#1".',
      ],
    );
  });

  it('skips files that are too large, except a file of records that is a root', async (t) => {
    const base = await folderWith(t, {
      'a.txt': 'x'.repeat(101),
      'b.jsonl': `{"text":"${'x'.repeat(60)}"}\n`.repeat(2),
      'c.md': 'ok',
    });
    const { reasons, documents, of } = await scan(base, { maxFileBytes: 100 });
    assert.deepEqual(reasons, { 'a.txt': 'too-large', 'b.jsonl': 'too-large' });
    assert.deepEqual([...documents.keys()], ['c.md']);
    assert.match(of('skipped')[0]?.message ?? '', /maxFileBytes/);
    assert.equal((await scan(base, { roots: ['b.jsonl'], maxFileBytes: 100 })).documents.size, 2);
    assert.deepEqual((await scan(base, { roots: ['a.txt'], maxFileBytes: 100 })).reasons, {
      'a.txt': 'too-large',
    });
  });

  it('skips records that are too long in such a file', async (t) => {
    const long = 'x'.repeat(3_000_000);
    const base = await folderWith(t, {
      'b.jsonl': `{"text":"a"}\n{"text":"${long}"}\n{"text":"c"}\n`,
      'b.csv': `text\na\n${long}\nc\n`,
    });
    const lines = await scan(base, { roots: ['b.jsonl'], maxFileBytes: 1000 });
    assert.deepEqual([...lines.documents.keys()], ['b.jsonl#1', 'b.jsonl#3']);
    assert.match(lines.of('file-end')[0]?.problems[0]?.message ?? '', /^Line 2: longer than 1000 bytes/);
    const rows = await scan(base, { roots: ['b.csv'], maxFileBytes: 1000 });
    assert.deepEqual([...rows.documents.keys()], ['b.csv#1']);
    assert.match(
      rows.of('file-end')[0]?.problems[0]?.message ?? '',
      /^Line 3: the row is longer than 1000 bytes/,
    );
  });

  it('reports a file name of invalid UTF-8', { skip: NO_BYTE_NAMES }, async (t) => {
    const base = await folderWith(t, { 'a.md': 'a' });
    await writeFile(Buffer.concat([Buffer.from(`${base}/b`), Buffer.from([0xff]), Buffer.from('.md')]), 'b');
    const { documents, of } = await scan(base);
    assert.deepEqual([...documents.keys()], ['a.md']);
    assert.match(of('skipped')[0]!.message, /not valid UTF-8/u);
  });

  it('reports unreadable files and continues', { skip: NO_PERMISSIONS }, async (t) => {
    const base = await folderWith(t, { 'a.md': 'a', 'in/b.md': 'b', 'c.md': 'c' });
    const { documents, reasons } = await scanForbidden(base, ['a.md', 'in']);
    assert.deepEqual([...documents.keys()], ['c.md']);
    assert.deepEqual(reasons, { 'a.md': 'unreadable', in: 'unreadable' });
  });

  it('stops when cancelled', async (t) => {
    const base = await folderWith(t, { 'a.md': 'a', 'b.md': 'b' });
    const controller = new AbortController();
    const events = scanCorpus(corpusSchema.parse({ roots: ['.'] }), {
      base,
      excludeGlobs: [],
      known: new Map(),
      signal: controller.signal,
    });
    const seen: string[] = [];
    await assert.rejects(
      async () => {
        for await (const event of events) {
          seen.push(event.type);
          if (event.type === 'file-end') controller.abort();
        }
      },
      (error) => ParallaxError.is(error, 'cancelled'),
    );
    assert.deepEqual(seen, ['discovered', 'file-start', 'documents', 'file-end']);
  });
});

describe('a later scan', () => {
  it('does not read unchanged files', async (t) => {
    const base = await folderWith(t, { 'a.md': 'a', 'b.jsonl': '{"text":"b"}' });
    const { known } = await scan(base);
    const { events } = await scan(base, {}, { known });
    assert.deepEqual(types(events), ['discovered', 'unchanged', 'unchanged']);
  });

  it('checks each such file once, many at a time, without looking for ignore lists', async (t) => {
    const names = Array.from({ length: 200 }, (_, n) => `part-${n % 10}/${n}.md`);
    const base = await folderWith(t, Object.fromEntries(names.map((name) => [name, `about ${name}`])));
    const { known } = await scan(base);
    const opened = t.mock.method(promises, 'open');
    const { stat } = promises;
    const looked = new Map<string, number>();
    let [now, most] = [0, 0];
    t.mock.method(promises, 'stat', async (...given: Parameters<typeof stat>) => {
      const name = String(given[0]);
      looked.set(name, (looked.get(name) ?? 0) + 1);
      most = Math.max(most, ++now);
      return stat(...given).finally(() => now--);
    });
    syncBuiltinESMExports();
    t.after(() => {
      t.mock.restoreAll();
      syncBuiltinESMExports();
    });
    const { of } = await scan(base, {}, { known });
    assert.equal(of('unchanged').length, names.length);
    assert.deepEqual(
      names.map((name) => looked.get(path.join(base, name))),
      names.map(() => 1),
    );
    assert.ok(most > 10, `${most} at a time`);
    assert.equal(opened.mock.callCount(), 0);
  });

  it('recognizes a touched file by its hash, and reports its new time', async (t) => {
    const base = await folderWith(t, { 'a.md': 'a', 'b.jsonl': '{"text":"b"}' });
    const { known } = await scan(base);
    for (const name of ['a.md', 'b.jsonl']) await utimes(path.join(base, name), 1_000_000, 1_000_000);
    const { events, of } = await scan(base, {}, { known });
    assert.deepEqual(types(events), ['discovered', 'unchanged', 'unchanged']);
    assert.deepEqual(
      of('unchanged').map(({ mtimeMs }) => mtimeMs),
      [1_000_000_000, 1_000_000_000],
    );
  });

  it('reads changed files, and names deleted ones first', async (t) => {
    const base = await folderWith(t, { 'a.md': 'a', 'b.md': 'b', 'in/c.md': 'c', 'd.md': 'd' });
    const { known } = await scan(base);
    await writeFile(path.join(base, 'b.md'), 'bb');
    await rm(path.join(base, 'in'), { recursive: true });
    await rename(path.join(base, 'd.md'), path.join(base, 'a-new.md'));
    const { events, of, documents } = await scan(base, {}, { known });
    assert.deepEqual(types(events).slice(0, 3), ['discovered', 'deleted', 'deleted']);
    assert.deepEqual(named(of('deleted')).sort(), ['c.md', 'd.md']);
    assert.deepEqual([...documents.keys()], ['a-new.md', 'b.md']);
    assert.deepEqual(named(of('unchanged')), ['a.md']);
  });

  it('names files that the configuration now excludes', async (t) => {
    const base = await folderWith(t, { 'a.md': 'a', 'b.md': 'b' });
    const { known } = await scan(base);
    assert.deepEqual(named((await scan(base, { exclude: ['b.md'] }, { known })).of('deleted')), ['b.md']);
  });

  it('drops broken files', async (t) => {
    const base = await folderWith(t, { 'a.md': 'a' });
    const { known } = await scan(base);
    await writeFile(path.join(base, 'a.md'), 'a\0');
    const [skipped] = (await scan(base, {}, { known })).of('skipped');
    assert.equal(skipped?.reason, 'binary');
    assert.equal(skipped?.keepStored, false);
  });

  it('reports a missing root, and its files as deleted', async (t) => {
    const base = await folderWith(t, { 'docs/a.md': 'a' });
    const { known } = await scan(base, { roots: ['docs'] });
    await rm(path.join(base, 'docs'), { recursive: true });
    const { of, reasons } = await scan(base, { roots: ['docs'] }, { known });
    assert.deepEqual(reasons, { docs: 'missing' });
    assert.deepEqual(named(of('deleted')), ['a.md']);
  });

  it('keeps files in a folder that cannot be read', { skip: NO_PERMISSIONS }, async (t) => {
    const base = await folderWith(t, { 'in/a.md': 'a' });
    const { known } = await scan(base);
    const { of, reasons } = await scanForbidden(base, ['in'], { known });
    assert.deepEqual(reasons, { in: 'unreadable' });
    assert.equal(of('skipped')[0]?.keepStored, true);
    assert.deepEqual(of('deleted'), []);
  });

  it('does not reuse the id of a record in a file that is not read again', async (t) => {
    const base = await folderWith(t, {
      'a.jsonl': '{"_id":"x","text":"1"}',
      'b.jsonl': '{"_id":"y","text":"2"}',
    });
    const { known } = await scan(base);
    await writeFile(path.join(base, 'b.jsonl'), '{"_id":"x","text":"3"}\n{"_id":"y","text":"2"}');
    const owners = new Map([
      ['x', path.join(base, 'a.jsonl')],
      ['y', path.join(base, 'b.jsonl')],
    ]);
    const { documents } = await scan(base, {}, { known, ownerOf: (id) => owners.get(id) });
    assert.deepEqual([...documents.keys()], ['b.jsonl#1', 'y']);
  });
});

describe('a file that changes while it is read', () => {
  const config = corpusSchema.parse({ roots: ['.'] });
  const lines = (text: string) =>
    `${JSON.stringify({ _id: 'x', text })}\n`.repeat(1) + '{"text":"y"}\n'.repeat(600);

  /** Scans, and rewrites the file when its first documents arrive, `changes` times. */
  async function scanWhileWriting(base: string, changes: number) {
    const seen: string[] = [];
    let first: string | undefined;
    for await (const event of scanCorpus(config, { base, excludeGlobs: [], known: new Map() })) {
      seen.push(event.type === 'skipped' ? `skipped ${event.reason} ${event.keepStored}` : event.type);
      if (event.type === 'documents' && event.documents[0]?.id === 'x') first = event.documents[0].text;
      if (event.type === 'file-start' && changes-- > 0)
        await writeFile(path.join(base, 'a.jsonl'), lines(`new ${changes}`));
    }
    return { seen, first };
  }

  it('is read again from its start', async (t) => {
    const base = await folderWith(t, { 'a.jsonl': lines('old') });
    const { seen, first } = await scanWhileWriting(base, 1);
    assert.deepEqual(seen, [
      'discovered',
      'file-start',
      'documents',
      'documents',
      'file-start',
      'documents',
      'documents',
      'file-end',
    ]);
    assert.equal(first, 'new 0');
  });

  it('is skipped if it changes again, and its stored passages are kept', async (t) => {
    const base = await folderWith(t, { 'a.jsonl': lines('old') });
    assert.equal((await scanWhileWriting(base, 2)).seen.at(-1), 'skipped changing true');
  });
});

describe('reading a document again', () => {
  it('finds it by the id of the scan', async (t) => {
    const base = await folderWith(t, {
      'docs/a.md': '# A\r\n',
      'docs/b.jsonl': '{"_id":"x","title":"X","text":"1"}\n{"_id":"x","text":"2"}\n{"text":"3"}',
    });
    const config = corpusSchema.parse({ roots: ['docs'] });
    const { documents } = await scan(base, { roots: ['docs'] });
    for (const { id, text, title } of documents.values()) {
      const file = path.join(base, 'docs', id.endsWith('.md') ? 'a.md' : 'b.jsonl');
      assert.deepEqual(await readDocument({ base, config }, file, id), { text, title }, id);
    }
  });

  it('says so if it was deleted', async (t) => {
    const base = await folderWith(t, { 'a.jsonl': '{"text":"1"}' });
    const config = corpusSchema.parse({ roots: ['.'] });
    for (const [file, id] of [
      ['a.jsonl', 'a.jsonl#2'],
      ['b.md', 'b.md'],
      ['../c.md', 'c.md'],
    ] as const)
      await assert.rejects(
        readDocument({ base, config }, path.join(base, file), id),
        (error) => ParallaxError.is(error, 'not-found') && error.message.startsWith(id),
      );
  });
});
