// Prepares a checkout: packages, Node 24, the native index and, on request, VS Code and a browser for tests. Runs on
// Node 20 without node_modules, and is quick if everything is installed.
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { ensureBrowser } from './lib/browser.mjs';
import { codeServerEntry, ensureCodeServer } from './lib/code-server.mjs';
import { canInstallPackages, installPackages } from './lib/debian.mjs';
import { ensureHeaders, ensureNode } from './lib/node24.mjs';
import { nodeGyp, npm, npmEnvironment } from './lib/npm.mjs';
import { Failure, isMain, main, onPath, run } from './lib/processes.mjs';
import { headersSetting, MODULES, NODE, ROOT } from './lib/project.mjs';

const LOCK = join(ROOT, 'package-lock.json');
const HIDDEN_LOCK = join(MODULES, '.package-lock.json');
const STAMP = join(MODULES, '.parallax-setup');
const HNSWLIB = join(MODULES, 'hnswlib-node');
const ADDON = join(HNSWLIB, 'build', 'Release', 'addon.node');

const WITHOUT_ADDON =
  'Approximate search will be unavailable, and Parallax cannot be packaged: ' +
  'install a C++ compiler, make and python3, then run "npm run setup".';

/** `editor` and `browser` are needed to start or test without the user's own VS Code. */
export async function setUp({ editor = false, browser = false } = {}) {
  await ensurePackages();
  await ensureNode();
  if (editor && !existsSync(codeServerEntry())) await ensureCompiler();
  await ensureAddon();
  if (editor) await ensureCodeServer();
  if (browser) await ensureBrowser();
}

async function ensurePackages() {
  refuseLink();
  const lock = createHash('sha256').update(readFileSync(LOCK)).digest('hex');
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === lock) return;
  if (!installedByHand()) {
    console.log('Installing the packages that Parallax is built from (about a minute)…');
    const failure = "The packages could not be installed: see npm's message above.";
    // npm runs all preinstall scripts first, so the headers are unpacked before hnswlib-node is compiled.
    await npm(['ci'], { cwd: ROOT, env: headersSetting(), failure });
  }
  writeFileSync(STAMP, lock);
}

/** npm would empty the target of a link, which another checkout uses. */
function refuseLink() {
  if (lstatSync(MODULES, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Failure(
      'node_modules is a symbolic link, and setting up would delete what it leads to: remove the link, or copy the folder.',
    );
}

/** After a plain `npm install` npm's own record is newer than the lock file. */
function installedByHand() {
  return existsSync(HIDDEN_LOCK) && statSync(HIDDEN_LOCK).mtimeMs >= statSync(LOCK).mtimeMs;
}

/** Compiling code-server's native parts needs a compiler. */
async function ensureCompiler() {
  if (hasCompiler()) return;
  if (!canInstallPackages())
    throw new Failure('A C++ compiler, make and python3 are needed: install them and try again.');
  console.log('Installing a C++ compiler…');
  await installPackages(['g++', 'make', 'python3']);
}

function hasCompiler() {
  if (process.platform === 'win32') return true; // node-gyp alone knows how to find Visual Studio
  return [['c++', 'g++', 'clang++'], ['make'], ['python3']].every((names) =>
    names.some((name) => onPath(name).length),
  );
}

/** npm silently omits an optional package if its native part cannot be compiled. */
async function ensureAddon() {
  if (existsSync(ADDON)) return;
  if (!hasCompiler()) return console.warn(WITHOUT_ADDON);
  try {
    if (!existsSync(HNSWLIB)) await fetchHnswlib();
    await ensureHeaders();
    const failure = 'hnswlib-node could not be built.';
    await run(NODE, [nodeGyp(), 'rebuild'], {
      cwd: HNSWLIB,
      env: npmEnvironment(headersSetting()),
      failure,
      quiet: true,
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.warn(`${error.message}\n${WITHOUT_ADDON}`);
  }
}

async function fetchHnswlib() {
  const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const wanted = `hnswlib-node@${optionalDependencies['hnswlib-node']}`;
  await npm(['install', '--no-save', '--ignore-scripts', wanted], {
    cwd: ROOT,
    failure: `${wanted} could not be fetched.`,
  });
}

if (isMain(import.meta.url)) {
  const wanted = { editor: process.argv.includes('--editor'), browser: process.argv.includes('--browser') };
  await main(() => setUp(wanted));
}
