/** The command line as an npm package: packed, installed into a clean folder, and run there by its name. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { deadLinks } from '../../../scripts/lib/check-package.mjs';
import { npmEnvironment } from '../../../scripts/lib/npm.mjs';
import { stageNpmPackage } from '../../../scripts/lib/npm-package.mjs';
import { assertNothingPaid, PROXIES, startPaidRun, type PaidRun } from './paid-run.ts';

const MAX_MEGABYTES = 24;

const home = mkdtempSync(join(tmpdir(), 'parallax-npm-'));
const staged = join(home, 'staged');
const clean = join(home, 'clean');
after(() => rmSync(home, { recursive: true }));

before(() => {
  mkdirSync(staged);
  stageNpmPackage(staged);
  mkdirSync(clean);
  writeFileSync(join(clean, 'package.json'), '{ "private": true }');
  npm('pack', staged, '--pack-destination', home);
  const tarball = readdirSync(home).find((name) => name.endsWith('.tgz'));
  assert.ok(tarball, 'npm packed nothing');
  npm('install', join(home, tarball), '--offline', '--omit=optional');
});

function npm(...args: string[]): void {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', [...args, ...quiet], { cwd: clean, env: npmEnvironment(), stdio: 'pipe' });
}

/** Like `npx parallax-rag`. */
function parallax(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const bin = join(clean, 'node_modules', '.bin', 'parallax-rag');
  return spawnSync(process.execPath, [bin, ...args], { cwd: clean, encoding: 'utf8' });
}

test('the package is small, without files of the editor', () => {
  const installed = join(clean, 'node_modules', 'parallax-rag');
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
  const bytes = files.reduce((sum, name) => sum + statSync(join(installed, name)).size, 0);
  assert.ok(bytes < MAX_MEGABYTES * 2 ** 20, `${(bytes / 2 ** 20).toFixed(1)} MB`);
  assert.deepEqual(
    files.filter((name) => /webview|extension\.cjs|app\.cjs|\.map$/u.test(name)),
    [],
  );
  assert.ok(existsSync(join(installed, 'dist', 'ThirdPartyNotices.txt')));
});

test('every link and picture of its pages leads to a file in the package', () => {
  const installed = join(clean, 'node_modules', 'parallax-rag');
  const names = readdirSync(installed, { recursive: true, encoding: 'utf8' });
  const files = new Map(names.map((name) => [name, { read: () => readFileSync(join(installed, name)) }]));
  const pages = [...files].filter(([name]) => !name.includes('node_modules'));
  assert.match(files.get('README.md')!.read().toString(), /\]\(docs\/corrected-figures\.md\)/u);
  assert.deepEqual(deadLinks(new Map(pages)), []);
});

test('files that its pages tell people to copy are included', () => {
  const installed = join(clean, 'node_modules', 'parallax-rag');
  const pages = readdirSync(join(installed, 'docs')).filter((name) => name.endsWith('.md'));
  const named = pages.flatMap((name) => [
    ...readFileSync(join(installed, 'docs', name), 'utf8').matchAll(/`(media\/[\w./-]+)`/gu),
  ]);
  assert.ok(named.length > 5);
  for (const [, file] of named) assert.ok(existsSync(join(installed, file!)), file);
});

test('the gate runs in a clean folder, and does not pass unjudged pairs', () => {
  mkdirSync(join(clean, 'docs'));
  mkdirSync(join(clean, 'eval'));
  mkdirSync(join(clean, '.parallax'));
  const texts = {
    'a.md': 'Naps make children calm in the evening.',
    'b.md': 'Naps keep children awake at night.',
  };
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(clean, 'docs', name), text);
  const query = { _id: 'naps', text: 'Are naps good for children?', perspectives: ['calm', 'awake'] };
  writeFileSync(join(clean, 'eval', 'q.parallax.jsonl'), `${JSON.stringify(query)}\n`);
  writeFileSync(
    join(clean, 'parallax.json'),
    JSON.stringify({
      version: 2,
      corpora: { docs: { roots: ['docs'] } },
      pipelines: { bm25: { retriever: { type: 'bm25' }, k: 2 } },
      evalSets: ['eval/*.parallax.jsonl'],
      gate: { pipelines: ['bm25'], k: 2, thresholds: [{ metric: 'Precision@2', min: 0.5 }] },
    }),
  );
  const gate = parallax('gate', '--config', 'parallax.json', '--store', 'store');
  assert.equal(gate.status, 3, `${gate.stdout}${gate.stderr}`);
  assert.match(`${gate.stdout}${gate.stderr}`, /nobody judged|not judged|judged/iu);
});

test('its child processes are included', () => {
  const installed = join(clean, 'node_modules', 'parallax-rag', 'dist');
  for (const file of [
    'derivation.mjs',
    'extraction.mjs',
    'store-client.mjs',
    'kernels.wasm',
    'tree-sitter-python.wasm',
  ])
    assert.ok(existsSync(join(installed, file)), file);
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  assert.match(parallax('--version').stdout, new RegExp(version.replaceAll('.', '\\.'), 'u'));
});

/** The ways in which people start and end it: npx starts it in a shell. */
const POSIX = process.platform !== 'win32';

/** npx, its shell, and with proxies a launcher between shell and run. */
for (const [what, variables] of [
  ['the run', {}],
  ['a launcher and its run', PROXIES],
] as const)
  for (const signal of ['SIGTERM', 'SIGKILL'] as const)
    test(`${signal} to npx ends ${what}, which sends no more requests`, { skip: !POSIX }, async (t) => {
      const run = await startByNpx(t, variables);
      await assertNothingPaid(run, () => run.process.kill(signal), { looks: true });
    });

test(
  'Ctrl+C in a terminal, which signals all processes of npx, ends it, too',
  { skip: !POSIX },
  async (t) => {
    const run = await startByNpx(t);
    await assertNothingPaid(run, () => process.kill(-run.process.pid!, 'SIGINT'));
  },
);

function startByNpx(t: TestContext, variables: NodeJS.ProcessEnv = {}): Promise<PaidRun> {
  const env = { ...npmEnvironment({}, dirname(process.execPath)), ...variables };
  return startPaidRun(t, (argv) => [
    'npm',
    ['exec', '--offline', '--', 'parallax-rag', ...argv],
    { cwd: clean, env, detached: true },
  ]);
}
