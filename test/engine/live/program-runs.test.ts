/** Programs of a workspace run with Parallax, on the real engine. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { observedCalls } from '../../../src/features/agents/tools/live-plan.ts';
import { FolderPrograms } from '../../../src/cli/folder-programs.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import { ProgramRuns } from '../../../src/features/live/host/program-runs.ts';
import { liveEnvironment } from '../../../src/features/live/contract/environment.ts';
import { builtInRules } from '../../../src/sites/rules/library.ts';
import { setUp } from '../capture/support.ts';
import { PACKAGES } from './observed-program.ts';

const HOOKS = fileURLToPath(new URL('../../../media/live/', import.meta.url));
const PROGRAM = `import { MemoryVectorStore } from '@langchain/core/vectorstores';
const store = new MemoryVectorStore();
await store.similaritySearch('cats', 3);
process.stdin.resume();
`;

interface Workspace {
  readonly runs: ProgramRuns;
  readonly folder: string;
  readonly warnings: string[];
  /** Resolves when a published state fulfils the condition. */
  until(condition: () => boolean): Promise<void>;
}

function workspace(
  t: TestContext,
  files: Readonly<Record<string, string>>,
  { trusted = true } = {},
): Workspace {
  const { client, folder } = setUp(t);
  for (const [name, text] of Object.entries({ ...PACKAGES, ...files })) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  const warnings: string[] = [];
  const waiting: { readonly condition: () => boolean; readonly resolve: () => void }[] = [];
  const check = (): void => {
    for (const { condition, resolve } of waiting) if (condition()) resolve();
  };
  const runs = new ProgramRuns({
    engine: client,
    trusted: () => trusted,
    calls: () => observedCalls(new FolderPrograms(folder), { rules: builtInRules() }),
    actions: {
      publish: check,
      captured: () => undefined,
      warn: (message) => {
        warnings.push(message);
        check();
      },
      log: () => undefined,
    },
  });
  t.after(() => runs.dispose());
  return {
    runs,
    folder,
    warnings,
    until: (condition) =>
      new Promise((resolve) => {
        waiting.push({ condition, resolve });
        check();
      }),
  };
}

