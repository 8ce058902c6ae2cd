/** A run of the gate that pays for each answer, ended in the middle of it. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { startModelServer, verdictReply } from '../../fixtures/model-server.ts';
import { workspace } from './gate-support.ts';

/** The number of requests answered at once. Later ones wait, and are under way. */
const ANSWERED = 16;
/** The maximum number of concurrent requests. */
const CONCURRENCY = 4;

/** Makes the launcher start another process, as on a Node that is too old. */
export const PROXIES = { HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1' };

export interface PaidRun {
  /** The run, or its launcher. */
  readonly process: ChildProcess;
  /** Answers all waiting requests and all later ones. */
  readonly answerAll: () => void;
  /** The number of requests so far. */
  readonly requests: () => number;
}

/**
 * Starts a gate with a paid judge, and waits until some answers have arrived and others are under way. @param begin
 * starts a process with the arguments of the command line
 */
export async function startPaidRun(
  t: TestContext,
  begin: (argv: readonly string[]) => readonly [string, readonly string[], SpawnOptions?],
): Promise<PaidRun> {
  const held = Promise.withResolvers<undefined>();
  const underWay = Promise.withResolvers<undefined>();
  const server = await startModelServer({
    chat: async ({ index }) => {
      if (index === ANSWERED) underWay.resolve(undefined);
      if (index >= ANSWERED) await held.promise;
      return verdictReply('no');
    },
  });
  t.after(() => server.close());
  const own = await workspace(t, 40, { thresholds: [{ metric: 'MRecall@2', min: 0 }] });
  await own.configure({
    judges: {
      gpt: { type: 'openai', mode: 'pair', baseUrl: server.url, model: 'scripted', concurrency: CONCURRENCY },
    },
  });
  const argv = ['gate', '--config', own.config, '--judge', 'gpt', '--store', path.join(own.folder, 'store')];
  const [file, given, options = {}] = begin(argv);
  const started = spawn(file, [...given], { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  t.after(() => started.kill('SIGKILL'));
  let said = '';
  for (const stream of [started.stdout, started.stderr])
    stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = once(started, 'exit').then(() => assert.fail(`It ended by itself: ${said}`));
  await Promise.race([underWay.promise, ended]);
  ended.catch(() => undefined);
  return {
    process: started,
    answerAll: () => held.resolve(undefined),
    requests: () => server.chatRequests.length,
  };
}

/**
 * Ends a run, and checks that only requests under way are lost. @param end sends the signal @param looks whether the
 * run is given a moment to notice that its parent has ended
 */
export async function assertNothingPaid(
  { process: started, answerAll, requests }: PaidRun,
  end: () => void,
  { looks = false } = {},
): Promise<void> {
  const most = ANSWERED + CONCURRENCY;
  assert.ok(requests() <= most);
  const exited = started.exitCode === null ? once(started, 'exit') : undefined;
  // The pipes are closed when the last process that has them has ended, whatever its parent.
  const closed = once(started, 'close');
  end();
  await exited;
  if (looks) await closed;
  // A process that continued would send more requests now.
  answerAll();
  await closed;
  assert.ok(requests() <= most, `${requests()} requests, of which ${most} at most were under way`);
}
