/**
 * Texts that exceed the longest string (V8: 2^29 - 24). Files of lines are read line by line, and all others are
 * refused in a sentence. The files are real, and those that are refused are sparse.
 */
import assert from 'node:assert/strict';
import { closeSync, openSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { answersView } from '../../../src/features/papers/cli/answers-view.ts';
import { convertCommand } from '../../../src/cli/commands/convert-command.ts';
import { evalCommand } from '../../../src/cli/commands/eval-command.ts';
import { metricsCommand } from '../../../src/cli/commands/metrics-command.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import { readDrafts } from '../../../src/features/building/engine/drafts-file.ts';
import { readQuestions } from '../../../src/features/building/engine/read-questions.ts';
import { readFileLines } from '../../../src/engine/files/reading.ts';
import { LabelsFile } from '../../../src/engine/judgements/labels-file.ts';
import { ValidationsFile, validationsBeside } from '../../../src/engine/judgements/validations-file.ts';
import { SnapshotFolder } from '../../../src/features/web-corpus/engine/snapshot-folder.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { testWorkspace } from '../../fixtures/workspace.ts';
import { workspace } from '../cli/gate-support.ts';
import { files, run, topics } from '../cli/support.ts';

const LONGEST = 2 ** 29 - 24;

/** A file of zeros that is one byte longer than the longest string. */
function sparse(file: string): string {
  writeFileSync(file, '');
  truncateSync(file, LONGEST + 1);
  return file;
}

const TOO_LARGE = /^Cannot read .*: it is larger than 512 MB, the most that is read of one file\.$/u;

const LINE_TOO_LONG = /^Cannot read .*: one of its lines is too long for a file that people edit\.$/u;

/** One sentence, of no program's own words. */
const refusedFor =
  (sentence: RegExp) =>
  (error: unknown): boolean => {
    assert.ok(ParallaxError.is(error, 'bad-file'), String(error));
    assert.match(error.message, sentence);
    return true;
  };

describe('a text that exceeds a string', () => {
  test('is refused by every command', async (t) => {
    const places = await files(t, { ...topics(1), run: 'q1 Q0 a1 1 1.0 x\n' });
    const large = sparse(path.join(temporaryFolder(t), 'large.jsonl'));
    const asked = ['--corpus', places.corpus, '--pipeline', 'bm25'];
    const judge = ['--judge', '{"type":"openai","baseUrl":"http://127.0.0.1:9","model":"m"}'];
    const isRefused = refusedFor(LINE_TOO_LONG);
    await assert.rejects(run(evalCommand, ...asked, '--queries', large), isRefused);
    await assert.rejects(
      run(evalCommand, ...asked, '--queries', places.queries, '--qrels', large),
      isRefused,
    );
    await assert.rejects(run(answersView, ...asked, ...judge, '--queries', large), isRefused);
    await assert.rejects(run(metricsCommand, '--run', large, '--qrels', places.qrels), isRefused);
    await assert.rejects(run(metricsCommand, '--run', places.run, '--qrels', large), isRefused);
    const out = path.join(temporaryFolder(t), 'out');
    await assert.rejects(
      run(convertCommand, '--from', `trec-run=${large}`, '--to', `ranx-run=${out}`),
      refusedFor(TOO_LARGE),
    );
  });

  test('makes the gate impossible to evaluate, as an eval set or a baseline', async (t) => {
    const own = await workspace(t, 1, { thresholds: [{ metric: 'MRecall@2', min: 0 }] });
    sparse(path.join(own.folder, 'baseline.json'));
    await own.configure({ gate: { pipelines: ['mine'], k: 2, baseline: { file: 'baseline.json' } } });
    const baseline = await own.report();
    assert.equal(baseline.code, 3);
    assert.match(baseline.error ?? '', TOO_LARGE);
    sparse(path.join(own.folder, 'questions.jsonl'));
    const evalSet = await own.gate();
    assert.equal(evalSet.code, 3);
    assert.match(evalSet.stderr, /^parallax: Cannot read .*: one of its lines is too long .*\.$/mu);
  });

  test('is refused as a snapshot and as a list of questions', async (t) => {
    const folder = temporaryFolder(t);
    sparse(path.join(folder, 'web-manifest.jsonl'));
    await assert.rejects(SnapshotFolder.open(folder), refusedFor(TOO_LARGE));
    await assert.rejects(readQuestions(sparse(path.join(folder, 'questions.txt')), undefined), (error) => {
      assert.ok(ParallaxError.is(error, 'bad-file'));
      assert.match(error.message, /^Cannot read .*larger than 512 MB, the most that is read of one file\.$/u);
      return true;
    });
  });
});

/** A file with a given first and last line, and between them more skipped lines than fit into a string. */
function longText(file: string, first: string, last: string): string {
  const opened = openSync(file, 'w');
  const blank = Buffer.from(`${' '.repeat(16 * 1024 - 1)}\n`.repeat(512));
  writeSync(opened, Buffer.from(`${first}\n`));
  for (let size = 0; size <= LONGEST; size += blank.length) writeSync(opened, blank);
  writeSync(opened, Buffer.from(`${last}\n`));
  closeSync(opened);
  return file;
}

describe('runs, judgements and eval sets', () => {
  test('are read to the last line', async (t) => {
    const folder = temporaryFolder(t);
    const runFile = longText(path.join(folder, 'run.txt'), 'q1 Q0 d1 1 2 x', 'q2 Q0 d2 1 1 x');
    const qrels = longText(path.join(folder, 'qrels.txt'), 'q1 p1 d1 1', 'q2 p1 d3 1');
    const measured = await run(metricsCommand, '--run', runFile, '--qrels', qrels, '--json', '-');
    const { topics: read, metrics } = JSON.parse(measured.stdout) as {
      topics: number;
      metrics: Record<string, number>;
    };
    assert.deepEqual([read, metrics['MRecall@5']], [2, 0.5]);

    const line = (id: string): string =>
      JSON.stringify({ id, text: `Why ${id}?`, perspectives: ['Because.'] });
    const own = await workspace(t, 2, { thresholds: [{ metric: 'MRecall@2', min: 0 }] });
    longText(path.join(own.folder, 'questions.jsonl'), line('first'), line('last'));
    const { datasets } = await own.report();
    assert.equal(datasets[0]?.queries, 2);
  });
});

describe('lines of people and judges', () => {
  const pair = { question: 'Cats?', document: 'Cats calm people.', perspective: 'They calm.', label: 1 };

  test('are read to the last one', async (t) => {
    const folder = temporaryFolder(t);
    const file = path.join(folder, 'judgements.jsonl');
    longText(file, JSON.stringify(pair), JSON.stringify(pair));

    await assert.rejects(
      readDrafts(file),
      (error) => ParallaxError.is(error, 'bad-file') && /Not a file of drafts\. Line 1/u.test(error.message),
    );
    const { engine } = await testWorkspace(t, { labelsFile: file });
    const work = await engine.labelledWork({ labelsFile: file });
    assert.deepEqual(work, { pairs: 2, passages: 1, passageLength: 17, ofCorpus: false });
  });

  test('an unreadable line is refused with its file, and not skipped', async (t) => {
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
