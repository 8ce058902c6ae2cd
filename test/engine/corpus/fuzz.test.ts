/** Whatever bytes a file contains, a scan ends, reports it, and reads the file beside it. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { it } from 'node:test';
import fc from 'fast-check';
import { addFiles, FIXTURES, folderWith, scan } from './workspace.ts';

const NAMES = [
  'a.md',
  'a.txt',
  'a.html',
  'a.pdf',
  'a.docx',
  'a.csv',
  'a.tsv',
  'a.json',
  'a.jsonl',
  'a.ipynb',
  'a.py',
];
const FIXTURE_NAMES = ['congestion.pdf', 'encrypted.pdf', 'night-trains.docx', 'page.html', 'notebook.ipynb'];

/** Changes of single bytes: position (as a share of the length), new value. */
const mutations = fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(255)), {
  minLength: 1,
  maxLength: 8,
});

async function surviveWith(folder: string, name: string, content: Buffer): Promise<void> {
  await addFiles(folder, { [name]: content });
  const { documents, of } = await scan(folder, { roots: [name, 'intact.md'] });
  assert.equal(documents.get('intact.md')?.text, 'intact');
  const file = path.join(folder, name);
  const closing = [...of('skipped'), ...of('file-end')].filter((event) => event.path === file);
  assert.equal(closing.length, 1, `${name} is reported once`);
}

it('survives random bytes under every kind of name', async (t) => {
  const folder = await folderWith(t, { 'intact.md': 'intact' });
  const texts = fc.string({
    unit: fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      ',',
      ':',
      '\n',
      '\r',
      '<',
      '>',
      '/',
      'a',
      '\\',
      'text',
      '#',
      '\t',
    ),
    maxLength: 60,
  });
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    texts.map((text) => Buffer.from(text)),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...NAMES), content, (name, bytes) => surviveWith(folder, name, bytes)),
    { numRuns: 100 },
  );
});

it('survives damage to valid files', async (t) => {
  const folder = await folderWith(t, { 'intact.md': 'intact' });
  const records = Buffer.from('{"_id":"a","text":"größer"}\n{"page_content":"b","metadata":{"title":"t"}}\n');
  const rows = Buffer.from('id,text\r\n1,"a\nb"\r\n2,größer\r\n');
  const valid = new Map<string, Buffer>([
    ['r.jsonl', records],
    ['r.json', records],
    ['r.csv', rows],
  ]);
  for (const name of FIXTURE_NAMES) valid.set(name, await readFile(path.join(FIXTURES, name)));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...valid.keys()),
      mutations,
      fc.double({ min: 0.2, max: 1, noNaN: true }),
      async (name, changes, kept) => {
        const bytes = Buffer.from(valid.get(name) ?? []);
        for (const [at, value] of changes) bytes[Math.floor(at * (bytes.length - 1))] = value;
        await surviveWith(folder, name, bytes.subarray(0, Math.ceil(bytes.length * kept)));
      },
    ),
    { numRuns: 100 },
  );
});
