// Installs Debian packages, if the script has the permission.
import { existsSync } from 'node:fs';

import { run } from './processes.mjs';

export function canInstallPackages() {
  return process.platform === 'linux' && process.getuid() === 0 && existsSync('/usr/bin/apt-get');
}

export async function installPackages(names) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const failure = `Debian's packages could not be installed: run "apt-get install ${names.join(' ')}" and see why.`;
  await run('apt-get', ['update', '-qq'], { env, failure, quiet: true });
  await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], {
    env,
    failure,
    quiet: true,
  });
}
