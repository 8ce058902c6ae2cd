/** A hostile document against the process that reads compressed ones, and against the corpus reader. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Extraction, extraction } from '../../../src/engine/corpus/extraction/extraction.ts';
import type { ExtractionLimits } from '../../../src/engine/corpus/extraction/limits.ts';
import { FileSkipped } from '../../../src/engine/corpus/readers/reader.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import { FIXTURES, folderWith, scan } from '../corpus/workspace.ts';
import { docxBomb, pdfBomb } from './bombs.ts';

const MEGABYTE = 1024 * 1024;

function extractionOf(t: TestContext, limits: ExtractionLimits): Extraction {
  const extraction = new Extraction(limits);
  t.after(() => extraction.stop());
  return extraction;
}

const tooLarge = (error: unknown): boolean => error instanceof FileSkipped && error.reason === 'too-large';

describe('a document that decompresses without end', () => {
  it('is cancelled when it fills the memory, and the next one is read', async (t) => {
    const own = extractionOf(t, { milliseconds: 120_000, megabytes: 400 });
    const word = docxBomb(64);
    const pdf = pdfBomb(64);
    assert.ok(word.length < 2 * MEGABYTE && pdf.length < 2 * MEGABYTE);
    await assert.rejects(own.extract('docx', word), tooLarge);
    await assert.rejects(own.extract('pdf', pdf), tooLarge);
    const good = await readFile(path.join(FIXTURES, 'night-trains.docx'));
    assert.match((await own.extract('docx', good)).text, /night/iu);
  });

  it('is skipped with a reason by a scan, which continues', async (t) => {
    const folder = await folderWith(t, { 'bomb.docx': docxBomb(128), 'good.txt': 'good' });
    const { reasons, documents } = await scan(folder);
    assert.deepEqual(reasons, { 'bomb.docx': 'too-large' });
    assert.deepEqual([...documents.keys()], ['good.txt']);
  });

  it('is not parsed in the engine process, if it is HTML', async (t) => {
    extraction.stop();
    const folder = await folderWith(t, {
      'page.html': '<title>Wind</title><p>mills',
      'bad.html': '<b>'.repeat(30_000),
    });
    const { reasons, documents } = await scan(folder);
    assert.ok(extraction.pid !== undefined, 'a process was started for it');
    assert.deepEqual(reasons, { 'bad.html': 'broken' });
    assert.deepEqual([...documents.keys()], ['page.html']);
  });
});

describe('a document that keeps its parser busy', () => {
  it('is cancelled after a timeout, and the next one is read', async (t) => {
    const own = extractionOf(t, { milliseconds: 1_500, megabytes: 4_000 });
    await assert.rejects(own.extract('pdf', pdfBomb(16)), tooLarge);
    const slow = extractionOf(t, { milliseconds: 60_000, megabytes: 4_000 });
    const good = await readFile(path.join(FIXTURES, 'congestion.pdf'));
    assert.match((await slow.extract('pdf', good)).text, /congestion/iu);
  });

  it('may be HTML: it is skipped with a reason while the engine answers', async (t) => {
    const own = extractionOf(t, { milliseconds: 2_000, megabytes: 1_000 });
    let turns = 0;
    const beat = setInterval(() => turns++, 50);
    t.after(() => clearInterval(beat));
    // A table without end tags: quadratic.
    const rows = Buffer.from(`<table>${'<tr><td>a<td>b'.repeat(400_000)}`);
    await assert.rejects(own.extract('html', rows), tooLarge);
    assert.ok(turns >= 10, 'the event loop was free');
    const { title, text } = await own.extract('html', Buffer.from('<head><title>T</title></head><p>good'));
    assert.deepEqual([title, text], ['T', 'good']);
  });

  it('can be cancelled', async (t) => {
    const own = extractionOf(t, { milliseconds: 60_000, megabytes: 4_000 });
    const controller = new AbortController();
    const reading = own.extract('pdf', pdfBomb(16), controller.signal);
    setTimeout(() => controller.abort(), 300);
    await assert.rejects(reading, (error) => ParallaxError.is(error, 'cancelled'));
  });
});

describe('the process that reads packed documents', () => {
  it('survives a PDF with two broken pages, and reads the next one', async (t) => {
    const good = await readFile(path.join(FIXTURES, 'congestion.pdf'));
    const [from, to] = ['\n2 0 obj', '\n5 0 obj'].map((text) => good.indexOf(text));
    const broken = Buffer.from(good).fill('x', from, to);
    const own = extractionOf(t, { milliseconds: 60_000, megabytes: 1_000 });
    await assert.rejects(own.extract('pdf', broken), (error) => (error as FileSkipped).reason === 'broken');
    const { pid } = own;
    assert.match((await own.extract('pdf', good)).text, /congestion/iu);
    assert.equal(own.pid, pid, 'no other process was needed');
  });

  it('gets no key of the environment', async (t) => {
    process.env['PLANTED_API_KEY'] = 'planted-key';
    t.after(() => delete process.env['PLANTED_API_KEY']);
    const own = extractionOf(t, { milliseconds: 60_000, megabytes: 1_000 });
    await own.extract('pdf', await readFile(path.join(FIXTURES, 'congestion.pdf')));
    const environment = await environmentOf(own.pid!);
    if (environment === undefined) return t.skip('cannot run here: /proc is absent');
    assert.ok(!environment.includes('planted-key'));
    assert.ok(environment.includes('ELECTRON_RUN_AS_NODE'));
  });
});

/** Of a running process. `undefined` if the system does not provide it. */
async function environmentOf(pid: number): Promise<string | undefined> {
  return readFile(`/proc/${pid}/environ`, 'utf8').catch(() => undefined);
}

describe('a list with millions of invalid records', () => {
  for (const [name, text] of [
    ['a.json', `[{"text":"good"}${',0'.repeat(4_000_000)}]`],
    ['b.json', `{"text":"good"}\n${'0\n'.repeat(4_000_000)}`],
  ] as const)
    it(`needs no more memory than the file’s length: ${name}`, async (t) => {
      const folder = await folderWith(t, { [name]: text });
      const reading = `
        const { jsonReader } = await import(${JSON.stringify(pathToFileURL(path.resolve('src/engine/corpus/readers/json.ts')).href)});
        const { readFile } = await import('node:fs/promises');
        let wrong = 0;
        const context = { name: 'a.json', maxRecordBytes: 64e6 };
        for (const item of jsonReader.read(await readFile(${JSON.stringify(path.join(folder, name))}), context))
          if ('problem' in item) wrong++;
        console.log(wrong);
      `;
      const options = ['--max-old-space-size=200', '--input-type=module', '--eval', reading];
      const read = spawnSync(process.execPath, options, { encoding: 'utf8' });
      assert.equal(read.stdout.trim(), '4000000', read.stderr.slice(0, 500));
    });
});
