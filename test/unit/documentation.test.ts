/** Every link, picture, benchmark and script in README and docs exists. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';

const MANUAL = readdirSync('docs').filter((name) => name.endsWith('.md'));
const DEVELOPMENT = readdirSync('docs/development').map((name) => `development/${name}`);
const PAGES = ['README.md', 'CONTRIBUTING.md', ...[...MANUAL, ...DEVELOPMENT].map((name) => `docs/${name}`)];
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

const textOf = (page: string): string => readFileSync(page, 'utf8');

/** Anchors as GitHub derives them from headings. */
function anchorsOf(page: string): string[] {
  const outsideOfCode = textOf(page).replace(/^```[\s\S]*?^```/gmu, '');
  return [...outsideOfCode.matchAll(/^#+ (.+)$/gmu)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Relative links and pictures without a target. */
function brokenLinks(page: string): string[] {
  const targets = [...textOf(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/gu)].map(([, target]) => target!);
  return targets.filter((target) => {
    const [file, anchor] = target.split('#');
    const place = file ? path.join(path.dirname(page), file) : page;
    return !existsSync(place) || (anchor !== undefined && !anchorsOf(place).includes(anchor));
  });
}

describe('documentation', () => {
  for (const page of PAGES)
    test(`${page}: links, pictures, benchmarks and scripts exist`, () => {
      assert.deepEqual(brokenLinks(page), []);
      const benches = [...textOf(page).matchAll(/npm run bench -- ([a-z0-9-]+)/gu)].map(([, name]) => name!);
      assert.deepEqual(
        benches.filter((name) => !existsSync(`bench/${name}.ts`)),
        [],
      );
      const named = [...textOf(page).matchAll(/npm run ([a-z:]+)/gu)].map(([, name]) => name!);
      assert.deepEqual(
        named.filter((name) => scripts[name] === undefined),
        [],
      );
    });

  test('the README leads to every page of docs', () => {
    const unreached = MANUAL.filter((name) => !textOf('README.md').includes(`](docs/${name})`));
    assert.deepEqual(unreached, []);
  });
});
