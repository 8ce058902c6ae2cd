/** The bundled examples, run with the real command line. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, test, type TestContext } from 'node:test';
import { gateCommand } from '../../../src/features/gate/cli/gate-command.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { sampleWorkspace } from './gate-support.ts';
import { run } from './support.ts';

const EXAMPLES = path.resolve('media/examples');
const PARALLAX = `${process.execPath} ${path.resolve('dist/cli.js')}`;
const GATE = {
  pipelines: ['bm25', 'bm25 + MMR'],
  thresholds: [{ metric: 'MRecall@5', min: 0.4 }],
  baseline: { file: '.parallax/baselines/main.json' },
};
/** Does not match other forms of a word. */
const WORSE = { retriever: { type: 'bm25', k1: 0, analyzer: 'whitespace' } };

const python = spawnSync('python3', ['--version']).status === 0;
/** It takes 2 GB, so it is no dependency: the test runs if it is on the path. */
const needsPromptfoo =
  spawnSync('promptfoo', ['--version']).status === 0 ? false : 'cannot run here: there is no promptfoo';
const hasPytest = spawnSync('python3', ['-c', 'import pytest']).status === 0;

async function workspace(t: TestContext): ReturnType<typeof sampleWorkspace> {
  const own = await sampleWorkspace(t, GATE);
  assert.equal((await own.gate('--accept')).code, 0);
  return own;
}

describe('pytest', { skip: python ? false : 'cannot run here: there is no python3' }, () => {
  /** Uses pytest if it is installed. Otherwise each test function is called directly. */
  function runTests(config: string): { status: number | null; output: string } {
    const file = path.join(EXAMPLES, 'pytest/test_retrieval.py');
    const plain =
      'import importlib.util, sys, traceback\n' +
      `spec = importlib.util.spec_from_file_location("t", ${JSON.stringify(file)})\n` +
      'm = importlib.util.module_from_spec(spec); spec.loader.exec_module(m)\nfailed = 0\n' +
      'for name in dir(m):\n' +
      '    if name.startswith("test_"):\n' +
      '        try: getattr(m, name)()\n' +
      '        except AssertionError: failed += 1; traceback.print_exc(file=sys.stdout)\n' +
      'sys.exit(1 if failed else 0)\n';
    const argv = hasPytest ? ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', file] : ['-c', plain];
    const env = { ...process.env, PARALLAX, PARALLAX_CONFIG: config, PYTHONDONTWRITEBYTECODE: '1' };
    const { status, stdout, stderr } = spawnSync('python3', argv, { env, encoding: 'utf8' });
    return { status, output: stdout + stderr };
  }

  test('passes with the accepted baseline, and fails for a worse pipeline with every name', async (t) => {
    const own = await workspace(t);
    const before = runTests(own.config);
    assert.equal(before.status, 0, before.output);

    const { pipelines } = JSON.parse(await readFile(own.config, 'utf8')) as { pipelines: object };
    await own.configure({ pipelines: { ...pipelines, bm25: WORSE } });
    const { status, output } = runTests(own.config);
    assert.equal(status, 1);
    assert.match(
      output,
      /questions, bm25: MRecall@5 over 11 questions is 36\.4 if no unjudged pair counts as support, and 45\.5 if all/u,
    );
    assert.match(
      output,
      /questions, bm25: monorepo-2: A single repository makes a change .* First supported at rank 6, below 5\./u,
    );
    // One of its top 5 is unjudged for the perspective that it seems to lose, so it is no loss.
    assert.doesNotMatch(output, /school-start-2: /u);
    assert.doesNotMatch(output, /questions, bm25 \+ MMR: MRecall/u);
  });

  test('a gate that cannot be evaluated does not count as passed', async (t) => {
    const own = await workspace(t);
    await own.configure({ gate: { ...GATE, pipelines: ['nowhere'] } });
    const { status, output } = runTests(own.config);
    assert.equal(status, 1);
    assert.match(
      output,
      /could not be evaluated \(2\): parallax: gate\.pipelines\.0: there is no pipeline "nowhere"/u,
    );
  });
});

