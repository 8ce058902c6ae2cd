// Known vulnerabilities of the packages that ship, as the registry knows them: `node scripts/audit.mjs`. Where no
// registry that answers can be reached, it says so and is skipped: the packages are no worse for that.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { collect, ended, isMain } from './lib/processes.mjs';
import { ROOT } from './lib/project.mjs';
import { packageName, shippedPackages } from './lib/shipped.mjs';

const MINUTE = 60_000;

/** The beginning of a reason that excuses a skip in CI: the machine lacks something for it. */
const EXCUSE = 'cannot run here:';

/**
 * Reads the output of `npm audit --json` as an outcome.
 *
 * @param {string} output of npm, standard output
 * @param {ReadonlySet<string>} shipped names of the packages that count
 * @returns {{ outcome: 'passed' | 'failed' | 'skipped', reason: string }}
 */
export function auditOutcome(output, shipped) {
  let answer;
  try {
    answer = JSON.parse(output);
  } catch {
    return { outcome: 'skipped', reason: `${EXCUSE} npm audit gave no answer` };
  }
  const counts = answer?.metadata?.vulnerabilities;
  if (!counts) {
    const said = answer?.error?.summary || answer?.message || answer?.error?.code || 'no reason given';
    return {
      outcome: 'skipped',
      // Without the address, which is nobody's business in a log.
      reason: `${EXCUSE} the audit endpoint did not answer (${String(said).split(/\n| - /u)[0]})`,
    };
  }
  const grave = Object.values(answer.vulnerabilities ?? {}).filter(
    ({ name, severity }) => shipped.has(name) && (severity === 'high' || severity === 'critical'),
  );
  if (grave.length === 0)
    return { outcome: 'passed', reason: `${counts.total} known, none of them grave and in what ships` };
  const names = grave.map(({ name, severity, range }) => `${name} ${range} (${severity})`);
  return { outcome: 'failed', reason: names.join(', ') };
}

/** Asks about all packages, since what is bundled stands among those for development, and counts those that ship. */
export async function audit() {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const shipped = new Set([...shippedPackages(lock).keys()].map(packageName));
  const child = spawn('npm', ['audit', '--audit-level=high', '--json'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 2 * MINUTE,
    // npm is a script there, which is started through a shell; nothing of the arguments is given from outside.
    shell: process.platform === 'win32',
  });
  const answer = collect(child);
  await ended(child);
  return auditOutcome(answer(), shipped);
}

if (isMain(import.meta.url)) {
  const { outcome, reason } = await audit();
  console.log(`${outcome}: ${reason}`);
  if (outcome === 'failed') process.exitCode = 1;
}
