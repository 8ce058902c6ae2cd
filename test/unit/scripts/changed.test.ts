/** The selection of `npm test -- changed`. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chosenBy } from '../../../scripts/lib/changed.mjs';
import { codeFiles, dependents, needsOf } from '../../../scripts/lib/imports.mjs';

/** A small repository: two algorithms, an engine with a thread named by its path, and their tests. */
const FILES: Record<string, string> = {
  'src/core/sum.ts': 'export const sum = 1;',
  'src/core/mean.ts': "import { sum } from './sum.ts';",
  'src/core/types.ts': 'export interface Row { id: string }',
  'src/engine/thread.ts': "export * from '../core/mean.ts';",
  'src/engine/engine.ts': "new Worker(new URL('./thread.ts', import.meta.url));",
  'src/extension/main.ts': "await import('./app.ts');",
  'test/fixtures/rows/one.json': '',
  'webview/components/chip.ts': '',
  'webview/compare/main.ts':
    "import type { Row } from '../../src/core/types.ts';\nimport '../components/chip.ts';",
  'webview/map/main.ts': "import '../components/chip.ts';",
  'test/unit/all.test.ts': "readdirSync('src');",
  'test/unit/core/sum.test.ts': "import { sum } from '../../../src/core/sum.ts';",
  'test/unit/core/mean.test.ts': "import { mean } from '../../../src/core/mean.ts';\nimport './support.ts';",
  'test/unit/core/support.ts': "import type { Row } from '../../../src/core/types.ts';",
  'test/engine/run.test.ts': "fork('src/engine/engine.ts', ['test/fixtures/rows']);",
  'test/host/host.test.ts': '',
  'test/e2e/journey.test.ts': '',
  'test/e2e/panel.test.ts': '',
  'test/e2e/compare-webview.test.ts': '',
  'test/e2e/map-webview.test.ts': '',
};
const CODE = Object.keys(FILES).filter((file) => file.endsWith('.ts'));
const FOLDERS = new Set(
  Object.keys(FILES).flatMap((file) => file.split('/').map((_, end, parts) => parts.slice(0, end).join('/'))),
);
const NEEDS = needsOf(
  CODE,
  (file) => FILES[file]!,
  (path) => (path in FILES ? 'file' : FOLDERS.has(path) ? 'folder' : undefined),
);

const chosen = (...changed: string[]) => chosenBy(changed, NEEDS);
/** The test files, without those that run after every change. */
const tests = (...changed: string[]): string[] => {
  const { unit, engine, host, e2e } = chosen(...changed);
  return [...unit, ...engine, ...host, ...e2e].filter((file) => file !== 'test/unit/all.test.ts');
};

describe('a change selects', () => {
  test('the tests that import it, directly or not, and through named paths', () => {
    assert.deepEqual(tests('src/core/sum.ts'), [
      ...['test/unit/core/sum.test.ts', 'test/unit/core/mean.test.ts'],
      'test/engine/run.test.ts',
    ]);
    assert.deepEqual(tests('src/engine/engine.ts'), ['test/engine/run.test.ts']);
  });

  test('tests through their support files, including types', () => {
    assert.deepEqual(chosen('src/core/types.ts').unit, [
      'test/unit/all.test.ts',
      'test/unit/core/mean.test.ts',
    ]);
  });

  test('the tests that receive its folder, even if the file is new or deleted', () => {
    assert.deepEqual(tests('test/fixtures/rows/two.json'), ['test/engine/run.test.ts']);
    assert.deepEqual(tests('src/core/sum.ts'), tests('src/core/sum.ts', 'src/core/gone.ts'));
  });

  test('itself if it is a test', () => {
    assert.deepEqual(tests('test/unit/core/sum.test.ts'), ['test/unit/core/sum.test.ts']);
    assert.deepEqual(tests('test/e2e/panel.test.ts'), ['test/e2e/panel.test.ts']);
  });

  test('tests that read the whole repository', () => {
    assert.deepEqual(chosen('README.md').unit, ['test/unit/all.test.ts']);
    assert.deepEqual(chosen().unit, []);
  });

  test('the editor only if the extension, a panel or the package changes', () => {
    const editor = ['test/host/host.test.ts', 'test/e2e/journey.test.ts', 'test/e2e/panel.test.ts'];
    for (const file of ['src/extension/main.ts', 'esbuild.mjs', 'l10n/bundle.l10n.json'])
      assert.deepEqual(tests(file), editor, file);
    assert.deepEqual(tests('media/screenshots/compare.png'), []);
    assert.deepEqual(tests('src/core/unused.ts'), []);
  });

  test('journeys and panel tests if their sources change, and no host', () => {
    const journeys = ['test/e2e/journey.test.ts', 'test/e2e/panel.test.ts'];
    const [compare, map] = ['test/e2e/compare-webview.test.ts', 'test/e2e/map-webview.test.ts'];
    assert.deepEqual(tests('webview/compare/main.ts'), [...journeys, compare]);
    assert.deepEqual(tests('webview/compare/main.ts', 'webview/map/main.ts'), [...journeys, compare, map]);
    assert.deepEqual(tests('webview/components/chip.ts'), [...journeys, compare, map]);
    assert.deepEqual(tests('src/core/types.ts'), ['test/unit/core/mean.test.ts', compare]);
  });

  test('every test if a common dependency changes', () => {
    const every = CODE.filter((file) => file.endsWith('.test.ts'));
    const { unit, engine, host, e2e } = chosen('package.json');
    assert.deepEqual([...unit, ...engine, ...host, ...e2e], every);
    assert.deepEqual(chosen('package-lock.json').audit, ['package-lock.json']);
  });
});

test('type checks only if a typed file changed, and lint of the changed files', () => {
  assert.deepEqual(chosen('README.md', 'src/core/sum.ts').typecheck, ['src/core/sum.ts']);
  assert.deepEqual(chosen('README.md').typecheck, []);
  assert.deepEqual(chosen('README.md').lint, ['README.md']);
});

test('limits the import distance', () => {
  assert.deepEqual([...dependents(NEEDS, ['src/core/sum.ts'], 1)].sort(), [
    'src/core/mean.ts',
    'src/core/sum.ts',
    'test/unit/core/sum.test.ts',
  ]);
});

test('in this repository, engine tests reach the engine and its threads', () => {
  const needs = needsOf(codeFiles());
  const thread = dependents(needs, ['src/engine/derivation/thread.ts']);
  assert.ok([...thread].some((file) => file.startsWith('test/engine/derivation/')));
  assert.ok(dependents(needs, ['scripts/lib/imports.mjs']).has('test/unit/scripts/changed.test.ts'));
  assert.ok(
    !dependents(needs, ['src/features/gate/cli/gate-command.ts']).has('test/unit/metrics/metrics.test.ts'),
  );
});

test('in this repository, a missing engine build is reported instead of waiting', () => {
  const needs = needsOf(codeFiles());
  const onEngine = dependents(needs, ['src/engine/kernels/kernel-memory.ts']);
  const guarded = dependents(needs, ['test/fixtures/built.ts']);
  const waiting = [...onEngine].filter(
    (file) => file.startsWith('test/engine/') && file.endsWith('.test.ts') && !guarded.has(file),
  );
  assert.deepEqual(waiting, []);
});
