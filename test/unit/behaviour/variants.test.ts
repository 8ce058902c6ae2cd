import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askedFor, asksRetrieverAlone, derivedVariants } from '../../../src/core/behaviour/variants.ts';
import { parsePipeline, type PipelineInput } from '../../../src/core/pipeline.ts';
import { namedPipelines } from '../../../src/shared/behaviour.ts';

const of = (input: PipelineInput) => parsePipeline(input);
const QDRANT = { type: 'qdrant', collection: 'c', embedder: 'e' } as const;

test('λ is said to each store in its own words', () => {
  const qdrant = derivedVariants(of({ retriever: { ...QDRANT, mmr: { diversity: 0.3 } } }));
  assert.deepEqual(
    [qdrant.lambda0?.retriever, qdrant.lambda1?.retriever, qdrant.withoutMmr?.retriever].map((retriever) =>
      retriever?.type === 'qdrant' ? retriever.mmr?.diversity : 'none',
    ),
    [1, 0, undefined],
  );
  const search = { type: 'opensearch', index: 'i', mode: 'knn', vectorField: 'v', embedder: 'e' } as const;
  const elastic = derivedVariants(
    of({ retriever: { ...search, engine: 'elasticsearch', mmr: { lambda: 0.3 } } }),
  );
  const told = elastic.lambda1?.retriever;
  assert.equal(told?.type === 'opensearch' && told.mmr?.lambda, 1);
  const open = derivedVariants(of({ retriever: { ...search, mmr: { diversity: 0.3 } } })).lambda1?.retriever;
  assert.equal(open?.type === 'opensearch' && open.mmr?.diversity, 0);
});

test('steps of Parallax and filters of stores are changed by themselves, nothing else is', () => {
  const mmr = derivedVariants(of({ retriever: { type: 'bm25' }, rerank: [{ type: 'mmr', lambda: 0.5 }] }));
  assert.deepEqual(mmr.lambda0?.rerank, [{ type: 'mmr', lambda: 0, embedder: 'hashing' }]);
  assert.deepEqual(mmr.withoutMmr?.rerank, []);
  const encoder = derivedVariants(
    of({ retriever: { type: 'bm25' }, rerank: [{ type: 'cross-encoder', path: 'm' }] }),
  );
  assert.deepEqual(encoder.withoutRerank?.rerank, []);
  const filtered = derivedVariants(of({ retriever: { ...QDRANT, filter: { must: [] } } })).withoutFilter;
  assert.ok(filtered?.retriever.type === 'qdrant' && filtered.retriever.filter === undefined);
  assert.deepEqual(Object.keys(derivedVariants(of({ retriever: { type: 'bm25' } }))), []);
  const table = { type: 'postgres', database: 'd', user: 'u', table: 't', mode: 'text' } as const;
  assert.deepEqual(Object.keys(derivedVariants(of({ retriever: table }))), []);
  assert.ok(derivedVariants(of({ retriever: { ...table, where: { kind: 'a' } } })).withoutFilter);
});

test('a question is asked as it is first, and never in other words of a file of results', () => {
  const variantsOf = (input: PipelineInput): string[] =>
    askedFor('Why?', of(input), {}).map(({ variant }) => variant);
  assert.deepEqual(variantsOf({ retriever: { type: 'bm25' } }), ['plain', 'again', 'deeper', 'reworded']);
  assert.deepEqual(variantsOf({ retriever: { type: 'run', file: 'r' } }), ['plain', 'again', 'deeper']);
  const tight: PipelineInput = {
    retriever: { type: 'bm25' },
    rerank: [{ type: 'mmr' }],
    k: 5,
    candidates: 9,
  };
  assert.ok(!variantsOf(tight).includes('deeper'), 'more passages would be chosen from other candidates');
  const [reworded] = askedFor('why', of({ retriever: { type: 'bm25' } }), {}).slice(-1);
  assert.equal(reworded?.question, 'why?');
});

test('a retriever of the user is asked alone where nothing follows it', () => {
  assert.equal(asksRetrieverAlone(of({ retriever: QDRANT })), true);
  assert.equal(asksRetrieverAlone(of({ retriever: QDRANT, rerank: [{ type: 'mmr' }] })), false);
  assert.equal(asksRetrieverAlone(of({ retriever: { type: 'bm25' } })), false);
});

test('a variant that no pipeline is called by is told', () => {
  const pipelines = { a: of({ retriever: { type: 'bm25' } }), b: of({ retriever: { type: 'dense' } }) };
  assert.deepEqual(namedPipelines('a', { pipelines, behaviour: { a: { lambda0: 'b' } } }), {
    lambda0: pipelines.b,
  });
  assert.deepEqual(namedPipelines('toString', { pipelines, behaviour: {} }), {});
  assert.throws(() => namedPipelines('a', { pipelines, behaviour: { a: { nextPage: 'constructor' } } }), {
    id: 'bad-config',
    message: /behaviour\.a\.nextPage is "constructor"/u,
  });
});
