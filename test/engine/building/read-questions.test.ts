import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { readQuestions, type ReadQuestions } from '../../../src/features/building/engine/read-questions.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

function written(t: TestContext, name: string, content: string | Buffer): string {
  const folder = temporaryFolder(t);
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

const read = (
  t: TestContext,
  name: string,
  content: string | Buffer,
  field?: string,
): Promise<ReadQuestions> => readQuestions(written(t, name, content), field);

const refused = (pattern: RegExp) => (error: unknown) =>
  ParallaxError.is(error, 'bad-file') && pattern.test(error.message);

test('text: one question a line, without blank lines and lines without a question', async (t) => {
  const text = `\uFEFFDo cats swim?\r\n\r\n  Are dogs  fun? \r\n?!\r\n${'word '.repeat(400)}`;
  const { asked, problems } = await read(t, 'list.txt', text);
  assert.deepEqual(asked, [
    { text: 'Do cats swim?', line: 1 },
    { text: 'Are dogs fun?', line: 3 },
  ]);
  assert.deepEqual(problems, [
    'Line 4: holds no words.',
    'Line 5: is longer than 1000 characters, which is no question.',
  ]);
});

test('text in another encoding', async (t) => {
  const utf16 = Buffer.from('\uFEFFKönnen Katzen schwimmen?\n', 'utf16le');
  assert.equal((await read(t, 'list.txt', utf16)).asked[0]!.text, 'Können Katzen schwimmen?');
});

test('JSONL: a usual field, or the named one; invalid lines by number', async (t) => {
  const lines =
    '{"query":"Do cats swim?"}\n{"query":" "}\nnot json\n{"other":1}\n{"query":"Are dogs\\nfun?"}\n';
  for (const field of [undefined, 'query']) {
    const { asked, problems } = await read(t, 'log.jsonl', lines, field);
    assert.deepEqual(asked, [
      { text: 'Do cats swim?', line: 1 },
      { text: 'Are dogs fun?', line: 5 },
    ]);
    assert.deepEqual(
      problems.map((problem) => problem.slice(0, 7)),
      ['Line 2:', 'Line 3:', 'Line 4:'],
    );
  }
});

test('CSV and TSV: a column, quoted line breaks, ragged rows', async (t) => {
  const csv = 'id;Frage\n1;"Do cats\nswim?"\n2\n3;Are dogs fun?\n';
  const { asked, problems } = await read(t, 'log.csv', csv, 'Frage');
  assert.deepEqual(asked, [
    { text: 'Do cats swim?', line: 2 },
    { text: 'Are dogs fun?', line: 5 },
  ]);
  assert.ok(
    problems.some((problem) => problem.startsWith('Line 4:')),
    problems.join(),
  );
  const tsv = await read(t, 'log.TSV', 'question\tuser\nDo cats swim?\t7\n');
  assert.equal(tsv.asked[0]!.text, 'Do cats swim?');
});

test('files without questions are refused with the reason', async (t) => {
  await assert.rejects(read(t, 'empty.txt', ''), refused(/empty\.txt contains no question\. It is empty/));
  await assert.rejects(read(t, 'dots.txt', '…\n!\n'), refused(/Line 1: holds no words/));
  await assert.rejects(
    read(t, 'log.jsonl', '{"a":1}\n'),
    refused(/none of|No record has one of the fields question/),
  );
  await assert.rejects(read(t, 'log.jsonl', '{"a":1}\n', 'q'), refused(/Line 1: no text in the field "q"/));
  await assert.rejects(read(t, 'log.csv', 'a,b\n1,2\n', 'q'), refused(/"q"/));
  await assert.rejects(read(t, 'binary.txt', Buffer.from([0, 1, 2, 3, 0, 255])), refused(/binary/));
  await assert.rejects(
    readQuestions('/nowhere/list.txt', undefined),
    refused(/Cannot read \/nowhere\/list\.txt/),
  );
  await assert.rejects(readQuestions('/nowhere/list.jsonl', undefined), refused(/Cannot read/));
});
