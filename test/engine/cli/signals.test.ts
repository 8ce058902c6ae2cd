/** Real processes: a launcher, its program, and signals. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import '../../fixtures/built.ts';

const moduleAt = (file: string): string => JSON.stringify(pathToFileURL(path.resolve('src/cli', file)).href);
const script = (code: string): string[] => ['--input-type=module', '--eval', code];

/** A run that lasts a minute, and prints its process id first. */
const ENDLESS = `
  import { endWithCaller } from ${moduleAt('end-with-caller.ts')};
  endWithCaller();
  setTimeout(() => {}, 60_000);
  console.log(process.pid);
`;

/** A program that stores paid answers, which takes longer than the second signal to arrive, and reports it. */
const CAREFUL = `
  import { endWithCaller } from ${moduleAt('end-with-caller.ts')};
  import { untilInterrupted } from ${moduleAt('until-interrupted.ts')};
  endWithCaller();
  await untilInterrupted(async (signal) => {
    const timer = setTimeout(() => {}, 60_000);
    const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    console.log(process.pid);
    await stopped;
    clearTimeout(timer);
    await new Promise((resolve) => setTimeout(resolve, 300));
    console.log('kept');
  });
`;

/** A program that blocks its thread, so that it handles no signal. */
const BUSY = `
  import { endWithCaller } from ${moduleAt('end-with-caller.ts')};
  endWithCaller();
  console.log(process.pid);
  setTimeout(() => { for (;;); }, 1000);
`;

async function launch(
  t: TestContext,
  program: string,
): Promise<{ launcher: ChildProcess; pid: number; said: AsyncIterator<string> }> {
  const code = `
    import { runWith } from ${moduleAt('run-with.ts')};
    await runWith(process.execPath, ${JSON.stringify(script(program))});
  `;
  const launcher = spawn(process.execPath, script(code), { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => launcher.kill('SIGKILL'));
  const said = createInterface({ input: launcher.stdout })[Symbol.asyncIterator]();
  const pid = Number((await said.next()).value);
  assert.ok(pid > 0);
  t.after(() => isRunning(pid) && process.kill(pid, 'SIGKILL'));
  return { launcher, pid, said };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function isOver(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 1200 && isRunning(pid); tries++)
    await new Promise((resolve) => setTimeout(resolve, 50));
  return !isRunning(pid);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  test(`${signal} to the launcher ends the run`, async (t) => {
    const { launcher, pid } = await launch(t, ENDLESS);
    const exited = once(launcher, 'exit');
    launcher.kill(signal);
    const [code] = (await exited) as [number | null];
    assert.equal(code, { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }[signal]);
    assert.ok(await isOver(pid));
  });

test('a killed launcher ends the run, too', async (t) => {
  const { launcher, pid } = await launch(t, ENDLESS);
  launcher.kill('SIGKILL');
  assert.ok(await isOver(pid));
});

test('a run that stores paid answers finishes, even if the signal comes twice at once', async (t) => {
  const { launcher, pid, said } = await launch(t, CAREFUL);
  const exited = once(launcher, 'exit');
  launcher.kill('SIGINT');
  process.kill(pid, 'SIGINT');
  assert.equal((await said.next()).value, 'kept');
  const [code] = (await exited) as [number | null];
  assert.equal(code, 0);
});

test('a finished run ends although its launcher listens', async (t) => {
  const done = `
    import { endWithCaller } from ${moduleAt('end-with-caller.ts')};
    endWithCaller();
    console.log(process.pid);
    process.exitCode = 3;
  `;
  const { launcher } = await launch(t, done);
  const code = launcher.exitCode ?? ((await once(launcher, 'exit')) as [number | null])[0];
  assert.equal(code, 3);
});

for (const signal of ['SIGTERM', 'SIGKILL'] as const)
  test(`a busy run ends after ${signal} to its launcher`, async (t) => {
    const { launcher, pid } = await launch(t, BUSY);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    launcher.kill(signal);
    assert.ok(await isOver(pid));
  });
