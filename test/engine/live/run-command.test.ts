import '../../fixtures/built.ts';
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, watch, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gateCommand } from '../../../src/features/gate/cli/gate-command.ts';
import { withEachEvalSet } from '../../../src/features/live/cli/run-command.ts';
import { run as runHere, type Ran } from '../cli/support.ts';
import { PACKAGES, type Outcome } from './observed-program.ts';

const MAIN = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));

const PROGRAM = `import { MemoryVectorStore } from '@langchain/core/vectorstores';
const store = new MemoryVectorStore();
console.log((await store.similaritySearch('Do cats purr?', 2)).length);
process.exitCode = Number(process.argv[2] ?? 0);
if (process.argv[3]) process.kill(process.pid, process.argv[3]);
`;

const EXIT_BY_SECRETS = `const { GITHUB_TOKEN, OPENAI_API_KEY } = process.env;
process.exit(GITHUB_TOKEN ?? OPENAI_API_KEY ? 6 : 5);
console`;

const QUESTION = {
  _id: 'cats',
  text: 'Do cats',
  perspectives: [{ id: 'yes', text: 'They do.' }],
};

/** An eval set of questions without perspectives. */
const questions = (...texts: readonly string[]): string =>
  texts.map((text, place) => `${JSON.stringify({ _id: String(place), text })}\n`).join('');

/** Of the whole document, from which the passage is cut. */
const LABEL = {
  v: 1,
  query: 'cats',
  perspective: 'yes',
  perspectiveText: 'They do.',
  document: 'docs/0.md',
  verdict: 'yes',
  by: { kind: 'human', name: 'test' },
  at: '2026-11-28T12:00:00.000Z',
  standard: 'berds',
};

/** As Node before 18.18, which refuses the option that loads the hooks. */
const OLD_NODE = `#!/bin/sh
if [ "$1" = --version ]; then echo v18.17.1; exit; fi
case "$NODE_OPTIONS" in *--import*) echo 'node: --import= is not allowed in NODE_OPTIONS' >&2; exit 9;; esac
exec '${process.execPath}' "$@"
`;

/** @returns a way to run `parallax run` with arguments in a folder with the program */
async function folder(t: TestContext): Promise<{ at: string; run: (...argv: string[]) => Promise<Outcome> }> {
  const at = await mkdtemp(path.join(tmpdir(), 'parallax-run-'));
  t.after(() => rm(at, { recursive: true, force: true }));
  const files = {
    ...PACKAGES,
    'rag.mjs': PROGRAM,
    'docs/0.md': 'Do cats has an answer, number 0\n',
    'eval/q.jsonl': `${JSON.stringify(QUESTION)}\n`,
    '.parallax/judgements.jsonl': `${JSON.stringify(LABEL)}\n`,
    'parallax.json': JSON.stringify({ version: 1, corpora: { docs: { roots: ['docs'] } } }),
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(at, name)), { recursive: true });
    await writeFile(path.join(at, name), text);
  }
  const run = (...argv: string[]): Promise<Outcome> =>
    new Promise((resolve) => {
      execFile(process.execPath, [MAIN, 'run', ...argv], { cwd: at }, (error, stdout, stderr) =>
        resolve({ stdout, stderr, code: error ? (error.signal ?? error.code ?? null) : 0 }),
      );
    });
  return { at, run };
}

test(
  'a Node too old for the hooks runs the program as it is',
  { skip: process.platform === 'win32' && 'cannot run here: Windows has no /bin/sh' },
  async (t) => {
    const { at, run } = await folder(t);
    const node = path.join(at, 'old', 'node');
    await mkdir(path.dirname(node));
    await writeFile(node, OLD_NODE);
    await chmod(node, 0o755);
    const { stdout, stderr, code } = await run('--', node, 'rag.mjs', '7');
    assert.deepEqual([stdout, code], ['2\n', 7]);
    assert.match(stderr, /^parallax: [^.]*v18\.17\.1, and only 18\.19 or newer is observed\.$/mu);
  },
);

