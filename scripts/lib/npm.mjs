// Calls the user's own npm, in any version, from a script that npm itself may have started.
import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';

import { Failure, onPath, run } from './processes.mjs';
import { MODULES } from './project.mjs';

/** An outer npm sets these for its scripts. An inner npm would take them for the user's settings. */
const OUTER = /^npm_(package_|lifecycle_|config_(user_agent|npm_version|node_gyp|(local_|global_)?prefix)$)/i;

/** Runs npm on the given Node, by default the system's; `env` is added to the environment. */
export async function npm(args, { node, env = {}, ...options } = {}) {
  const quieter = ['--no-fund', '--no-audit', '--no-progress', '--loglevel=error'];
  const settings = { npm_config_globalconfig: await globalConfig(), ...env };
  await run(node ?? systemNode(), [npmCli(), ...args, ...quieter], {
    ...options,
    env: npmEnvironment(settings, node && dirname(node)),
  });
}

/** This process's environment without variables of an outer npm, with the given additions. */
export function npmEnvironment(additions = {}, firstOnPath) {
  const outer = Object.entries(process.env).filter(([name]) => !OUTER.test(name));
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.startsWith(MODULES));
  if (firstOnPath) path.unshift(firstOnPath);
  return { ...Object.fromEntries(outer), ...additions, PATH: path.join(delimiter) };
}

/** The node-gyp in npm. */
export function nodeGyp() {
  return join(dirname(dirname(npmCli())), 'node_modules', 'node-gyp', 'bin', 'node-gyp.js');
}

/**
 * A Node outside of node_modules: `npm run` puts the project's own first on the PATH, but the installing Node must not
 * be among the replaced files.
 */
export function systemNode() {
  return onPath('node').find((node) => !realpathSync(node).startsWith(MODULES)) ?? process.execPath;
}

function npmCli() {
  const outer = process.env.npm_execpath;
  if (outer && basename(outer) === 'npm-cli.js') return outer;
  for (const npm of onPath('npm').map((found) => realpathSync(found))) {
    const places = [npm, join(dirname(npm), 'node_modules', 'npm', 'bin', 'npm-cli.js')];
    const cli = places.find((place) => basename(place) === 'npm-cli.js' && existsSync(place));
    if (cli) return cli;
  }
  throw new Failure('npm was not found: install Node.js with npm, and see that both are on the PATH.');
}

/** npm looks for its global settings beside the running Node, so on another Node their place must be given. */
async function globalConfig() {
  const known = process.env.npm_config_globalconfig;
  if (known) return known;
  const args = [npmCli(), 'config', 'get', 'globalconfig', '--loglevel=silent'];
  return (await run(systemNode(), args, { quiet: true })).trim();
}
