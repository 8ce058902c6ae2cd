// `npm test -- changed`: finds what a change can break from the dependencies between files.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { codeFiles, dependents, needsOf } from './imports.mjs';
import { Failure } from './processes.mjs';
import { ROOT } from './project.mjs';

/** Changes here only have an effect in an editor with the packaged extension. */
const SEEN_IN_EDITOR = [
  ...['src/extension/', 'webview/', 'media/', 'l10n/', 'test/host/', 'test/e2e/support/', 'scripts/lib/'],
  ...[
    'package.json',
    'package.nls.json',
    'package-lock.json',
    'esbuild.mjs',
    'scripts/package.mjs',
    '.vscodeignore',
  ],
];

/** The part of a feature that runs in the extension host. */
const HOST = /^src\/features\/[^/]+\/host\//u;

/** Pictures for the README do not ship. */
const NOT_SHIPPED = 'media/screenshots/';

/** Tests that read the whole repository or its documents. */
const ALWAYS = /^test\/unit\/[^/]+\.test\.ts$/u;

/** The test of a single panel in a browser, named after the panel's folder. */
const PANEL_TEST = /^test\/e2e\/(\w+)-webview\.test\.ts$/u;

const TYPED = /\.ts$|^(?:tsconfig|package|package-lock)\.json$/u;

/** Everything depends on these. */
const EVERYTHING = ['package.json', 'package-lock.json', 'tsconfig.json', 'scripts/test.mjs'];

/**
 * The files that each part of `npm test` runs; a part without files is skipped.
 *
 * @param {readonly string[]} changed paths from the root, of files that may be deleted
 * @param {Map<string, ReadonlySet<string>>} needs of every file of code
 * @returns {Record<'lint' | 'typecheck' | 'audit' | 'unit' | 'engine' | 'host' | 'e2e', string[]>}
 */
export function chosenBy(changed, needs) {
  const everything = changed.some((file) => EVERYTHING.includes(file));
  const inEditor = changed.filter(
    (file) =>
      (HOST.test(file) || SEEN_IN_EDITOR.some((one) => file.startsWith(one))) &&
      !file.startsWith(NOT_SHIPPED),
  );
  const reached = dependents(needs, changed);
  const isReached = (file) => everything || reached.has(file) || (changed.length > 0 && ALWAYS.test(file));
  return {
    lint: [...changed],
    typecheck: changed.filter((file) => TYPED.test(file)),
    audit: changed.filter((file) => file === 'package-lock.json'),
    unit: testsUnder(needs, 'test/unit').filter(isReached),
    engine: testsUnder(needs, 'test/engine').filter(isReached),
    // The extension host has no frame that could show a panel.
    host: testsUnder(needs, 'test/host').filter(() => inEditor.some((one) => !one.startsWith('webview/'))),
    e2e: testsUnder(needs, 'test/e2e').filter((file) => {
      const panel = PANEL_TEST.exec(file)?.[1];
      if (panel !== undefined) return isReached(file) || reachesPanel(reached, panel);
      // A journey installs the package, so it depends on the sources without importing them.
      return inEditor.length > 0 || changed.includes(file);
    }),
  };
}

/** A panel's test opens the panel's bundle instead of importing its sources. */
function reachesPanel(reached, panel) {
  return [...reached].some((file) => file.startsWith(`webview/${panel}/`));
}

function testsUnder(needs, folder) {
  return [...needs.keys()].filter((file) => file.startsWith(`${folder}/`) && file.endsWith('.test.ts'));
}

/**
 * Applies {@link chosenBy} to the work tree.
 *
 * @param {string | undefined} base a revision; defaults to the point where this branch left main, and on main to its
 *   newest commit
 * @throws Failure if there is no such revision
 */
export function chosenByTree(base) {
  const changed = changedFiles(base);
  const files = codeFiles();
  const chosen = chosenBy(changed, needsOf(files));
  const lint = chosen.lint.filter((file) => existsSync(join(ROOT, file)));
  return { changed, files: { ...chosen, lint } };
}

function changedFiles(base) {
  const since = base ?? (revision('main') ? git('merge-base', 'main', 'HEAD').trim() : 'HEAD');
  if (!revision(since)) throw new Failure(`There is no revision "${since}" to compare with.`);
  const names = [
    git('diff', '--name-only', '--no-renames', '-z', since),
    git('ls-files', '--others', '--exclude-standard', '-z'),
  ];
  return [...new Set(names.join('').split('\0').filter(Boolean))].sort();
}

function revision(name) {
  try {
    return git('rev-parse', '--verify', '--quiet', `${name}^{commit}`).trim();
  } catch {
    return undefined; // git says with its exit code that there is none
  }
}

function git(...args) {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
