// VS Code without a download from its vendor: the npm package code-server contains the same workbench and extension
// host. It is installed in the cache instead of node_modules, because it is large, and its installer refuses every Node
// version except the one it was built for.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { ensureHeaders } from './node24.mjs';
import { npm } from './npm.mjs';
import { collect, endGroup, Failure, run, startGroup } from './processes.mjs';
import { cacheFolder, headersSetting, NODE } from './project.mjs';

const VERSION = '4.139.1';
const NAME = `code-server-${VERSION}`;

/**
 * Compiled during installation, or checked to be prebuilt. Kerberos and others that need system headers are left out.
 */
const NEEDED_NATIVES = ['node-pty', '@vscode/spdlog', '@vscode/native-watchdog', '@parcel/watcher'];

export function codeServerEntry() {
  return join(cacheFolder(), NAME, 'node_modules', 'code-server', 'out', 'node', 'entry.js');
}

export async function ensureCodeServer() {
  if (existsSync(codeServerEntry())) return;
  if (process.platform === 'win32') {
    throw new Failure(
      'code-server does not run on Windows: install VS Code, and see that `code` is on the PATH.',
    );
  }
  console.log(`Installing ${NAME} into ${cacheFolder()} (one to two minutes, 600 MB)…`);
  const folder = temporaryFolder();
  try {
    await installInto(folder);
    // Atomic, so that an interrupted installation is never taken for a complete one.
    renameSync(folder, join(cacheFolder(), NAME));
  } catch (error) {
    if (!existsSync(codeServerEntry())) throw error; // else another process was faster
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function installInto(folder) {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const vscode = join(folder, 'node_modules', 'code-server', 'lib', 'vscode');
  const failure = `${NAME} could not be installed: see npm's message above.`;
  const options = { node: NODE, failure };
  await npm(['install', `code-server@${VERSION}`, '--ignore-scripts'], { ...options, cwd: folder });
  await npm(['install', '--omit=dev', '--ignore-scripts'], { ...options, cwd: vscode });
  await npm(['install', '--omit=dev', '--ignore-scripts'], { ...options, cwd: join(vscode, 'extensions') });
  await ensureHeaders();
  await npm(['rebuild', ...NEEDED_NATIVES], {
    node: NODE,
    cwd: vscode,
    env: headersSetting(),
    failure: 'The native parts of code-server could not be built: install a C++ compiler, make and python3.',
  });
}

/** A folder named after this process. Removes the folders of processes that have exited. */
function temporaryFolder() {
  const cache = cacheFolder();
  mkdirSync(cache, { recursive: true });
  for (const name of readdirSync(cache)) {
    const owner = /^code-server-.*\.partial-(\d+)$/.exec(name)?.[1];
    if (owner && !isRunning(Number(owner))) rmSync(join(cache, name), { recursive: true, force: true });
  }
  const folder = join(cache, `${NAME}.partial-${process.pid}`);
  mkdirSync(folder);
  return folder;
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Installs an extension from its VSIX, like a user. */
export async function installExtension(vsix, { userData, extensions }) {
  await run(
    NODE,
    [codeServerEntry(), ...folders({ userData, extensions }), '--install-extension', vsix, '--force'],
    {
      env: editorEnvironment(),
      failure: `${vsix} could not be installed into code-server.`,
      quiet: true,
    },
  );
}

/** Writes the user's settings before the editor's first start. */
export function writeSettings(userData, settings) {
  mkdirSync(join(userData, 'User'), { recursive: true });
  writeFileSync(join(userData, 'User', 'settings.json'), `${JSON.stringify(settings, null, 2)}\n`);
}

/** No welcome pages, prompts or telemetry. */
export const QUIET_SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.tips.enabled': false,
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'chat.disableAIFeatures': true,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'security.workspace.trust.enabled': false,
  'remote.autoForwardPorts': false,
  // As on the desktop. In a browser the default is to save after a second, possibly after a test has restored a file.
  'files.autoSave': 'off',
};

/**
 * Starts code-server on a loopback port and waits until it listens. Returns its address, its output so far, and a
 * function that stops it with all its processes.
 */
export async function startCodeServer({ userData, extensions, port, env = {} }) {
  const address = `127.0.0.1:${port}`;
  const server = startGroup(
    NODE,
    [
      codeServerEntry(),
      ...folders({ userData, extensions }),
      ...['--auth', 'none', '--bind-addr', address],
      ...['--disable-telemetry', '--disable-update-check', '--disable-workspace-trust'],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...editorEnvironment(), ...env } },
  );
  const output = collect(server);
  const stop = () => endGroup(server);
  for (const until = Date.now() + 60_000; !(await accepts(port)); await sleep(100)) {
    if (server.exitCode === null && Date.now() < until) continue;
    await stop();
    throw new Failure(`code-server did not start on ${address}:\n${output()}`);
  }
  return {
    url: `http://${address}/`,
    output,
    stop,
    exited: new Promise((done) => server.once('close', done)),
  };
}

/** A free loopback port: the wanted one if it is free, else any. */
export async function freePort(wanted = 0) {
  return (await tryPort(wanted)) ?? (await tryPort(0));
}

function tryPort(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const { port: got } = server.address();
      server.close(() => resolve(got));
    });
  });
}

function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

function folders({ userData, extensions }) {
  // Without --config, code-server would write a file into the user's home.
  const config = join(userData, 'code-server.yaml');
  return ['--user-data-dir', userData, '--extensions-dir', extensions, '--config', config];
}

/** The environment without variables of an enclosing editor: a code-server in its terminal would delegate to it. */
function editorEnvironment() {
  const own =
    /^(VSCODE_|ELECTRON_|CODE_SERVER_|PORT$|PASSWORD$|HASHED_PASSWORD$|NODE_OPTIONS$|NODE_TEST_CONTEXT$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
}
