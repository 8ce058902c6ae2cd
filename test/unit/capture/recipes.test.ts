import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { recipes, recipeText } from '../../../src/features/capture/contract/recipes.ts';

test('each framework needs few lines, which the documentation has', () => {
  const documentation = readFileSync('docs/your-code.md', 'utf8');
  for (const { framework, language, install, code } of recipes()) {
    assert.ok(code.length <= 5, framework);
    const product = framework.replace(/ \(\w+\)$/u, '');
    assert.ok(documentation.includes(product), framework);
    const packages = install.split(' ').slice(2);
    for (const part of [...packages, ...code])
      assert.ok(documentation.includes(part), `${language}: ${part}`);
  }
  assert.equal(new Set(recipes().map(({ framework }) => framework)).size, recipes().length);
});

test('a comment names the packages to install', () => {
  const commentOf = { python: '# pip install ', javascript: '// npm install ' };
  for (const recipe of recipes()) assert.ok(recipeText(recipe).startsWith(commentOf[recipe.language]));
});
