/** Ends the command line on a signal, and with the launcher that started it. */

import { constants } from 'node:os';
import { Worker } from 'node:worker_threads';
import { shellsFrom, systemHere } from './calling-shells.ts';

/** Sent by terminals, CI runners and containers to end a program. */
export const ENDING_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/** How often it is looked whether who started this is still there, in milliseconds. */
const LOOK_MS = 100;

/** Kills this process once its parent has been gone for long enough that it could have ended by itself. */
const ORPHAN_WATCH = `
  const { workerData } = require('node:worker_threads');
  setInterval(() => {
    if (process.ppid !== workerData) setTimeout(() => process.kill(process.pid, 'SIGKILL'), 5000);
  }, 500);
`;

/** The exit code that a shell gives to what a signal ended. */
const exitCodeOf = (signal: (typeof ENDING_SIGNALS)[number]): number => 128 + constants.signals[signal];

/**
 * Ends this process when it is told to, or when the launcher that it is connected to was killed. A command that heeds a
 * signal itself (`untilInterrupted`) is left to end its work. Said aloud rather than left to the system: as the first
 * process of a container a program that handles no signal is not ended by any.
 */
export function endWithCaller(): void {
  for (const signal of ENDING_SIGNALS)
    process.on(signal, () => {
      // The launcher kills a process that is too busy to say so.
      process.send?.('heard');
      if (process.listenerCount(signal) === 1) process.exit(exitCodeOf(signal));
    });
  endWithNpm();
  if (!process.channel) return;
  process.once('disconnect', () => process.exit(exitCodeOf('SIGHUP')));
  // A busy process hears neither signals nor the end of its channel.
  const watch = new Worker(ORPHAN_WATCH, { eval: true, workerData: process.ppid, execArgv: [] });
  // A run without its watch is better than none.
  watch.on('error', () => undefined);
  watch.unref();
  // Listening keeps the channel, and with it the process, open; that the work is done must end it too.
  process.channel.unref();
}

/**
 * Ends this process once `npx` or its like is gone. They start a program in a shell and pass a signal to that shell,
 * which ends and leaves the program running; where they are killed outright, the shell stays as well. Not so for others:
 * who puts a run into the background on purpose may leave it alone.
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

/** Calls back once somebody else has taken over one of the shells. What the system does not say is taken for no change. */
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
