/**
 * Texts that are longer than one string can be (V8: 2^29 - 24): lines of people and judges are read one by one, anything
 * else is refused in a sentence. The files are real, and those that are refused have no blocks on the disk.
 */
import assert from 'node:assert/strict';
import { closeSync, openSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { answersView } from '../../../src/cli/commands/views/answers.ts';
import { convertCommand } from '../../../src/cli/commands/convert-command.ts';
import { evalCommand } from '../../../src/cli/commands/eval-command.ts';
import { metricsCommand } from '../../../src/cli/commands/metrics-command.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import { readDrafts } from '../../../src/engine/building/drafts-file.ts';
import { readQuestions } from '../../../src/engine/building/read-questions.ts';
import { readFileLines } from '../../../src/engine/files/reading.ts';
import { LabelsFile } from '../../../src/engine/judgements/labels-file.ts';
import { ValidationsFile, validationsBeside } from '../../../src/engine/judgements/validations-file.ts';
import { SnapshotFolder } from '../../../src/engine/web/snapshot-folder.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { testWorkspace } from '../../fixtures/workspace.ts';
import { workspace } from '../cli/gate-support.ts';
import { files, run, topics } from '../cli/support.ts';

const LONGEST = 2 ** 29 - 24;
const MEGABYTE = 2 ** 20;

/** A file of zeros that is one byte longer than a text can be. */
function sparse(file: string): string {
  writeFileSync(file, '');
  truncateSync(file, LONGEST + 1);
  return file;
}

const TOO_LARGE = /^Cannot read .*: it is larger than 512 MB, the most that is read of one file\.$/u;

/** One sentence, of no program's own words. */
const refused = (error: unknown): boolean => {
  assert.ok(ParallaxError.is(error, 'bad-file'), String(error));
  assert.match(error.message, TOO_LARGE);
  return true;
};

describe('a text that no string can hold', () => {
  test('is refused by every command that is given it', async (t) => {
    const places = await files(t, { ...topics(1), run: 'q1 Q0 a1 1 1.0 x\n' });
    const large = sparse(path.join(temporaryFolder(t), 'large.jsonl'));
    const asked = ['--corpus', places.corpus, '--pipeline', 'bm25'];
    const judge = ['--judge', '{"type":"openai","baseUrl":"http://127.0.0.1:9","model":"m"}'];
    await assert.rejects(run(evalCommand, ...asked, '--queries', large), refused);
    await assert.rejects(run(evalCommand, ...asked, '--queries', places.queries, '--qrels', large), refused);
    await assert.rejects(run(answersView, ...asked, ...judge, '--queries', large), refused);
    await assert.rejects(run(metricsCommand, '--run', large, '--qrels', places.qrels), refused);
    await assert.rejects(run(metricsCommand, '--run', places.run, '--qrels', large), refused);
    const out = path.join(temporaryFolder(t), 'out');
    await assert.rejects(
      run(convertCommand, '--from', `trec-run=${large}`, '--to', `ranx-run=${out}`),
      refused,
    );
  });

  test('fails the gate as what could not be evaluated, as an eval set and as a baseline', async (t) => {
    const own = await workspace(t, 1, { thresholds: [{ metric: 'MRecall@2', min: 0 }] });
    sparse(path.join(own.folder, 'baseline.json'));
    await own.configure({ gate: { pipelines: ['mine'], k: 2, baseline: { file: 'baseline.json' } } });
    const baseline = await own.report();
    assert.equal(baseline.code, 3);
    assert.match(baseline.error ?? '', TOO_LARGE);
    sparse(path.join(own.folder, 'questions.jsonl'));
    const evalSet = await own.gate();
    assert.equal(evalSet.code, 3);
    assert.match(
      evalSet.stderr,
      /^parallax: Cannot read .*: it is larger than 512 MB, the most that is read of one file\.$/mu,
    );
  });

  test('is refused as a snapshot, and as a list of questions', async (t) => {
    const folder = temporaryFolder(t);
    sparse(path.join(folder, 'web-manifest.jsonl'));
    await assert.rejects(SnapshotFolder.open(folder), refused);
    await assert.rejects(readQuestions(sparse(path.join(folder, 'questions.txt')), undefined), (error) => {
      assert.ok(ParallaxError.is(error, 'bad-file'));
      assert.match(error.message, /^Cannot read .*larger than 512 MB, the most that is read of one file\.$/u);
      return true;
    });
  });
});

describe('lines of people and judges', () => {
  const pair = { question: 'Cats?', document: 'Cats calm people.', perspective: 'They calm.', label: 1 };

  test('are read beyond that, to the last one', async (t) => {
    const folder = temporaryFolder(t);
    const file = path.join(folder, 'judgements.jsonl');
    const opened = openSync(file, 'w');
    const first = Buffer.from(`${JSON.stringify(pair)}\n`);
    const blank = Buffer.alloc(8 * MEGABYTE, ' ');
    blank[blank.length - 1] = 10;
    writeSync(opened, first);
    for (let size = 0; size <= LONGEST; size += blank.length) writeSync(opened, blank);
    writeSync(opened, first);
    closeSync(opened);

    await assert.rejects(
      readDrafts(file),
      (error) => ParallaxError.is(error, 'bad-file') && /Not a file of drafts\. Line 1/u.test(error.message),
    );
    const { engine } = await testWorkspace(t, { labelsFile: file });
    const work = await engine.labelledWork({ labelsFile: file });
    assert.deepEqual(work, { pairs: 2, passages: 1, passageLength: 17, ofCorpus: false });
  });

  test('a line that nobody wrote is refused with its file, and not passed over', async (t) => {
    const folder = temporaryFolder(t);
    const labels = path.join(folder, 'judgements.jsonl');
    const validations = sparse(validationsBeside(labels));
    await assert.rejects(new ValidationsFile(labels).of('a judge'), (error) => {
      assert.ok(ParallaxError.is(error, 'bad-file'));
      assert.match(error.message, /^Cannot read .*validations\.jsonl: one of its lines is too long/u);
      return true;
    });
    await assert.rejects(async () => {
      for await (const line of readFileLines(validations)) assert.fail(line.text);
    }, /too long/u);
    const warnings: string[] = [];
    await new LabelsFile(sparse(labels), (warning) => warnings.push(warning)).read();
    assert.match(warnings.join('\n'), /Line 1: longer than 16 MB; skipped\./u);
  });
});
