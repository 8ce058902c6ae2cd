// VS Code without a download from its vendor: the npm package code-server carries the same
// workbench and extension host. It is kept in the cache, not in node_modules: it is large, and its
// own installation refuses every Node but the one it was built for.
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

/** Built on the spot, or checked to have come prebuilt. Kerberos and others that need system headers are left out. */
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
    // In one step, so that an interrupted installation is never taken for a whole one.
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

/** A folder named after this process; those of processes that are gone are removed. */
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

/** Installs an extension the way a user does, from its VSIX. */
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

/** Writes the user's settings, as if they had been made before the editor's first start. */
export function writeSettings(userData, settings) {
  mkdirSync(join(userData, 'User'), { recursive: true });
  writeFileSync(join(userData, 'User', 'settings.json'), `${JSON.stringify(settings, null, 2)}\n`);
}

/** No pages or prompts in the way of the first look, and nothing sent anywhere. */
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
  // As on a desktop. A browser saves after a second by default, and might do so after a test put a file back.
  'files.autoSave': 'off',
};

/**
 * Starts code-server on a loopback port and waits until it listens.
 * Returns its address, what it printed so far, and how to stop it with all that it started.
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

/** A free loopback port: the wanted one when nobody has it, else any. */
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
  // Without a --config of its own, code-server would write one into the user's home.
  const config = join(userData, 'code-server.yaml');
  return ['--user-data-dir', userData, '--extensions-dir', extensions, '--config', config];
}

/** Without what an editor around us says about itself: a code-server inside its terminal would hand over to it. */
function editorEnvironment() {
  const own =
    /^(VSCODE_|ELECTRON_|CODE_SERVER_|PORT$|PASSWORD$|HASHED_PASSWORD$|NODE_OPTIONS$|NODE_TEST_CONTEXT$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
}
