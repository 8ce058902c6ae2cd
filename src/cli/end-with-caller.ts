/** Ends the command line on a signal, or together with the launcher that started it. */

import { constants } from 'node:os';
import { Worker } from 'node:worker_threads';
import { shellsFrom, systemHere } from './calling-shells.ts';

/** Sent by terminals, CI runners and containers to end a program. */
export const ENDING_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/** Interval at which the parent is checked, in milliseconds. */
const LOOK_MS = 100;

/** Kills this process if it is still running some time after its parent has exited. */
const ORPHAN_WATCH = `
  const { workerData } = require('node:worker_threads');
  setInterval(() => {
    if (process.ppid !== workerData) setTimeout(() => process.kill(process.pid, 'SIGKILL'), 5000);
  }, 500);
`;

/** The exit code that a shell reports for a signal. */
const exitCodeOf = (signal: (typeof ENDING_SIGNALS)[number]): number => 128 + constants.signals[signal];

/**
 * Ends this process on a signal, or when its launcher was killed. A command that handles a signal itself
 * (`untilInterrupted`) may finish its work. Signals are handled explicitly, because the first process of a container
 * ignores signals that it does not handle.
 */
export function endWithCaller(): void {
  for (const signal of ENDING_SIGNALS)
    process.on(signal, () => {
      // The launcher kills a process that is too busy to answer.
      process.send?.('heard');
      if (process.listenerCount(signal) === 1) process.exit(exitCodeOf(signal));
    });
  endWithNpm();
  if (!process.channel) return;
  process.once('disconnect', () => process.exit(exitCodeOf('SIGHUP')));
  // A busy process notices neither signals nor a closed channel.
  const watch = new Worker(ORPHAN_WATCH, { eval: true, workerData: process.ppid, execArgv: [] });
  // Running without the watch is better than not running.
  watch.on('error', () => undefined);
  watch.unref();
  // A listener keeps the channel and thus the process open; the process must also end when its work is done.
  process.channel.unref();
}

/**
 * Ends this process once `npx` or a similar program is gone. They start a program in a shell and forward signals to
 * that shell, which exits without ending the program; if they are killed, the shell keeps running too. Other parents
 * are ignored, because a run that was moved to the background on purpose must continue.
 */
export function endWithNpm(): void {
  if (process.env['npm_execpath'] === undefined) return;
  const parent = process.ppid;
  const end = (): never => process.exit(exitCodeOf('SIGHUP'));
  setInterval(() => {
    if (process.ppid !== parent) end();
  }, LOOK_MS).unref();
  void endWithShells(parent, end);
}

/** Calls back once one of the shells has another parent. A failed look-up counts as no change. */
async function endWithShells(parent: number, end: () => never): Promise<void> {
  const system = systemHere();
  if (!system) return;
  const shells = await shellsFrom(parent, system.ask);
  const look = async (): Promise<void> => {
    for (const [shell, above] of shells) {
      const now = await system.ask(shell);
      if (now && now.parent !== above) end();
    }
    setTimeout(() => void look(), system.everyMs).unref();
  };
  if (shells.size > 0) await look();
}
