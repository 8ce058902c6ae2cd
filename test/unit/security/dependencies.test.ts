/** The lock file, read without network access. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { auditOutcome } from '../../../scripts/audit.mjs';
import { packageName, shippedPackages } from '../../../scripts/lib/shipped.mjs';

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
  readonly link?: boolean;
}

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
const lock = read('package-lock.json') as { packages: Record<string, Locked> };
const manifest = read('package.json') as { allowScripts: Record<string, boolean> };
const packages = Object.entries(lock.packages).filter(([place]) => place !== '');
const shipped = shippedPackages(lock) as Map<string, Locked>;

/** Permissive licences, by their SPDX expressions as the packages write them. */
const LICENCES = new Set([
  ...['MIT', 'ISC', 'BSD', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0', 'Unlicense', 'CC-BY-4.0'],
  ...['(MIT OR CC0-1.0)', '(MIT OR GPL-3.0-or-later)', '(MIT AND Zlib)'],
]);

describe('every locked package', () => {
  it('has an integrity hash', () => {
    const loose = packages.filter(([, { integrity = '' }]) => !/^sha512-[\w+/]{86}==$/u.test(integrity));
    assert.deepEqual(
      loose.map(([place]) => place),
      [],
    );
    assert.ok(packages.length > 100);
  });

  it('comes from the configured registry, not from a fixed address or folder', () => {
    const placed = packages.filter(([, { resolved, link }]) => resolved !== undefined || link === true);
    assert.deepEqual(
      placed.map(([place]) => place),
      [],
    );
  });

  it('runs no install script that package.json does not list', () => {
    const scripted = packages
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([place]) => packageName(place));
    const undecided = scripted.filter((name) => !Object.hasOwn(manifest.allowScripts, name));
    assert.deepEqual(undecided, []);
    // An entry for a package that is gone would apply to any later package of that name.
    assert.deepEqual(Object.keys(manifest.allowScripts).sort(), [...new Set(scripted)].sort());
  });
});

describe('every package that ships', () => {
  it('is found: imported packages, copied packages and their dependencies', () => {
    const names = new Set([...shipped.keys()].map(packageName));
    // Imported, imported by the webview, copied by the build, bundled though a development package, needed by another.
    for (const name of ['zod', 'lit', '@vscode/codicons', 'pg', 'jszip', 'hnswlib-node'])
      assert.ok(names.has(name), name);
    // `@lancedb/lancedb` comes from the user's project; only its types are imported.
    for (const name of ['oxlint', 'playwright-core', '@vscode/vsce', '@lancedb/lancedb'])
      assert.ok(!names.has(name), name);
  });

  it('has an allowed licence', () => {
    const others = [...shipped].filter(([, { license = 'none' }]) => !LICENCES.has(license));
    assert.deepEqual(
      others.map(([place, { license }]) => `${place}: ${license ?? 'none'}`),
      [],
    );
  });
});

describe('the audit', () => {
  const names = new Set(['zod']);
  const answer = (vulnerabilities: object, total = 1): string =>
    JSON.stringify({ vulnerabilities, metadata: { vulnerabilities: { total } } });
  const known = (name: string, severity: string): object => ({ [name]: { name, severity, range: '<9' } });

  it('passes if no shipped package has a severe vulnerability', () => {
    assert.equal(auditOutcome(answer({}, 0), names).outcome, 'passed');
    assert.equal(auditOutcome(answer(known('zod', 'moderate')), names).outcome, 'passed');
    assert.equal(auditOutcome(answer(known('oxlint', 'critical')), names).outcome, 'passed');
  });

  it('fails for a severe vulnerability and names the package', () => {
    for (const severity of ['high', 'critical'])
      assert.deepEqual(auditOutcome(answer(known('zod', severity)), names), {
        outcome: 'failed',
        reason: `zod <9 (${severity})`,
      });
  });

  it('is skipped with a reason if no endpoint answers', () => {
    const unanswered = [
      '',
      'npm error',
      '{}',
      JSON.stringify({ message: '405 Method Not Allowed - POST https://host/x' }),
    ];
    for (const output of unanswered) {
      const { outcome, reason } = auditOutcome(output, names);
      assert.equal(outcome, 'skipped');
      assert.match(reason, /^cannot run here: /u);
      assert.doesNotMatch(reason, /host/u);
    }
  });
});
