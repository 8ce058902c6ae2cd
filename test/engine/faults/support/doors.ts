/** Parallax's own ports and processes, for the long run. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { between, type Random } from '../../../../bench/support/random.ts';
import {
  startSpanReceiver,
  type SpanReceiver,
} from '../../../../src/features/capture/engine/span-receiver.ts';
import { LiveRun } from '../../../../src/features/live/engine/live-run.ts';
import { livePlanSchema, type LivePlan } from '../../../../src/features/live/contract/protocol.ts';
import { randomFrames, sendRaw } from '../../capture/frames.ts';

const MAIN = path.resolve('src/cli/main.ts');

/** The receiver of spans and the port of running programs, in this process: if one crashes, the run ends. */
export class OwnPorts {
  readonly #receiver: SpanReceiver;
  readonly #run: LiveRun;
  readonly #plan: LivePlan;
  #processes = 0;

  private constructor(receiver: SpanReceiver, run: LiveRun, plan: LivePlan) {
    this.#receiver = receiver;
    this.#run = run;
    this.#plan = plan;
  }

  static async open(): Promise<OwnPorts> {
    const ignore = (): void => undefined;
    const receiver = await startSpanReceiver({
      port: 0,
      onRetrieval: ignore,
      onUnused: ignore,
      onRefused: ignore,
      log: ignore,
    });
    const ports: { opened?: OwnPorts } = {};
    const run = await LiveRun.open({
      base: '/nowhere',
      texts: [],
      measure: undefined,
      report: ({ type }) => {
        if (type === 'process' && ports.opened) ports.opened.#processes++;
      },
    });
    const plan = livePlanSchema.parse(JSON.parse(await readFile(run.plan, 'utf8')));
    return (ports.opened = new OwnPorts(receiver, run, plan));
  }

  /** Sends malformed input to one of the ports. @throws if the port refuses the next valid client */
  async suffer(random: Random): Promise<void> {
    const { port, token } = this.#receiver;
    if (random() < 0.5) {
      await sendRaw(port, randomFrames(random), false);
      const answer = await fetch(`http://127.0.0.1:${port}/${token}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      assert.equal(answer.status, 200);
      return;
    }
    const hello = {
      type: 'hello',
      protocol: 1,
      language: 'python',
      version: '3',
      pid: 1,
      ppid: 1,
      command: [],
    };
    const line = `${JSON.stringify({ ...hello, token: this.#plan.token })}\n`;
    await sendRaw(
      this.#plan.port,
      Buffer.concat([Buffer.from(random() < 0.5 ? line : ''), randomFrames(random)]),
      false,
    );
    const before = this.#processes;
    await sendRaw(this.#plan.port, Buffer.from(line), false);
    assert.equal(this.#processes, before + 1);
  }

  async close(): Promise<void> {
    await this.#receiver.close();
    await this.#run.close();
  }
}

const THROWING = `data:text/javascript,${encodeURIComponent(
  `process.on('newListener', (name) => {
    if (name === 'uncaughtException') setImmediate(() => { throw new Error('an error without an owner'); });
  });`,
)}`;

/** Ends a command by an error or a full disk. @throws if its exit code does not report a failure */
export async function assertExitCode(random: Random): Promise<void> {
  const command = (['gate', 'eval', 'search', 'index', 'convert'] as const)[between(random, 0, 4)]!;
  const failed = command === 'gate' ? 3 : 1;
  const isFull = random() < 0.5 && existsSync('/dev/full');
  const full = isFull ? openSync('/dev/full', 'w') : undefined;
  const argv = isFull ? [MAIN, command, '--help'] : ['--import', THROWING, MAIN, command];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', full ?? 'ignore', 'ignore'] });
  if (full !== undefined) closeSync(full);
  assert.deepEqual(await once(child, 'exit'), [failed, null], `${command}, ${isFull ? 'full' : 'throwing'}`);
}

/** Ends a launcher whose program is busy, and waits until the program has ended, too. */
export async function assertEnds(random: Random): Promise<void> {
  const moduleAt = (file: string): string =>
    JSON.stringify(pathToFileURL(path.resolve('src/cli', file)).href);
  const script = (code: string): string[] => ['--input-type=module', '--eval', code];
  const busy = `
    import { endWithCaller } from ${moduleAt('end-with-caller.ts')};
    endWithCaller();
    process.stdout.write(process.pid + '\\n', () => { for (;;); });
  `;
  const code = `
    import { runWith } from ${moduleAt('run-with.ts')};
    await runWith(process.execPath, ${JSON.stringify(script(busy))});
  `;
  const launcher = spawn(process.execPath, script(code), { stdio: ['ignore', 'pipe', 'ignore'] });
  const said = createInterface({ input: launcher.stdout })[Symbol.asyncIterator]();
  const pid = Number((await said.next()).value);
  assert.ok(pid > 0);
  launcher.kill((['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const)[between(random, 0, 3)]!);
  // The pipe closes once both launcher and program have ended. The program's process id is less reliable: it stays in
  // use until the program's exit status is read.
  await once(launcher, 'close');
}
