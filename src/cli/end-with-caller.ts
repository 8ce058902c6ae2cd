/** Ends the command line on a signal, and with the launcher that started it. */

import { constants } from 'node:os';

/** Sent by terminals, CI runners and containers to end a program. */
export const ENDING_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/** How often it is looked whether who started this is still there, in milliseconds. */
const LOOK_MS = 100;

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
      if (process.listenerCount(signal) === 1) process.exit(exitCodeOf(signal));
    });
  if (process.env['npm_execpath'] !== undefined) endWithParent();
  if (!process.channel) return;
  process.once('disconnect', () => process.exit(exitCodeOf('SIGHUP')));
  // Listening keeps the channel, and with it the process, open; that the work is done must end it too.
  process.channel.unref();
}

/**
 * `npx` and its like start a program in a shell, pass a signal to that shell, which ends, and leave the program running.
 * Not so for others: who puts a run into the background on purpose may leave it alone.
 */
function endWithParent(): void {
  const parent = process.ppid;
  const look = (): void => {
    if (process.ppid !== parent) process.exit(exitCodeOf('SIGHUP'));
  };
  setInterval(look, LOOK_MS).unref();
}
