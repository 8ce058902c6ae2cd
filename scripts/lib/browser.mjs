// The Chromium that drives the editor in tests.
import { homedir } from 'node:os';
import { join } from 'node:path';

import { canInstallPackages, installPackages } from './debian.mjs';
import { Failure, isExecutable, onPath } from './processes.mjs';

// The first has no window, and starts and draws fastest.
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
];

const APPLICATIONS = {
  darwin: ['/Applications', join(homedir(), 'Applications')].flatMap((folder) => [
    join(folder, 'Google Chrome.app/Contents/MacOS/Google Chrome'),
    join(folder, 'Chromium.app/Contents/MacOS/Chromium'),
  ]),
  win32: [process.env.PROGRAMFILES, process.env['PROGRAMFILES(X86)'], process.env.LOCALAPPDATA]
    .filter(Boolean)
    .flatMap((folder) => [
      join(folder, 'Google/Chrome/Application/chrome.exe'),
      join(folder, 'Chromium/Application/chrome.exe'),
    ]),
};

/** Without fonts the pictures for the README would show empty boxes. */
const DEBIAN_PACKAGES = ['chromium-headless-shell', 'fonts-dejavu-core', 'fonts-noto-core'];

/** The path of Chromium or Chrome, or undefined. */
export function findBrowser() {
  const named = process.env.PARALLAX_CHROMIUM;
  if (named && !isExecutable(named)) throw new Failure(`PARALLAX_CHROMIUM names no program: ${named}`);
  if (named) return named;
  const usual = APPLICATIONS[process.platform] ?? [];
  return [...NAMES.flatMap(onPath), ...usual].find(isExecutable);
}

/** The path of Chromium or Chrome. If there is none, fails with the command that installs it. */
export function requireBrowser() {
  const browser = findBrowser();
  if (!browser) throw new Failure('There is no browser to test in: run "npm run setup -- --browser" first.');
  return browser;
}

export async function ensureBrowser() {
  if (findBrowser()) return;
  if (!canInstallPackages()) {
    const command =
      process.platform === 'linux' ? 'sudo apt-get install chromium-headless-shell' : 'install Google Chrome';
    throw new Failure(`The tests need Chromium: ${command}, or set PARALLAX_CHROMIUM to its path.`);
  }
  console.log('Installing Chromium (about a minute)…');
  await installPackages(DEBIAN_PACKAGES);
}
