/** Growing labels: those of this process are added without reading the others again. */
import assert from 'node:assert/strict';
import { appendFileSync, closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { formatLabel, labelSchema, withdrawalOf, type Label } from '../../../src/core/formats/labels.ts';
import { LabelsFile, partsText } from '../../../src/engine/judgements/labels-file.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const HASHES = ['h1', 'h2', 'h3'];
const STATEMENTS = ['Cats are kind.', 'cats are kind', 'Dogs are loud.'];

function labelOf(at: number, given: Partial<Label> = {}): Label {
  return labelSchema.parse({
    v: 1,
    query: 'q1',
    perspective: 'p1',
    perspectiveText: STATEMENTS[0],
    document: 'd1',
    hash: 'h1',
    by: { kind: 'human', name: 'Ada' },
    at: new Date(at).toISOString(),
    verdict: 'yes',
    ...given,
  });
}

async function openFile(
  t: TestContext,
): Promise<{ file: string; labels: LabelsFile; fresh: () => LabelsFile }> {
  const file = path.join(temporaryFolder(t), 'judgements.jsonl');
  const fresh = (): LabelsFile => new LabelsFile(file, (warning) => assert.fail(warning));
  return { file, labels: fresh(), fresh };
}

/** The results of all methods of labels. */
async function said(labels: LabelsFile): Promise<unknown> {
  const { index, checks, problems } = await labels.content();
  const asked = STATEMENTS.flatMap((perspectiveText) =>
    HASHES.map((hash) =>
      index.lookup(
        { queryId: 'q1', perspectiveId: 'p1', perspectiveText },
        { documentId: 'd1', text: 'Cats are kind, and so are dogs.', hash },
      ),
    ),
  );
  const supporting = STATEMENTS.map((perspectiveText) => index.supporting({ perspectiveText }));
  return {
    asked,
    supporting,
    labelled: index.labelledPassages().length,
    lines: [...index.labels()],
    checks,
    problems,
  };
}

test('an answer is added to known labels without reading the file again', async (t) => {
  const { labels, fresh } = await openFile(t);
  await labels.append(labelOf(1));
  const { index } = await labels.content();
  await labels.append(labelOf(2, { verdict: 'no' }));
  await labels.append(labelOf(3, { hash: 'h2' }));
  assert.equal(await labels.read(), index);
  assert.deepEqual(await said(labels), await said(fresh()));
});

test('lines of other writers are read: before an answer, beside it, and within the lines', async (t) => {
  const { file, labels, fresh } = await openFile(t);
  await labels.append(labelOf(1));
  await labels.content();
  appendFileSync(file, formatLabel(labelOf(2, { hash: 'h2', by: { kind: 'human', name: 'Grace' } })));
  await labels.append(labelOf(3, { hash: 'h3' }));
  assert.deepEqual(await said(labels), await said(fresh()));
  const appended = labels.append(labelOf(4, { verdict: 'no' }));
  appendFileSync(file, formatLabel(labelOf(5, { hash: 'h2', verdict: 'no' })));
  await appended;
  assert.deepEqual(await said(labels), await said(fresh()));
  writeFileSync(file, readFileSync(file, 'utf8').replace('"verdict":"yes"', '"verdict":"no" '));
  await labels.append(labelOf(6, { hash: 'h3', verdict: 'unsure' }));
  assert.deepEqual(await said(labels), await said(fresh()));
});

test('an unfinished last line, a withdrawn label and a clock set back are handled', async (t) => {
  const { file, labels, fresh } = await openFile(t);
  writeFileSync(file, formatLabel(labelOf(10)).trimEnd());
  const { index } = await labels.content();
  await labels.append(labelOf(20, { hash: 'h2' }));
  assert.deepEqual(await said(labels), await said(fresh()));
  await labels.append(withdrawalOf(labelOf(20, { hash: 'h2' }), new Date(30).toISOString()));
  assert.deepEqual(await said(labels), await said(fresh()));
  await labels.append(labelOf(5, { verdict: 'no' }));
  assert.deepEqual(await said(labels), await said(fresh()));
  assert.equal(await labels.read(), index, 'nothing was read again');
});

test('lines, checks and withdrawals of another process are read', async (t) => {
  const { file, labels, fresh } = await openFile(t);
  const check = { ...labelOf(1), expected: 'yes', answer: 'no', verdict: undefined };
  writeFileSync(file, `${formatLabel(labelOf(1))}${JSON.stringify(check)}\n`);
  await labels.content();
  appendFileSync(file, formatLabel(withdrawalOf(labelOf(2), new Date(30).toISOString())));
  appendFileSync(file, formatLabel(labelOf(2)));
  appendFileSync(file, formatLabel(labelOf(4, { hash: 'h2' })).trimEnd());
  assert.deepEqual(await said(labels), await said(fresh()));
  appendFileSync(file, `\n${formatLabel(withdrawalOf(labelOf(1), new Date(31).toISOString()))}`);
  assert.deepEqual((await labels.content()).checks, []);
  assert.deepEqual(await said(labels), await said(fresh()));
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace('"verdict":"yes"', '"verdict":"no" ') + formatLabel(labelOf(6)),
  );
  assert.deepEqual(await said(labels), await said(fresh()));
});