test('each retrieval is a line, and output and exit code are those of the command', async (t) => {
  const { at, run } = await folder(t);
  const { stdout, stderr, code } = await run('--out', 'out.jsonl', '--', process.execPath, 'rag.mjs', '7');
  assert.deepEqual([stdout, code], ['2\n', 7]);
  assert.match(stderr, /1 retrieval at 1 call/u);
  const line = JSON.parse(await readFile(path.join(at, 'out.jsonl'), 'utf8')) as Record<string, unknown>;
  assert.partialDeepStrictEqual(line, {
    site: { file: 'rag.mjs', line: 3 },
    query: 'Do cats purr?',
    k: 2,
    passages: [{ text: 'Do cats purr? has an answer, number 0', metadata: { source: '0.md' } }],
  });
});

test(
  'a command ended by a signal ends this one by the same signal',
  { skip: process.platform === 'win32' },
  async (t) => {
    const { run } = await folder(t);
    assert.equal((await run('--', process.execPath, 'rag.mjs', '0', 'SIGTERM')).code, 'SIGTERM');
  },
);

test(
  'retrievals are written while the program runs, and stay if the run is killed',
  { skip: process.platform === 'win32' },
  async (t) => {
    const { at } = await folder(t);
    const program = `${PROGRAM}setInterval(() => process.connected, 1000);\n`;
    await writeFile(path.join(at, 'rag.mjs'), program);
    const out = path.join(at, 'out.jsonl');
    await writeFile(out, '');
    const argv = [MAIN, 'run', '--out', 'out.jsonl', '--', process.execPath, 'rag.mjs'];
    const child = spawn(process.execPath, argv, { cwd: at, stdio: 'ignore', detached: true });
    t.after(() => process.kill(-child.pid!, 'SIGKILL'));
    for await (const _ of watch(out)) if ((await stat(out)).size > 0) break;
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.match(await readFile(out, 'utf8'), /^\{"site":\{"file":"rag\.mjs","line":3\}.*\}\n$/u);
  },
);

test('a measured call is scored on the questions of the eval set', async (t) => {
  const { at, run } = await folder(t);
  const measuring = ['--measure', 'eval/q.jsonl', '--out', 'run.jsonl'];
  const { stderr, stdout } = await run(...measuring, '--at', 'rag.mjs:3', '--', process.execPath, 'rag.mjs');
  assert.match(stderr, /measured 1 of 1 question at rag\.mjs:3/u);
  assert.match(stdout, /measured rag\.mjs:3/u);
  const { results } = JSON.parse(await readFile(path.join(at, 'run.jsonl'), 'utf8')) as {
    results: unknown[];
  };
  assert.equal(results.length, 2);
  const wrong = await run(...measuring, '--at', 'rag.mjs:1', '--', process.execPath, 'rag.mjs');
  assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
  assert.match(wrong.stderr, /there are calls at rag\.mjs:3/u);
});

test('a file with other content is not replaced, and k is a whole number', async (t) => {
  const { at, run } = await folder(t);
  const program = ['--', process.execPath, 'rag.mjs'];
  const measuring = ['--measure', 'eval/q.jsonl', '--at', 'rag.mjs:3'];
  await writeFile(path.join(at, 'mixed.jsonl'), '{"passages":[]}\n\n{"text":"a note"}\n');
  for (const [argv, reason] of [
    [[...measuring, '--out', 'eval/q.jsonl'], /eval\/q\.jsonl has other content than answers/u],
    [['--out', 'rag.mjs'], /rag\.mjs has other content than answers/u],
    [['--out', 'mixed.jsonl'], /mixed\.jsonl has other content than answers/u],
    [[...measuring, '--k', '1.4'], /--k is a whole number from 1, not "1\.4"/u],
  ] as const) {
    const { code, stdout, stderr } = await run(...argv, ...program);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, reason);
  }
  assert.equal(await readFile(path.join(at, 'rag.mjs'), 'utf8'), PROGRAM);
  assert.equal(await readFile(path.join(at, 'eval/q.jsonl'), 'utf8'), `${JSON.stringify(QUESTION)}\n`);
  for (let time = 0; time < 2; time++) assert.equal((await run('--out', 'out.jsonl', ...program)).code, 0);
});

