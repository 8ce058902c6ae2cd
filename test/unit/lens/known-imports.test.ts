import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FILE, knownLibraries } from '../../../scripts/known-libraries.ts';
import { mayRetrieve } from '../../../src/features/lens/host/known-imports.ts';
import { builtInRules } from '../../../src/sites/rules/library.ts';
import { fixtureFiles } from '../sites/fixture-corpus.ts';

test('searches for what the rules list', async () => {
  assert.equal(readFileSync(FILE, 'utf8'), await knownLibraries(), 'run: node scripts/known-libraries.ts');
});

test('matches an import of every library of the rules, with one of its calls', () => {
  for (const { library, languages, imports, calls } of builtInRules())
    for (const module of imports) {
      const call = calls.map(({ names }) => names.join('(); ')).join('(); ');
      const name = module.replace('*', 'x');
      const lines = languages.map((language) =>
        language === 'python' ? `from ${name} import a; ${call}()` : `import a from '${name}'; ${call}()`,
      );
      // Python modules have no @ in their names; JavaScript ones may have a dash.
      assert.ok(lines.some(mayRetrieve), `${library}: ${module}`);
      if (/^[a-z@]/u.test(name) && languages.includes('javascript'))
        assert.ok(mayRetrieve(`import a from "${name}/b"; ${call}()`), `${library}: ${module}`);
    }
});

test('does not match a text that is too large or has too long a line', () => {
  const short = 'import chromadb\nstore.query()\n';
  assert.equal(mayRetrieve(`${short}${'x = 1\n'.repeat(40_000)}`), true);
  assert.equal(mayRetrieve(`${short}${'x = 1\n'.repeat(90_000)}`), false);
  assert.equal(mayRetrieve(`${short}x = "${'y'.repeat(20_001)}"\nz = 1`), false);
  assert.equal(mayRetrieve(`${short}x = "${'y'.repeat(19_000)}"\n${'z = 1\n'.repeat(1_000)}`), true);
});

test('matches every program of the fixture corpus with a call site', async () => {
  for (const { part, name, cells } of await fixtureFiles())
    if (part !== 'look-alikes') assert.ok(mayRetrieve(cells.map(({ text }) => text).join('\n')), name);
});

test('does not match a program without any of them', () => {
  assert.equal(mayRetrieve('import re\nimport numpy as np\nre.search("a", "b")\n'), false);
  assert.equal(mayRetrieve('const a = [1].map((b) => b);'), false);
});

test('matches every program among the examples of the rules', () => {
  for (const { library, examples } of builtInRules())
    for (const { code, finds } of examples)
      assert.ok(finds.length === 0 || mayRetrieve(code), `${library}:\n${code}`);
});
