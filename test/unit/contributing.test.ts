/** A map that leads nowhere is worse than none. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const TEXT = readFileSync('CONTRIBUTING.md', 'utf8');

/** Between backticks, with a folder or an ending that our files have; patterns and commands are none. */
const PATH = /`((?:src|test|webview|scripts|bench|media|schemas)(?:\/[\w.-]+)*|[\w.-]+\.(?:mjs|json))`/gu;

const UNWRITTEN = new Set(['parallax.json']);

test('every path in CONTRIBUTING.md exists', () => {
  const paths = [...TEXT.matchAll(PATH)].map(([, path]) => path!).filter((path) => !UNWRITTEN.has(path));
  assert.ok(paths.length > 80, `only ${paths.length} paths found`);
  assert.deepEqual(
    paths.filter((path) => !existsSync(path)),
    [],
  );
});

test('the map has every folder of src', () => {
  for (const name of readdirSync('src')) assert.ok(TEXT.includes(`| \`src/${name}\``), name);
});

test('every part of npm test, and every target of a package, is named', async () => {
  const { TARGETS } = await import('../../scripts/lib/targets.mjs');
  for (const target of TARGETS) assert.match(TEXT, new RegExp(`\\b${target}\\b`, 'u'));
  const parts = /const PARTS = \{([^]*?)\n\};/u.exec(readFileSync('scripts/test.mjs', 'utf8'))?.[1] ?? '';
  const names = [...parts.matchAll(/^ {2}(\w+): \{/gmu)].map(([, name]) => name);
  assert.ok(names.length > 5);
  assert.match(TEXT, new RegExp(`only these of: ${names.join(' ')}`, 'u'));
});
