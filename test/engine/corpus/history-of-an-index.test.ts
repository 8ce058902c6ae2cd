/** The results of an index do not depend on the history of its files: they equal those of a fresh index. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { testWorkspace } from '../../fixtures/workspace.ts';
import { assertAsFresh, corpora, history, PIPELINES, resultsOf } from './histories.ts';

test('any history of changes gives the results of a fresh index', () =>
  fc.assert(fc.asyncProperty(history, fc.boolean(), assertAsFresh), { numRuns: 5 }));

test('later documents are placed by their paths', async (t: TestContext) => {
  const workspace = await testWorkspace(t, {
    corpora,
    files: { 'docs/m.md': 'office', 'docs/z.md': 'office' },
  });
  await resultsOf(workspace);
  workspace.write('docs/a.md', 'office');
  await workspace.index('docs');
  for (const pipeline of PIPELINES) {
    const { candidates } = await workspace.request('search', {
      corpus: 'docs',
      query: { text: 'office' },
      perspectives: [],
      pipeline,
      judge: 'labels',
    });
    assert.deepEqual(
      candidates.map(({ documentId }) => documentId),
      ['docs/a.md', 'docs/m.md', 'docs/z.md'],
    );
    const { order } = await workspace.request('projections', {
      corpus: 'docs',
      query: { text: 'office' },
      perspectives: [{ id: 'p', text: 'cats' }],
      pipeline: PIPELINES[1]!,
      slots: candidates.map(({ slot }) => slot).toReversed(),
    });
    assert.deepEqual(order, [2, 1, 0]);
  }
});
