// `npm run test:electron`: the host suites in desktop VS Code, which is downloaded unless
// `--vscode <path>` names an installed one.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { Failure, main, run } from '../../scripts/lib/processes.mjs';
import { cacheFolder, NODE, ROOT, SAMPLE } from '../../scripts/lib/project.mjs';
import { setUp } from '../../scripts/setup.mjs';

/** For @vscode/test-electron; on an older Node this script starts itself again on Node 24. */
const OLDEST_NODE = 22;

await main(async () => {
  const { values } = parseArgs({ options: { vscode: { type: 'string' } } });
  await setUp();
  if (majorVersion() < OLDEST_NODE)
    return run(NODE, [fileURLToPath(import.meta.url), ...process.argv.slice(2)]);
  const electron = await import('@vscode/test-electron');
  const vscodeExecutablePath = values.vscode ?? (await download(electron));
  requireDisplay();
  await run(NODE, ['esbuild.mjs'], { cwd: ROOT, failure: 'The extension could not be built.' });
  await runSuites(electron, vscodeExecutablePath);
});

function majorVersion() {
  return Number.parseInt(process.versions.node, 10);
}

async function download(electron) {
  try {
    return await electron.downloadAndUnzipVSCode({ cachePath: join(cacheFolder(), 'vscode') });
  } catch (error) {
    throw new Failure(
      `VS Code could not be downloaded (${error.message}): name an installed one with --vscode <path>, or run "npm test".`,
    );
  }
}

function requireDisplay() {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (process.platform !== 'linux' || DISPLAY || WAYLAND_DISPLAY) return;
  throw new Failure('VS Code needs a display: run "xvfb-run -a npm run test:electron".');
}

async function runSuites(electron, vscodeExecutablePath) {
  const { buildCompanion } = await import('./companion/build.mjs');
  const folder = mkdtempSync(join(tmpdir(), 'parallax-electron-'));
  const companion = join(folder, 'companion');
  const report = join(folder, 'report.json');
  try {
    await buildCompanion(companion);
    await electron.runTests({
      vscodeExecutablePath,
      extensionDevelopmentPath: [ROOT, companion],
      extensionTestsPath: join(companion, 'companion.cjs'),
      extensionTestsEnv: { PARALLAX_HOST_REPORT: report },
      launchArgs: [
        SAMPLE,
        '--disable-extensions',
        '--disable-workspace-trust',
        `--user-data-dir=${join(folder, 'data')}`,
      ],
    });
  } catch (error) {
    if (!existsSync(report)) throw error;
  } finally {
    if (existsSync(report)) show(JSON.parse(readFileSync(report, 'utf8')));
    rmSync(folder, { recursive: true, force: true });
  }
}

function show(results) {
  const failures = results.filter(({ error }) => error !== undefined);
  for (const { name, error } of results)
    console.log(error === undefined ? `ok ${name}` : `FAILED ${name}\n${error}`);
  console.log(`${results.length - failures.length} passed, ${failures.length} failed`);
  if (failures.length > 0) process.exitCode = 1;
}