describe('promptfoo', () => {
  interface Provider {
    id(): string;
    callApi(prompt: string): Promise<{ output?: string; error?: string }>;
  }
  const load = async <T>(file: string): Promise<T> =>
    ((await import(pathToFileURL(path.join(EXAMPLES, 'promptfoo', file)).href)) as { default: T }).default;

  test('the provider answers with measures, and the assertion makes them named scores', async (t) => {
    const own = await workspace(t);
    process.env['PARALLAX'] = PARALLAX;
    t.after(() => delete process.env['PARALLAX']);
    const ParallaxProvider = await load<new (options: object) => Provider>('parallax-provider.mjs');
    const coverage =
      await load<(output: unknown, context: object) => Record<string, unknown>>('parallax-coverage.mjs');
    const provider = new ParallaxProvider({ config: { config: own.config, pipeline: 'bm25' } });
    assert.equal(provider.id(), 'parallax:bm25');
    const { output } = await provider.callApi('Should secondary schools start later in the morning?');
    const report = await own.report();
    const { metrics } = report.datasets[0]!.pipelines[0]!.queries.find(({ id }) => id === 'school-start')!;

    for (const given of [output!, JSON.parse(output!) as object]) {
      const { pass, score, namedScores, reason } = coverage(given, {
        config: { metric: 'StRecall@5', min: 0.9 },
      });
      assert.deepEqual(
        [pass, score, namedScores],
        [metrics['StRecall@5']! >= 0.9, metrics['StRecall@5'], metrics],
      );
      assert.match(
        String(reason),
        /^StRecall@5 is 0\.67, at least 0\.9 is demanded\nlost: When the school day ends later/u,
      );
    }
    assert.throws(
      () => coverage(output, { config: { metric: 'nDCG' } }),
      /There is no measure "nDCG"; there are MRecall@5/u,
    );
    assert.match((await provider.callApi('Unheard of?')).error!, /has the question "Unheard of\?"/u);
  });

  /** The bundled sample, unchanged, with the example beside it. */
  async function shipped(t: TestContext): Promise<string> {
    const folder = temporaryFolder(t);
    await cp('media/sample', folder, { recursive: true });
    await cp(path.join(EXAMPLES, 'promptfoo'), folder, { recursive: true });
    return folder;
  }

  test('on the sample without a gate, answers are readable passages', async (t) => {
    const folder = await shipped(t);
    process.env['PARALLAX'] = PARALLAX;
    t.after(() => delete process.env['PARALLAX']);
    const ParallaxProvider = await load<new (options: object) => Provider>('parallax-provider.mjs');
    const config = path.join(folder, 'parallax.json');
    const provider = new ParallaxProvider({ config: { config, pipeline: 'hybrid' } });
    const { output, error } = await provider.callApi('Should secondary schools start later in the morning?');
    assert.equal(error, undefined);
    const { passages } = JSON.parse(output!) as { passages: { id: string; name: string; text: string }[] };
    assert.equal(passages.length, 5);
    const [first] = passages;
    const document = await readFile(path.join(folder, first!.id.replace(/#.*$/u, '')), 'utf8');
    assert.ok(first!.text.length > 100 && document.includes(first!.text), first!.text);
  });

  test('the real promptfoo passes on the shipped sample', { skip: needsPromptfoo }, async (t) => {
    const folder = await shipped(t);
    const env = {
      ...process.env,
      PARALLAX,
      PROMPTFOO_CONFIG_DIR: path.join(folder, '.promptfoo'),
      PROMPTFOO_DISABLE_TELEMETRY: '1',
      PROMPTFOO_DISABLE_UPDATE: '1',
    };
    const argv = ['eval', '--no-cache', '--no-table', '-o', 'out.json'];
    const { status, stdout, stderr } = spawnSync('promptfoo', argv, { cwd: folder, env, encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
    const { results } = JSON.parse(await readFile(path.join(folder, 'out.json'), 'utf8')) as {
      results: { results: { success: boolean; namedScores: Record<string, number> }[] };
    };
    assert.deepEqual(
      results.results.map(({ success }) => success),
      [true, true, true, true],
    );
    assert.ok(results.results.every(({ namedScores }) => 'MRecall@5' in namedScores));
  });
});

for (const file of ['../../action.yml', 'gitlab-ci/retrieval-gate.yml', 'pre-commit/pre-commit-config.yaml'])
  test(`${path.basename(file)} uses existing options`, async () => {
    const text = await readFile(path.join(EXAMPLES, file), 'utf8');
    const { stdout: help } = await run(gateCommand, '--help');
    const lines = text.split('\n').filter((line) => !/npm install|#/u.test(line));
    const options = lines.join('\n').match(/--[a-z]+/gu)!;
    assert.ok(options.length >= 2);
    for (const option of options) assert.ok(help.includes(`  ${option} `), option);
    const formats = [...text.matchAll(/--format "?([a-z]+)/gu)].map(([, format]) => format!);
    for (const format of formats) assert.match(help, new RegExp(`\\b${format}\\b`, 'u'));
  });
