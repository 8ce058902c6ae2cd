import assert from 'node:assert/strict';
import test from 'node:test';
import { CompareChoices } from '../../../src/features/compare/host/compare-choices.ts';
import { configSchema } from '../../../src/shared/config.ts';

const STORE = { type: 'postgres', database: 'd', user: 'u', table: 'articles', embedder: 'hashing' };

const OWN = { own: { retriever: { type: 'bm25' } } };

function choicesWith(corpora: object, pipelines: object = OWN): string[] {
  const config = configSchema.parse({ corpora, pipelines });
  const choices = new CompareChoices({
    workspace: () => ({ open: true, config, evalQueries: [] }),
    shownCorpus: () => '',
    judgeSetting: () => 'auto',
    memory: { get: () => undefined, set: () => undefined },
  });
  return choices.pipelines.map(({ name }) => name);
}

test('offers pipelines with an index if a corpus has one', () => {
  assert.deepEqual(choicesWith({ docs: { roots: ['docs'] } }), [
    'own',
    'Words and meaning',
    'Words',
    'Meaning',
  ]);
  assert.deepEqual(choicesWith({ docs: { roots: ['docs'] }, articles: { store: STORE } }), [
    'own',
    'Words and meaning',
    'Words',
    'Meaning',
  ]);
  assert.deepEqual(choicesWith({ articles: { store: STORE } }), ['own']);
  assert.deepEqual(choicesWith({ docs: { roots: ['docs'] } }, {}), ['Words and meaning', 'Words', 'Meaning']);
});

test('shows built-in pipelines by their titles, unless another pipeline has that name', () => {
  const bm25 = { retriever: { type: 'bm25' } };
  const other = { retriever: { type: 'bm25', b: 0 } };
  const docs = { docs: { roots: ['docs'] } };
  assert.deepEqual(choicesWith(docs, { bm25, other }).slice(0, 2), ['Words', 'other']);
  assert.deepEqual(choicesWith(docs, { bm25, Words: other }).slice(0, 2), ['bm25', 'Words']);
});