test('a line replaced in a large file is read again', async (t) => {
  const { file, labels, fresh } = await openFile(t);
  const first = formatLabel(labelOf(1));
  writeFileSync(
    file,
    `${first}${`${' '.repeat(2 ** 20)}\n`.repeat(20)}${formatLabel(labelOf(2, { hash: 'h2' }))}`,
  );
  const before = await said(labels);
  const handle = openSync(file, 'r+');
  writeSync(handle, first.replace('"verdict":"yes"', '"verdict":"no" '), 0);
  closeSync(handle);
  appendFileSync(file, formatLabel(labelOf(4, { hash: 'h2', verdict: 'no' })));
  assert.notDeepEqual(await said(labels), before);
  assert.deepEqual(await said(labels), await said(fresh()));
});

test('an extended last line is read completely, and a long line costs only its length', async (t) => {
  const file = path.join(temporaryFolder(t), 'judgements.jsonl');
  const warnings: string[] = [];
  const labels = new LabelsFile(file, (warning) => warnings.push(warning));
  const line = formatLabel(labelOf(1)).trimEnd();
  writeFileSync(file, `\uFEFF${line}\r\n${line.slice(0, 50)}`);
  assert.equal([...(await labels.read()).labels()].length, 1);
  appendFileSync(file, `${line.slice(50)}\n${'x'.repeat(17 * 2 ** 20)}\n${formatLabel(labelOf(2))}`);
  assert.equal([...(await labels.read()).labels()].length, 3);
  assert.match(warnings[0]!, /^judgements\.jsonl: Line 2: not JSON/);
  assert.deepEqual(warnings.slice(1), ['judgements.jsonl: Line 3: longer than 16 MB; skipped.']);
  appendFileSync(file, 'no\n'.repeat(3_000));
  const { problems } = await labels.content();
  assert.equal(problems.length, 1_001);
  assert.equal(problems.at(-1), 'judgements.jsonl: Further lines that cannot be read: 2001.');
});

test('a label keeps all its fields', async (t) => {
  const { labels } = await openFile(t);
  const given = [
    labelOf(1, { hash: 'ab'.repeat(32), split: 'words', note: 'as it says', informed: true, chance: 0.25 }),
    labelOf(2, { hash: 'AB'.repeat(32), queryText: 'Why?', at: '2026-11-23' }),
    labelOf(3, { hash: undefined, quote: 'Cats are kind', verdict: 'unsure', at: 'yesterday' }),
    labelOf(4, { by: { kind: 'imported', name: 'qrels' }, standard: 'strict-1', informed: false }),
  ].map((label) => labelSchema.parse(JSON.parse(JSON.stringify(label))));
  for (const label of given) await labels.append(label);
  assert.deepEqual([...(await labels.read()).labels()], given);
  assert.deepEqual((await labels.read()).givenAt('2026-11-23', STATEMENTS[0]!), [given[1]]);
});

test('labels equal the file after any order of answers', async (t) => {
  const answer = fc.record({
    at: fc.integer({ min: 1, max: 6 }),
    hash: fc.constantFrom(...HASHES),
    perspectiveText: fc.constantFrom(...STATEMENTS),
    verdict: fc.constantFrom('yes', 'no', 'unsure'),
    name: fc.constantFrom('Ada', 'Grace'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(answer, { minLength: 1, maxLength: 6 }), async (answers) => {
      const { labels, fresh } = await openFile(t);
      for (const [place, { at, name, ...given }] of answers.entries()) {
        const time = place % 3 === 2 ? at : 10 * place + at;
        await labels.append(labelOf(time, { ...given, by: { kind: 'human', name } } as Partial<Label>));
        assert.deepEqual(await said(labels), await said(fresh()));
      }
    }),
    { seed: 20_261_123, numRuns: 40 },
  );
});

test('labels with numbered passages are marked, because they depend on the corpus', async (t) => {
  const { file, labels } = await openFile(t);
  writeFileSync(file, formatLabel(labelOf(1, { document: 'a.md#p8' })));
  assert.equal((await labels.content()).parts, undefined, 'a passage by its text');
  for (const at of [2, 3])
    appendFileSync(file, formatLabel(labelOf(at, { document: `b.md#p${at}`, hash: undefined })));
  const { parts } = await labels.content();
  assert.deepEqual(parts, { labels: 2, example: 'b.md#p2' });
  assert.match(
    partsText(parts!),
    /^2 labels name passages by their numbers, such as "b\.md#p2", and are ignored/u,
  );
  assert.match(
    partsText({ labels: 1, example: 'b.md#p2' }),
    /^1 label names a passage by its number, such as "b\.md#p2",/u,
  );
});
