/** Every text that the editor shows for Parallax can be translated and reaches translators. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { l10nBundle } from '../../scripts/l10n.mjs';

const PLACEHOLDER = /^%([\w.-]+)%$/u;

/** Keys of package.json whose values the editor shows. */
const SHOWN = new Set([
  ...['title', 'description', 'markdownDescription', 'displayName', 'userDescription', 'label'],
  ...['contents', 'contextualTitle', 'altText', 'deprecationMessage', 'markdownDeprecationMessage'],
  ...['enumDescriptions', 'markdownEnumDescriptions', 'enumItemLabels'],
]);

/** For models, not for people: compared with the code in English. */
const FOR_MODELS = new Set(['modelDescription', 'inputSchema']);

/** Equal in every language. */
const NAME = 'Parallax';

/** The texts that are shown below a value of package.json, with their places. */
function shownIn(value: unknown, path: readonly string[]): { path: string; text: string }[] {
  if (typeof value === 'string') {
    const [key = '', parent = ''] = path.toReversed();
    const isShown = SHOWN.has(key) || SHOWN.has(parent) || (key === 'name' && path.includes('views'));
    return isShown && value !== NAME ? [{ path: path.join('.'), text: value }] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .filter(([key]) => !FOR_MODELS.has(key))
    .flatMap(([key, inner]) => shownIn(inner, [...path, key]));
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, unknown>;
const texts = JSON.parse(readFileSync('package.nls.json', 'utf8')) as Record<string, string>;
const { description, capabilities, contributes } = manifest;
const shown = shownIn({ description, capabilities, contributes }, []);

test('texts of package.json are in package.nls.json', () => {
  assert.ok(shown.length > 100);
  assert.deepEqual(
    shown.filter(({ text }) => !PLACEHOLDER.test(text)),
    [],
    'put these texts into package.nls.json, and %key% in their place',
  );
});

test('package.nls.json has exactly the texts in use', () => {
  const asked = new Set(shown.map(({ text }) => PLACEHOLDER.exec(text)?.[1]));
  assert.deepEqual(Object.keys(texts).sort(), [...asked].sort());
  assert.deepEqual(
    Object.entries(texts).filter(([, text]) => text.trim() === ''),
    [],
  );
});

test('the bundle for translators is up to date', async () => {
  const message = 'run: node scripts/l10n.mjs';
  assert.equal(readFileSync('l10n/bundle.l10n.json', 'utf8'), await l10nBundle(), message);
});

test('the bundle has texts of every process, in every form of lookup', async () => {
  const texts = new Set(Object.keys(JSON.parse(await l10nBundle()) as Record<string, string>));
  for (const [where, text] of [
    ['the extension host', 'Set Key'],
    ['the engine', 'The corpus "{0}" is not indexed yet.'],
    ['a panel', 'Ask a question…'],
    ['a panel, with a template', 'covered at rank {0}'],
    ['a panel, with a hint for translators', 'Open/A button: a verb'],
  ] as const)
    assert.ok(texts.has(text), `${where}: ${text}`);
});

test('no text has character escapes, which the collector would misread', () => {
  const ESCAPED = /l10n\.t(?:`|\(\s*(?:\{\s*message:\s*)?['"])[^`'"]*\\[ux]/u;
  const names = ['src', 'webview'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  const sources = names.filter((name) => name.endsWith('.ts'));
  assert.ok(sources.length > 100);
  assert.deepEqual(
    sources.filter((name) => ESCAPED.test(readFileSync(name, 'utf8'))),
    [],
  );
});
