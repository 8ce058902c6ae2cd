// `npm start`: from a fresh clone to Parallax in an editor, with the sample workspace open.
//   --editor code|code-server   which editor (default: VS Code when `code` is on the PATH)
//   --port N                    where code-server listens (default: any free port)
//   --no-open                   do not open a browser
import { cpSync, existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import {
  freePort,
  installExtension,
  QUIET_SETTINGS,
  startCodeServer,
  writeSettings,
} from './lib/code-server.mjs';
import { exitOnSignals, Failure, main, onPath, run, startGroup } from './lib/processes.mjs';
import { cacheFolder, SAMPLE } from './lib/project.mjs';
import { ensurePackaged, hashOf, VSIX } from './lib/vsix.mjs';
import { setUp } from './setup.mjs';

/** Stays the same between starts if possible, because the editor stores its layout by address. */
const USUAL_PORT = 8462;

await main(async () => {
  const options = readOptions();
  await setUp({ editor: options.editor === 'code-server' });
  await ensurePackaged();
  const folder = copyOfSample();
  await (options.editor === 'code' ? openInCode(folder) : openInCodeServer(folder, options));
});

function readOptions() {
  const { values } = parseArgs({
    options: {
      editor: { type: 'string', default: onPath('code').length > 0 ? 'code' : 'code-server' },
      port: { type: 'string' },
      'no-open': { type: 'boolean', default: false },
    },
  });
  if (!['code', 'code-server'].includes(values.editor)) {
    throw new Failure('--editor must be "code" or "code-server".');
  }
  if (values.editor === 'code' && onPath('code').length === 0) {
    throw new Failure('`code` is not on the PATH: install it from the command palette of VS Code.');
  }
  if (values.port !== undefined && !/^\d{1,5}$/.test(values.port))
    throw new Failure('--port must be a number.');
  return values;
}

/** A copy outside of the repository, so that experiments never change it; a new copy when the sample changes. */
function copyOfSample() {
  const home = join(cacheFolder(), 'samples', hashOf([SAMPLE]).slice(0, 12));
  const copy = join(home, 'parallax-sample');
  if (existsSync(copy)) return copy;
  const unfinished = `${home}.partial-${process.pid}`;
  cpSync(SAMPLE, join(unfinished, 'parallax-sample'), { recursive: true });
  renameSync(unfinished, home);
  return copy;
}

async function openInCode(folder) {
  const [code] = onPath('code');
  const options = { shell: process.platform === 'win32' };
  const quote = (path) => (options.shell ? `"${path}"` : path);
  const failure = 'VS Code did not take the extension.';
  await run(quote(code), ['--install-extension', quote(VSIX), '--force'], { ...options, failure });
  await run(quote(code), [quote(folder)], { ...options, failure: 'VS Code could not be opened.' });
  console.log(`Parallax is installed in VS Code, which opens ${folder}.`);
}

async function openInCodeServer(folder, options) {
  const profile = join(cacheFolder(), 'profile');
  const folders = { userData: join(profile, 'user-data'), extensions: join(profile, 'extensions') };
  if (!existsSync(folders.userData)) writeSettings(folders.userData, QUIET_SETTINGS);
  await installExtension(VSIX, folders);
  const port = await choosePort(options.port);
  const server = await startCodeServer({ ...folders, port });
  let stopping = false;
  exitOnSignals(async () => {
    stopping = true;
    await server.stop();
    process.exit(0);
  });
  const address = `${server.url}?folder=${encodeURIComponent(folder)}`;
  console.log(`Parallax is open at ${address} (Ctrl-C stops it)`);
  if (!options['no-open']) openBrowser(address);
  await server.exited;
  if (!stopping) throw new Failure(`code-server ended by itself:\n${server.output()}`);
}

async function choosePort(wanted) {
  const port = await freePort(wanted ? Number(wanted) : USUAL_PORT);
  if (wanted && port !== Number(wanted))
    throw new Failure(`Port ${wanted} is in use: choose another with --port.`);
  return port;
}

/** Opens the user's browser if there is a display. */
function openBrowser(address) {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  const opener = process.platform === 'darwin' ? 'open' : (DISPLAY || WAYLAND_DISPLAY) && 'xdg-open';
  if (!opener || onPath(opener).length === 0) return;
  startGroup(opener, [address], { stdio: 'ignore' }).once('error', (error) => console.warn(error.message));
}