test('without a corpus the answers are kept, or nothing is asked', async (t) => {
  const { at, run } = await folder(t);
  await rm(path.join(at, 'parallax.json'));
  const measuring = ['--measure', 'eval/q.jsonl', '--at', 'rag.mjs:3'];
  const program = ['--', process.execPath, 'rag.mjs'];
  const kept = await run(...measuring, '--out', 'run.jsonl', ...program);
  assert.equal(kept.code, 0, kept.stderr);
  assert.match(kept.stderr, /Written to run\.jsonl\. Name a corpus in parallax\.json to score it\./u);
  assert.equal((await readFile(path.join(at, 'run.jsonl'), 'utf8')).trim().split('\n').length, 1);
  const refused = await run(...measuring, ...program);
  assert.deepEqual([refused.code, refused.stdout], [2, '']);
  assert.match(refused.stderr, /There is no corpus to score by\./u);
});

test('a gate measures a pipeline’s program, and fails if its retrieval got worse', async (t) => {
  const { at } = await folder(t);
  const gate = (...argv: string[]): Promise<Ran> =>
    runHere(gateCommand, '--config', path.join(at, 'parallax.json'), ...argv);
  const configure = (...[place, ...others]: readonly string[]): Promise<void> => {
    const mine = (at: string) => {
      const program = { at, command: [process.execPath, 'rag.mjs'] };
      return { retriever: { type: 'run', file: '.parallax/measured/mine.jsonl', program }, k: 2 };
    };
    const config = {
      version: 1,
      corpora: { docs: { roots: ['docs'] } },
      evalSets: ['eval/q.jsonl'],
      pipelines: { mine: mine(place!), ...Object.fromEntries(others.map((at) => [at, mine(at)])) },
      gate: { pipelines: ['mine', ...others], k: 2, thresholds: [{ metric: 'MRecall@2', min: 1 }] },
    };
    return writeFile(path.join(at, 'parallax.json'), JSON.stringify(config));
  };
  await configure('rag.mjs:similaritySearch');
  const passed = await gate('--format', 'json');
  assert.equal(passed.code, 0, passed.stderr);
  assert.equal((JSON.parse(passed.stdout) as { outcome: string }).outcome, 'passed');
  assert.match(passed.stderr, /measured 1 of 1 question at rag\.mjs:3/u);

  const store = path.join(at, 'node_modules/@langchain/core/common.cjs');
  await writeFile(store, (await readFile(store, 'utf8')).replace('length: k', 'length: 0'));
  const failed = await gate();
  assert.equal(failed.code, 1, failed.stdout + failed.stderr);

  await writeFile(store, (await readFile(store, 'utf8')).replace(/Array\.from\(.*\)\)/u, '[3, 4]'));
  const unread = await gate('--accept');
  assert.equal(unread.code, 3, unread.stdout + unread.stderr);
  assert.match(unread.stderr, /cats: what the call returned is not read as passages/u);
  assert.match(unread.stderr, /answered 0 of 1 questions/u);

  const measured = path.join(at, '.parallax/measured/mine.jsonl');
  const answers = await readFile(measured, 'utf8');
  await writeFile(measured, `${JSON.stringify(QUESTION)}\n`);
  const kept = await gate();
  assert.equal(kept.code, 2, kept.stdout + kept.stderr);
  assert.match(kept.stderr, /mine\.jsonl has other content than answers/u);
  assert.equal(await readFile(measured, 'utf8'), `${JSON.stringify(QUESTION)}\n`);
  await writeFile(measured, answers);

  await configure('rag.mjs:3', 'rag.mjs:similaritySearch');
  const twice = await gate();
  assert.equal(twice.code, 2);
  assert.match(twice.stderr, /"mine" has the answers of another program written to/u);

  await configure('rag.mjs:search_docs');
  const misnamed = await gate();
  assert.equal(misnamed.code, 2);
  assert.match(misnamed.stderr, /pipelines\.mine: program: rag\.mjs:search_docs: .*rag\.mjs:3/u);

  await configure('rag.mjs');
  await writeFile(path.join(at, 'rag.mjs'), PROGRAM.replace('console', EXIT_BY_SECRETS));
  const { env } = process;
  process.env = { ...env, GITHUB_TOKEN: 'x', OPENAI_API_KEY: 'x' };
  t.after(() => void (process.env = env));
  const unreached = await gate();
  assert.equal(unreached.code, 3);
  assert.match(unreached.stdout, /The program of "mine" ended with code 5 before it answered/u);
});

