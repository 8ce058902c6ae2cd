import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { recipes, recipeText } from '../../../src/features/capture/contract/recipes.ts';

test('each framework needs few lines, which the documentation repeats', () => {
  const documentation = readFileSync('docs/your-code.md', 'utf8');
  for (const recipe of recipes()) {
    assert.ok(recipe.code.length <= 5, recipe.framework);
    assert.ok(documentation.includes(`${recipe.framework}:\n\n`), recipe.framework);
    assert.ok(documentation.includes(`\n${recipeText(recipe)}\`\`\``), recipe.framework);
  }
  assert.equal(new Set(recipes().map(({ framework }) => framework)).size, recipes().length);
});

test('a comment names the packages to install', () => {
  const commentOf = { python: '# pip install ', javascript: '// npm install ' };
  for (const recipe of recipes()) assert.ok(recipeText(recipe).startsWith(commentOf[recipe.language]));
});
