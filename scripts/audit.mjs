// Checks the packages that ship for vulnerabilities known to the registry: `node scripts/audit.mjs`. If no registry
// answers, reports that and skips, because that is no fault of the packages.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { collect, ended, isMain } from './lib/processes.mjs';
import { ROOT } from './lib/project.mjs';
import { packageName, shippedPackages } from './lib/shipped.mjs';

const MINUTE = 60_000;

/** Prefix of a reason that excuses a skip in CI, because the machine lacks something for it. */
const EXCUSE = 'cannot run here:';

/**
 * Converts the output of `npm audit --json` to an outcome.
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
      // Without the address, which is private and must not be in a log.
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

/** Audits all packages, because bundled ones are devDependencies, and counts those that ship. */
export async function audit() {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const shipped = new Set([...shippedPackages(lock).keys()].map(packageName));
  const child = spawn('npm', ['audit', '--audit-level=high', '--json'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 2 * MINUTE,
    // npm is a script on Windows, which needs a shell; no argument comes from outside.
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
