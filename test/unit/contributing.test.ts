/** CONTRIBUTING.md and docs/development name existing things. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const TEXT = readFileSync('CONTRIBUTING.md', 'utf8');
const DEVELOPMENT = readdirSync('docs/development').map((name) => `docs/development/${name}`);

/** Text between backticks with a folder or a known extension, without patterns and commands. */
const PATH = /`((?:src|test|webview|scripts|bench|media|schemas)(?:\/[\w.-]+)*|[\w.-]+\.(?:mjs|json))`/gu;

const UNWRITTEN = new Set(['parallax.json']);

function pathsIn(text: string): string[] {
  return [...text.matchAll(PATH)].map(([, path]) => path!).filter((path) => !UNWRITTEN.has(path));
}

function missingPaths(text: string): string[] {
  return pathsIn(text).filter((path) => !existsSync(path));
}

test('CONTRIBUTING.md names existing paths only, and many of them', () => {
  assert.ok(pathsIn(TEXT).length > 60, `only ${pathsIn(TEXT).length} paths found`);
  assert.deepEqual(missingPaths(TEXT), []);
});

test('pages of docs/development name existing paths only, and CONTRIBUTING.md links each', () => {
  for (const page of DEVELOPMENT) {
    assert.deepEqual(missingPaths(readFileSync(page, 'utf8')), [], page);
    assert.ok(TEXT.includes(`](${page})`), page);
  }
});

test('CONTRIBUTING.md has at most 15 kB', () => {
  assert.ok(Buffer.byteLength(TEXT) <= 15_000, `${Buffer.byteLength(TEXT)} bytes`);
});

test('the map has every folder of src', () => {
  for (const name of readdirSync('src')) assert.ok(TEXT.includes(`\`src/${name}\``), name);
});

test('every part of npm test and every target of a package is named', async () => {
  const { TARGETS } = await import('../../scripts/lib/targets.mjs');
  const tools = readFileSync('docs/development/tools.md', 'utf8');
  for (const target of TARGETS) assert.match(tools, new RegExp(`\\b${target}\\b`, 'u'));
  const parts = /const PARTS = \{([^]*?)\n\};/u.exec(readFileSync('scripts/test.mjs', 'utf8'))?.[1] ?? '';
  const names = [...parts.matchAll(/^ {2}(\w+): \{/gmu)].map(([, name]) => name);
  assert.ok(names.length > 5);
  assert.match(TEXT, new RegExp(`only these of: ${names.join(' ')}`, 'u'));
});
