// Collects the texts that users see, for translators: `node scripts/l10n.mjs` writes l10n/bundle.l10n.json.
// Translations are beside it, as bundle.l10n.<language>.json. (Texts of package.json are in package.nls.json, which
// scripts/contributions.ts writes; their translations are in package.nls.<language>.json.) The command line stays
// English: see src/cli/main.ts.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { isMain } from './lib/processes.mjs';
import { ROOT } from './lib/project.mjs';

const BUNDLE = join(ROOT, 'l10n', 'bundle.l10n.json');

/** The imports of the translating function: in the extension host, and everywhere else. */
const TRANSLATORS = ["import * as vscode from 'vscode';", "import * as l10n from '@vscode/l10n';"];

/** The content of the bundle: every text passed to `l10n.t`, in alphabetical order. */
export async function l10nBundle() {
  // A CommonJS module whose parser is loaded on demand.
  const { getL10nJson } = createRequire(import.meta.url)('@vscode/l10n-dev');
  // All sources are joined, because preparing each one takes longer than reading it.
  const contents = [...TRANSLATORS, ...sources().map(withoutTranslators)].join('\n');
  const texts = Object.entries(await getL10nJson([{ extension: '.ts', contents }]));
  return `${JSON.stringify(Object.fromEntries(texts.sort(([a], [b]) => (a < b ? -1 : 1))), null, 2)}\n`;
}

/** Every source that imports a translator. */
function sources() {
  return ['src', 'webview']
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true }).map((name) => join(folder, name)),
    )
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => readFileSync(join(ROOT, name), 'utf8'))
    .filter((source) => TRANSLATORS.some((line) => source.includes(line)));
}

function withoutTranslators(source) {
  return TRANSLATORS.reduce((text, line) => text.replace(line, ''), source);
}

if (isMain(import.meta.url)) {
  mkdirSync(join(ROOT, 'l10n'), { recursive: true });
  writeFileSync(BUNDLE, await l10nBundle());
}
