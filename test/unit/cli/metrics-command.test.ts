import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { metricsCommand, type MetricsReport } from '../../../src/cli/commands/metrics-command.ts';
import { UsageError } from '../../../src/cli/presentation/terminal.ts';
import { ParallaxError } from '../../../src/core/errors.ts';

const DATA = '../shared/data/metrics';
const skip = existsSync(DATA) ? false : 'cannot run here: ../shared/data is absent';

async function run(...argv: string[]) {
  let stdout = '';
  let stderr = '';
  const code = await metricsCommand(argv, {
    stdout: (text) => (stdout += text),
    stderr: (text) => (stderr += text),
  });
  return { code, stdout, stderr };
}

let folder: string;
before(async () => (folder = await mkdtemp(join(tmpdir(), 'parallax-metrics-'))));
after(() => rm(folder, { recursive: true }));

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

describe('on the real run', { skip }, () => {
  const inputs = ['--run', `${DATA}/run.txt`, '--qrels', `${DATA}/qrels.diversity.txt`];

  test('writes only JSON to standard output', async () => {
    const { code, stdout, stderr } = await run(...inputs, '--k', '1,5,10', '--json', '-');
    const report = JSON.parse(stdout) as MetricsReport;
    assert.deepEqual([code, report.topics, report.topicsInRun], [0, 178, 161]);
    assert.equal(Object.keys(report.metrics).length, 12 * 3 + 2);
    assert.ok(Math.abs(report.metrics['MRecall@5']! - 0.5224719) < 1e-6);
    assert.match(stderr, /^warning: 17 of 178 topics .*\n$/);
  });

  test('writes a table', async () => {
    const { stdout } = await run(...inputs, '--k', '5,10');
    const lines = stdout.split('\n');
    assert.equal(lines[0], '161 of 178 topics are in the run.');
    assert.ok(lines.includes('measure         @5     @10     all'));
    assert.ok(lines.includes('MRecall     0.5225  0.6573'));
    assert.ok(lines.includes('AP                          0.4007'));
  });

  test('--missing drop averages over the topics in the run', async () => {
    const { stdout } = await run(...inputs, '--missing', 'drop', '--json', '-');
    const { topics, topicsInRun, metrics } = JSON.parse(stdout) as MetricsReport;
    assert.deepEqual([topics, topicsInRun], [178, 161]);
    assert.ok(Math.abs(metrics['MRecall@5']! - (0.5224719 * 178) / 161) < 1e-6);
  });

  test('plain qrels omit diversity measures', async () => {
    const { stdout } = await run(
      '--run',
      `${DATA}/run.txt`,
      '--qrels',
      `${DATA}/qrels.txt`,
      '--k',
      '5',
      '--json',
      '-',
    );
    const { metrics } = JSON.parse(stdout) as MetricsReport;
    const expected = ['Precision@5', 'P@5', 'nDCG@5', 'AP', 'RR', 'R@5', 'Success@5', 'Judged@5'];
    assert.deepEqual(Object.keys(metrics), expected);
  });
});

test('writes JSON to a file and the table to standard output', async () => {
  const target = join(folder, 'out.json');
  const inputs = ['--run', await file('r', 'q Q0 a 1 1 t\n'), '--qrels', await file('q', 'q pro a 1\n')];
  const { stdout } = await run(...inputs, '--k', '1', '--json', target);
  assert.match(stdout, /1 of 1 topic is/);
  const report = JSON.parse(await readFile(target, 'utf8')) as MetricsReport;
  assert.deepEqual([report.topics, report.metrics['MRecall@1'], report.metrics['Judged@1']], [1, 1, 1]);
});

test('writes warnings to standard error, by file', async () => {
  const runFile = await file('doubtful.run', 'q Q0 a 1 1 t\nq Q0 b 2 1 t\noops\n');
  const qrelsFile = await file('doubtful.qrels', 'q pro a 1\nq pro b -1\n');
  const { code, stderr } = await run('--run', runFile, '--qrels', qrelsFile);
  assert.equal(code, 0);
  assert.ok(stderr.includes(`warning: ${runFile}: Line 3: expected 6 columns, found 1; skipped.\n`));
  assert.match(stderr, /doubtful\.run: Equal scores in 1 topic/);
  assert.match(stderr, /doubtful\.qrels: 1 judgements with a negative relevance/);
});

test('prints repeated cutoffs once', async () => {
  const inputs = ['--run', await file('r', 'q Q0 a 1 1 t\n'), '--qrels', await file('q', 'q pro a 1\n')];
  const { stdout } = await run(...inputs, '--k', '5, 5,1');
  assert.match(stdout, /^measure +@5 +@1 +all$/m);
});

test('--help prints help and needs no files', async () => {
  const { code, stdout } = await run('--help');
  assert.equal(code, 0);
  assert.match(stdout, /^parallax metrics --run/);
});

describe('wrong usage', () => {
  const inputs = ['--run', 'r', '--qrels', 'q'];
  const cases: [RegExp, string[]][] = [
    [/^--run is missing\.$/, []],
    [/^--qrels is missing\.$/, ['--run', 'r']],
    [/^Unknown option '--runs'\.$/, ['--runs', 'r']],
    [/argument missing\.$/, ['--run']],
    [/^Unexpected argument 'extra'\.$/, [...inputs, 'extra']],
    [/^--k takes whole numbers from 1, .* not "0"/, [...inputs, '--k', '5,0']],
    [/not "" \(in "5,"\)/, [...inputs, '--k', '5,']],
    [/not "five"/, [...inputs, '--k', 'five']],
    [/^--missing is zero or drop, not "skip"\.$/, [...inputs, '--missing', 'skip']],
  ];
  for (const [sentence, argv] of cases)
    test(`parallax metrics ${argv.join(' ')}`, () =>
      assert.rejects(run(...argv), (error) => error instanceof UsageError && sentence.test(error.message)));
});

describe('unusable files', () => {
  const failure =
    (id: ConstructorParameters<typeof ParallaxError>[0], sentence: RegExp) => (error: unknown) =>
      ParallaxError.is(error, id) && sentence.test(error.message);

  test('missing, a folder, or in another format', async () => {
    const good = await file('good.run', 'q Q0 a 1 1 t\n');
    await assert.rejects(
      run('--run', join(folder, 'no'), '--qrels', good),
      failure('not-found', /Cannot read .*no: no such file/),
    );
    await assert.rejects(
      run('--run', folder, '--qrels', good),
      failure('bad-file', /Cannot read .*: it is a folder\.$/),
    );
    await assert.rejects(
      run('--run', good, '--qrels', good),
      failure('bad-file', /good\.run: Not a TREC qrels file/),
    );
  });

  test('an unwritable path for the JSON', async () => {
    const inputs = ['--run', await file('r', 'q Q0 a 1 1 t\n'), '--qrels', await file('q', 'q pro a 1\n')];
    const target = join(folder, 'no', 'such', 'folder.json');
    await assert.rejects(
      run(...inputs, '--json', target),
      failure('bad-file', /Cannot write .*: no such file or folder\.$/),
    );
  });
});