test(
  'a gate that is interrupted ends its program, and itself by the same signal',
  { skip: process.platform === 'win32' },
  async (t) => {
    const { at } = await folder(t);
    const program = { at: 'rag.mjs', command: [process.execPath, 'rag.mjs'] };
    const config = {
      version: 1,
      corpora: { docs: { roots: ['docs'] } },
      evalSets: ['eval/q.jsonl'],
      pipelines: { mine: { retriever: { type: 'run', file: 'measured.jsonl', program }, k: 2 } },
      gate: { pipelines: ['mine'], k: 2, thresholds: [{ metric: 'MRecall@2', min: 1 }] },
    };
    await writeFile(path.join(at, 'parallax.json'), JSON.stringify(config));
    const waits = `process.on('exit', () => console.log('ends'));
process.on('SIGTERM', () => process.exit(0));
console.log('waits');
await new Promise((resolve) => setTimeout(resolve, 60_000));
`;
    await writeFile(path.join(at, 'rag.mjs'), waits + PROGRAM);
    const child = spawn(process.execPath, [MAIN, 'gate'], { cwd: at, stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, told] = ['', ''];
    child.stdout.on('data', (text) => (out += String(text)));
    child.stderr.on('data', (text) => {
      if (told.includes('waits')) told += String(text);
      else if ((told += String(text)).includes('waits')) child.kill('SIGTERM');
    });
    const [, signal] = (await once(child, 'close')) as [number | null, string | null];
    assert.deepEqual([signal, out], ['SIGTERM', ''], told);
    assert.match(told, /ends/u);
  },
);

test('a measured program that leaves a question unanswered fails', async (t) => {
  const { at, run } = await folder(t);
  await rm(path.join(at, 'parallax.json'));
  await writeFile(path.join(at, 'eval/q.jsonl'), questions('Do cats', 'fail'));
  const measuring = ['--measure', 'eval/q.jsonl', '--at', 'rag.mjs:3', '--out', 'run.jsonl'];
  const { code, stderr } = await run(...measuring, '--', process.execPath, 'rag.mjs');
  assert.equal(code, 1, stderr);
  assert.match(stderr, /measured 1 of 2 questions/u);
  assert.match(await readFile(path.join(at, 'run.jsonl'), 'utf8'), /"query":"Do cats"/u);
});

test(
  'measuring that is interrupted keeps the answers, and ends by the same signal',
  { skip: process.platform === 'win32' },
  async (t) => {
    const { at } = await folder(t);
    await writeFile(path.join(at, 'eval/q.jsonl'), questions('Do cats', 'wait'));
    const waits = `const { similaritySearch } = MemoryVectorStore.prototype;
MemoryVectorStore.prototype.similaritySearch = async function (query, k) {
  if (query !== 'wait') return similaritySearch.call(this, query, k);
  process.on('SIGTERM', () => process.exit(0));
  console.error('waits');
  await new Promise((resolve) => setTimeout(resolve, 600_000));
};
`;
    await writeFile(
      path.join(at, 'rag.mjs'),
      `${PROGRAM}${waits}console.log(await store.similaritySearch('a', 2));\n`,
    );
    const argv = ['run', '--measure', 'eval/q.jsonl', '--at', 'rag.mjs:13', '--out', 'run.jsonl'];
    const command = [MAIN, ...argv, '--', process.execPath, 'rag.mjs'];
    const child = spawn(process.execPath, command, { cwd: at, stdio: ['ignore', 'ignore', 'pipe'] });
    let told = '';
    child.stderr.on('data', (text) => {
      if (told.includes('waits')) told += String(text);
      else if ((told += String(text)).includes('waits')) child.kill('SIGTERM');
    });
    assert.deepEqual(await once(child, 'close'), [null, 'SIGTERM'], told);
    assert.match(await readFile(path.join(at, 'run.jsonl'), 'utf8'), /^\{"id":"0","query":"Do cats".*\}\n$/u);
  },
);

test('a command that cannot be run is an error, and earlier answers stay', async (t) => {
  const { at, run } = await folder(t);
  await writeFile(path.join(at, 'out.jsonl'), '{"passages":[]}\n');
  const { code, stderr } = await run('--out', 'out.jsonl', '--', 'no-such-command-here');
  assert.equal(code, 1);
  assert.match(stderr, /no-such-command-here cannot be run/u);
  assert.equal(await readFile(path.join(at, 'out.jsonl'), 'utf8'), '{"passages":[]}\n');
});

test('a shell may expand one eval set to several files', () => {
  assert.deepEqual(withEachEvalSet(['--measure', 'a', 'b', '--at', 'x:1', '--', 'node', 'c']), [
    ...['--measure', 'a', '--measure', 'b', '--at', 'x:1', '--', 'node', 'c'],
  ]);
});

describe('a program that never ends', () => {
  /** Starts another program that ignores signals and holds standard error, which `close` waits for. */
  const STAYS = `import { spawn } from 'node:child_process';
const ignores = "for (const each of ['SIGTERM', 'SIGHUP', 'SIGINT']) process.on(each, () => undefined); setInterval(() => undefined, 1000);";
spawn(process.execPath, ['-e', ignores + "console.error('stays')"], { stdio: ['ignore', 'ignore', 'inherit'] });
setInterval(() => undefined, 1000);
`;
  const NEVER = `${STAYS}await new Promise(() => undefined);\n${PROGRAM}`;

  /** A folder whose gate runs the program. */
  async function gateOf(t: TestContext, text: string, endAfterMs?: number): Promise<string> {
    const { at } = await folder(t);
    const program = { at: 'rag.mjs', command: [process.execPath, 'rag.mjs'], endAfterMs };
    const config = {
      version: 1,
      corpora: { docs: { roots: ['docs'] } },
      evalSets: ['eval/q.jsonl'],
      pipelines: { mine: { retriever: { type: 'run', file: 'measured.jsonl', program }, k: 2 } },
      gate: { pipelines: ['mine'], k: 2, thresholds: [{ metric: 'MRecall@2', min: 1 }] },
    };
    await writeFile(path.join(at, 'parallax.json'), JSON.stringify(config));
    await writeFile(path.join(at, 'rag.mjs'), text);
    return at;
  }

  const gate = (at: string): Promise<Outcome> =>
    new Promise((resolve) => {
      execFile(process.execPath, [MAIN, 'gate'], { cwd: at }, (error, stdout, stderr) =>
        resolve({ stdout, stderr, code: error ? (error.signal ?? error.code ?? null) : 0 }),
      );
    });

  it('is ended by the gate with all that it started, in words', async (t) => {
    const { code, stdout, stderr } = await gate(await gateOf(t, NEVER, 3000));
    assert.equal(code, 3, stderr);
    assert.match(stderr, /stays/u);
    assert.match(
      stdout,
      /The program of "mine" was ended: for 3 seconds it neither ended nor answered a question, and 0 of 1 have an answer\. Have it end by itself, or raise "endAfterMs"\./u,
    );
  });

  it('is scored by its answers, if all questions have one', async (t) => {
    const { code, stderr } = await gate(await gateOf(t, `${STAYS}${PROGRAM}`, 3000));
    assert.equal(code, 0, stderr);
    assert.match(stderr, /warning: the program of "mine" was ended, 3 seconds after its last answer/u);
  });

  it('is ended by a run that measures, which fails', async (t) => {
    const { at, run } = await folder(t);
    await writeFile(path.join(at, 'rag.mjs'), NEVER);
    const measuring = ['--measure', 'eval/q.jsonl', '--at', 'rag.mjs', '--end-after', '2'];
    const { code, stdout, stderr } = await run(...measuring, '--', process.execPath, 'rag.mjs');
    assert.deepEqual([code, stdout], [1, ''], stderr);
    assert.match(stderr, /the program was ended: for 2 seconds it neither ended nor answered a question/u);
    await writeFile(path.join(at, 'rag.mjs'), STAYS + PROGRAM);
    const measured = await run(...measuring, '--', process.execPath, 'rag.mjs');
    assert.equal(measured.code, 1, measured.stderr);
    assert.match(measured.stdout, /measured rag\.mjs/u);
  });

  it(
    'is ended by a signal with what it started, though that ignores the signal',
    { skip: process.platform === 'win32' },
    async (t) => {
      const at = await gateOf(t, NEVER);
      const child = spawn(process.execPath, [MAIN, 'gate'], { cwd: at, stdio: ['ignore', 'ignore', 'pipe'] });
      let told = '';
      child.stderr.on('data', (text) => {
        const before = told.includes('stays');
        if (!before && (told += String(text)).includes('stays')) child.kill('SIGTERM');
      });
      const [, signal] = (await once(child, 'close')) as [number | null, string | null];
      assert.equal(signal, 'SIGTERM', told);
    },
  );
});
