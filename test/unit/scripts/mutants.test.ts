/** The tests that `npm run mutants` runs, and the names of its results. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { resultsName, testsAt, testsOf } from '../../../scripts/mutants.mjs';
import { strykerPlugins } from '../../../scripts/mutants/node-runner.mjs';

test('mutants of the room of experiments run the tests of its views, of likeness and of the web', () => {
  const tests = testsOf(['src/engine/experiment']);
  for (const name of ['eval-command', 'nothing-judged', 'view-analyses', 'view-tuning', 'view-pool'])
    assert.ok(tests.includes(`test/engine/cli/${name}.test.ts`), name);
  for (const folder of ['experiment', 'gate', 'compare', 'likeness', 'web-corpus']) {
    const here = readdirSync(`test/engine/${folder}`).map((file) => `test/engine/${folder}/${file}`);
    assert.ok(
      here.some((file) => tests.includes(file)),
      folder,
    );
  }
});

test('a run can be restricted to tests of given files and folders', () => {
  const one = 'test/engine/experiment/pir-task.test.ts';
  assert.deepEqual(testsAt([one]), [one]);
  const folder = testsAt(['test/engine/experiment']);
  assert.ok(
    folder.includes(one) && folder.every((file) => /^test\/engine\/experiment\/.*\.test\.ts$/u.test(file)),
  );
  assert.throws(() => testsAt(['test/engine/exper']), /There are no tests at test\/engine\/exper\./u);
});

test('results are named after the mutated files, or by a hash if that is long', () => {
  assert.equal(resultsName(['src/core/metrics', 'src/core/text']), 'src-core-metrics+src-core-text');
  const many = Array.from({ length: 12 }, (_, at) => `src/engine/experiment/experiment-report-${at}.ts`);
  const [name, other] = [resultsName(many), resultsName(many.slice(0, -1))];
  assert.match(name, /^src-engine-experiment-experiment-report-0\.ts\+.*-[0-9a-f]{12}$/u);
  assert.equal(name.length, 100);
  assert.notEqual(name, other);
  assert.equal(name, resultsName(many));
});

test('texts of sentences are not mutated', () => {
  const ignorer = strykerPlugins.find(({ name }) => name === 'sentences')!;
  assert.ok('value' in ignorer);
  const { shouldIgnore } = ignorer.value as { shouldIgnore: (path: object) => string | undefined };
  const callee = { type: 'MemberExpression', property: { name: 't' } };
  const said = [
    { node: { type: 'StringLiteral' }, parent: { type: 'CallExpression', callee } },
    { node: { type: 'TemplateLiteral' }, parent: { type: 'TaggedTemplateExpression', tag: callee } },
    { node: { type: 'StringLiteral' }, parent: { type: 'NewExpression', callee: { name: 'TypeError' } } },
  ];
  for (const path of said) assert.equal(shouldIgnore(path), 'the words of a sentence', path.parent.type);
  const raw = { type: 'MemberExpression', property: { name: 'raw' } };
  const code = { type: 'TaggedTemplateExpression', tag: raw };
  assert.equal(shouldIgnore({ node: { type: 'TemplateLiteral' }, parent: code }), undefined);
});