function run(t: TestContext, plan: string, folder: string): ReturnType<typeof spawn> {
  const environment = liveEnvironment(
    {
      plan,
      node: pathToFileURL(path.join(HOOKS, 'node', 'register.mjs')).href,
      python: HOOKS,
      delimiter: path.delimiter,
    },
    {},
  );
  const program = spawn(process.execPath, ['app.mjs'], {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  t.after(() => program.kill('SIGKILL'));
  return program;
}

test('a call can be asked again while its program runs', async (t) => {
  const { runs, folder, until } = workspace(t, { 'app.mjs': PROGRAM });
  const plan = await runs.start();
  assert.equal(runs.observing, true);
  const program = run(t, plan, folder);
  const site = 'app.mjs##similaritySearch#0';
  await until(() => runs.callState(site) !== undefined);
  const { retrieval, takesK } = runs.callState(site)!;
  assert.equal(takesK, true);
  const question = { retrieval: retrieval.id, unit: 'call', question: 'dogs', k: 5, limitMs: 5000 };
  const answer = await runs.ask(question, new AbortController().signal);
  assert.equal(answer.passages.length, 5);
  program.kill();
  await once(program, 'exit');
  await until(() => runs.callState(site) === undefined);
  await runs.stop();
  assert.equal(runs.observing, false);
});

test('a program that has ended is measured once, when it is started again', async (t) => {
  const { runs, folder, until } = workspace(t, { 'app.mjs': PROGRAM.replace('process.stdin.resume();', '') });
  const plan = await runs.start();
  const site = 'app.mjs##similaritySearch#0';
  run(t, plan, folder);
  await until(() => runs.endedCall(site) !== undefined);
  const questions = [
    { id: 'a', text: 'dogs' },
    { id: 'b', text: 'fail' },
  ];
  const done: number[] = [];
  const options = { signal: new AbortController().signal, report: (count: number) => void done.push(count) };
  for (const round of [1, 2]) {
    const measuring = runs.measureNext({ site, questions, limitMs: 5000 }, options);
    run(t, plan, folder);
    const answers = await measuring;
    const [first, second] = questions.map(({ id }) => answers.get(id));
    assert.ok(first && 'passages' in first && first.passages.length === 3, String(round));
    assert.ok(second && 'error' in second);
  }
  assert.deepEqual(done, [1, 2, 1, 2]);
  assert.doesNotMatch(readFileSync(plan, 'utf8'), /"measure"/u);
});

test('waiting for a program to be started again can be cancelled', async (t) => {
  const { runs } = workspace(t, { 'app.mjs': PROGRAM });
  const plan = await runs.start();
  const controller = new AbortController();
  const measure = {
    site: 'app.mjs##similaritySearch#0',
    questions: [{ id: 'a', text: 'dogs' }],
    limitMs: 5000,
  };
  const measuring = runs.measureNext(measure, { signal: controller.signal, report: () => undefined });
  controller.abort();
  await assert.rejects(measuring, (error) => ParallaxError.is(error, 'cancelled'));
  assert.doesNotMatch(readFileSync(plan, 'utf8'), /"measure"/u);
});

test('an edited program gets a new plan, and an unchanged one the same', async (t) => {
  const { runs, folder } = workspace(t, { 'app.mjs': PROGRAM });
  const first = await runs.start();
  assert.equal(await runs.start(), first);
  writeFileSync(path.join(folder, 'app.mjs'), `// edited\n${PROGRAM}`);
  const second = await runs.start();
  assert.notEqual(second, first);
  assert.equal(runs.plan, second);
});

test('a program edited after it was read runs unchanged, with one warning', async (t) => {
  const { runs, folder, warnings, until } = workspace(t, { 'app.mjs': PROGRAM });
  const plan = await runs.start();
  writeFileSync(path.join(folder, 'app.mjs'), `// edited\n${PROGRAM}`);
  run(t, plan, folder);
  await until(() => warnings.length > 0);
  assert.match(warnings[0]!, /^app\.mjs was changed after the run began/u);
});

test('an editor that was started in an observed terminal says that it alone shows what is retrieved', async (t) => {
  const { runs, folder, warnings } = workspace(t, { 'app.mjs': PROGRAM });
  const outer = path.join(folder, 'plan.json');
  writeFileSync(outer, '{}');
  process.env['PARALLAX_LIVE'] = outer;
  t.after(() => delete process.env['PARALLAX_LIVE']);
  await runs.start();
  assert.equal(warnings.length, 1);
  assert.match(warnings[0]!, /What your programs retrieve is shown here only/u);
});

test('without a call, or without trust, nothing is observed', async (t) => {
  const { runs } = workspace(t, { 'app.mjs': 'console.log(1);\n' });
  await assert.rejects(runs.start(), (error) => ParallaxError.is(error, 'not-found'));
  assert.equal(runs.observing, false);
  const { runs: untrusted } = workspace(t, { 'app.mjs': PROGRAM }, { trusted: false });
  await assert.rejects(untrusted.start(), (error) => ParallaxError.is(error, 'untrusted'));
});

test(
  'an old Node gets no hooks, which is said',
  { skip: process.platform === 'win32' && 'cannot run here: Windows has no /bin/sh' },
  async (t) => {
    const { runs, folder, warnings } = workspace(t, { 'app.mjs': PROGRAM });
    const node = path.join(folder, 'old', 'node');
    mkdirSync(path.dirname(node));
    writeFileSync(node, '#!/bin/sh\necho v16.20.2\n', { mode: 0o755 });
    const { PATH } = process.env;
    process.env['PATH'] = `${path.dirname(node)}${path.delimiter}${PATH}`;
    t.after(() => (process.env['PATH'] = PATH));
    await runs.start();
    assert.equal(runs.observesNode, false);
    assert.deepEqual(
      warnings.map((warning) => /v16\.20\.2/u.test(warning)),
      [true],
    );
  },
);
