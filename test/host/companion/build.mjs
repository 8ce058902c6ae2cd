// Bundles the companion extension with every suite, into a folder that VS Code takes as an extension.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import esbuild from 'esbuild';

import { run } from '../../../scripts/lib/processes.mjs';
import { MODULES, NODE } from '../../../scripts/lib/project.mjs';

const HOST = join(import.meta.dirname, '..');
const BUNDLE = 'companion.cjs';

const MANIFEST = {
  name: 'parallax-host-tests',
  displayName: 'Parallax host tests',
  publisher: 'parallax',
  version: '0.0.0',
  license: 'MIT',
  engines: { vscode: '^1.105.0' },
  main: `./${BUNDLE}`,
  activationEvents: ['onStartupFinished'],
  contributes: {
    // Those of GitHub Copilot Chat, which is not installed where suites run. The editor has those of the agent host.
    configuration: {
      title: 'Agents',
      properties: Object.fromEntries(
        Object.entries({
          enabled: false,
          exporterType: 'otlp-http',
          otlpEndpoint: 'http://localhost:4318',
          captureContent: false,
          outfile: '',
        }).map(([name, value]) => [
          `github.copilot.chat.otel.${name}`,
          { type: typeof value, default: value, description: name },
        ]),
      ),
    },
    languageModelChatProviders: [{ vendor: 'parallax-test', displayName: 'Parallax host tests' }],
  },
};

export async function buildCompanion(folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify(MANIFEST, null, 2));
  await esbuild.build({
    stdin: { contents: entry(), resolveDir: HOST, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    external: ['vscode'],
    // As in esbuild.mjs.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    sourcemap: 'inline',
    outfile: join(folder, BUNDLE),
    logLevel: 'warning',
  });
}

/** The companion as a package: only installed extensions load in code-server. */
export async function packageCompanion(folder) {
  await buildCompanion(folder);
  const vsix = join(folder, 'companion.vsix');
  const options = ['--no-dependencies', '--allow-missing-repository', '--skip-license'];
  await run(NODE, [join(MODULES, '@vscode', 'vsce', 'vsce'), 'package', ...options, '--out', vsix], {
    cwd: folder,
    failure: 'The companion extension could not be packaged.',
    quiet: true,
  });
  return vsix;
}

/** Suites are found by their file names, so that each of them runs. */
function entry() {
  const suites = readdirSync(join(HOST, 'suites'), { recursive: true }).filter((name) =>
    name.endsWith('.suite.ts'),
  );
  const imports = suites.sort().map((name) => `import './suites/${name.replaceAll('\\', '/')}';`);
  return [...imports, "export * from './companion/extension.ts';"].join('\n');
}
