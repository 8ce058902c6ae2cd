// Collects the texts of the extension host, for translators: `node scripts/l10n.mjs` writes
// l10n/bundle.l10n.json. (Those of package.json are in package.nls.json.)
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { isMain } from './lib/processes.mjs';
import { ROOT } from './lib/project.mjs';

const SOURCES = join(ROOT, 'src', 'extension');
const BUNDLE = join(ROOT, 'l10n', 'bundle.l10n.json');

/** The content of the bundle: every text given to `vscode.l10n.t`, in the order of the alphabet. */
export async function l10nBundle() {
  // It is CommonJS, and its parser is fetched only when it is asked to work.
  const { getL10nJson } = createRequire(import.meta.url)('@vscode/l10n-dev');
  const names = readdirSync(SOURCES, { recursive: true }).filter((name) => name.endsWith('.ts'));
  const files = names.sort().map((name) => ({
    extension: '.ts',
    contents: readFileSync(join(SOURCES, name), 'utf8'),
  }));
  const texts = Object.entries(await getL10nJson(files)).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(texts), null, 2)}\n`;
}

if (isMain(import.meta.url)) {
  mkdirSync(join(ROOT, 'l10n'), { recursive: true });
  writeFileSync(BUNDLE, await l10nBundle());
}
