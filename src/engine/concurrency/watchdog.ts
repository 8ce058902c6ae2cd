/** A thread that ends this process while its own thread is busy. */
import { Worker } from 'node:worker_threads';

const WATCHDOG = `
  const { workerData } = require('node:worker_threads');
  setInterval(() => {
    if (process.memoryUsage.rss() > workerData.bytes || process.ppid !== workerData.parent)
      process.kill(process.pid, 'SIGKILL');
  }, 25);
`;

/** Ends this process if it uses more memory, or if its parent is gone. @param bytes the most memory that it may use */
export function watchThisProcess(bytes: number): void {
  const watch = new Worker(WATCHDOG, {
    eval: true,
    workerData: { bytes, parent: process.ppid },
    execArgv: [],
  });
  // A process without its watchdog is better than none.
  watch.on('error', () => undefined);
  watch.unref();
}
