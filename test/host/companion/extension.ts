/**
 * The companion extension. It runs the suites inside the extension host, against the real `vscode` API and the
 * installed Parallax, and writes the results to the file that PARALLAX_HOST_REPORT names.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { runHostTests, type HostResult } from './host-test.ts';

const REPORT = process.env['PARALLAX_HOST_REPORT'];

let running: Promise<HostResult[]> | undefined;

/** code-server starts the suites by activating the companion once the window is up. */
export function activate(): void {
  if (REPORT) void runOnce(REPORT);
}

/** Desktop VS Code calls this instead, and takes a rejection for a failed run. */
export async function run(): Promise<void> {
  if (!REPORT) throw new Error('PARALLAX_HOST_REPORT must name the report.');
  const failures = (await runOnce(REPORT)).filter(({ error }) => error !== undefined);
  if (failures.length > 0) throw new Error(`${failures.length} failed`);
}

function runOnce(report: string): Promise<HostResult[]> {
  running ??= runHostTests().then((results) => {
    // Renamed into place, so that an incomplete report is never read.
    writeFileSync(`${report}.partial`, JSON.stringify(results));
    renameSync(`${report}.partial`, report);
    return results;
  });
  return running;
}
