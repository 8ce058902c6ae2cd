/** The likeness figures of an experiment, and their depth. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureName, parseMeasure } from '../../../src/core/metrics/measures.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { withFields } from '../../../src/engine/experiment/run-likeness.ts';
import { engineMethods } from '../../../src/shared/rpc.ts';
import { testWorkspace } from '../../fixtures/workspace.ts';

test('a share of documents adds those of field values, each once', () => {
  const named = (measures: readonly string[], fields: readonly string[]): string[] =>
    withFields(measures.map(parseMeasure), fields).map(measureName);
  assert.deepEqual(named(['MRecall@4', 'Documents@4', 'Documents@2'], ['author', 'site']), [
    ...['MRecall@4', 'Documents@4', 'Documents@2'],
    ...['Values(author)@4', 'Values(site)@4', 'Values(author)@2', 'Values(site)@2'],
  ]);
  assert.deepEqual(named(['Values(author)@4', 'Documents@4'], ['author']), [
    'Values(author)@4',
    'Documents@4',
  ]);
  assert.deepEqual(named(['MRecall@4', 'Folders@4'], ['author']), ['MRecall@4', 'Folders@4']);
});

test('likeness uses the deepest cutoff of each pipeline, and is skipped unless requested', async (t) => {
  const authors = ['Kim', 'Kim', 'Lee', 'Max'];
  const records = authors.map((author, n) =>
    JSON.stringify({ id: `r${n}`, text: `pupils sleep ${n}`, author }),
  );
  const own = await testWorkspace(t, {
    files: { 'docs/r.jsonl': records.join('\n') },
    corpora: { docs: { roots: ['docs'] } },
  });
  const query = { id: 'q', text: 'pupils', perspectives: [{ id: 'p', text: 'they sleep' }] };
  const metrics = async (...measures: readonly string[]): Promise<unknown[]> => {
    // Texts of four words are not recognized as English, so BM25's passages are compared by hashed words, too.
    const pipelines = [{ type: 'bm25' } as const, { type: 'dense', embedder: 'hashing' } as const].map(
      (retriever) => ({ name: retriever.type, pipeline: parsePipeline({ retriever }) }),
    );
    const dataset = { name: 'set', corpus: 'docs', evalSet: 'set.jsonl', queries: [query] };
    const asked = { dataset, pipelines, k: 1, judge: 'labels', views: [], pool: false, measures };
    const report = await own.request('experiment', engineMethods.experiment.params.parse(asked));
    return report.pipelines.map(({ metrics: found, vectors }) => ({ ...found, vectors }));
  };
  const figures = { 'Documents@4': 1, 'Unrepeated@1': 1, 'Values(author)@4': 0.75, vectors: 'hashing' };
  assert.deepEqual(await metrics('Unrepeated@1', 'Documents@4'), [figures, figures]);
  const plain = { 'MRecall@1': 0, vectors: undefined };
  assert.deepEqual(await metrics('MRecall@1'), [plain, plain]);
});
