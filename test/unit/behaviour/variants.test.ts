import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHECKS } from '../../../src/features/behaviour/core/checks.ts';
import { checkTitle } from '../../../src/features/behaviour/core/titles.ts';
import {
  askedFor,
  asksRetrieverAlone,
  derivedVariants,
} from '../../../src/features/behaviour/core/variants.ts';
import { parsePipeline, type PipelineInput } from '../../../src/core/pipeline.ts';
import { namedPipelines } from '../../../src/features/behaviour/contract/behaviour.ts';

const of = (input: PipelineInput) => parsePipeline(input);
const QDRANT = { type: 'qdrant', collection: 'c', embedder: 'e' } as const;

test('λ has the form of each store', () => {
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

test('changes steps of Parallax and filters of stores one at a time', () => {
  const mmr = derivedVariants(of({ retriever: { type: 'bm25' }, rerank: [{ type: 'mmr', lambda: 0.5 }] }));
  assert.deepEqual(mmr.lambda0?.rerank, [{ type: 'mmr', lambda: 0, embedder: 'meaning' }]);
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

test('sends a question unchanged first, and never rephrased to a file of results', () => {
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
  for (const candidates of [10, 11])
    assert.ok(variantsOf({ ...tight, candidates }).includes('deeper'), String(candidates));
  const rewordedOf = (question: string) =>
    askedFor(question, of({ retriever: { type: 'bm25' } }), {}).at(-1)?.question;
  assert.deepEqual(['why', 'why ?!', ' Why so?'].map(rewordedOf), ['why?', 'why', 'why so']);
});

test('each change runs in its own pipeline, to the depth that it needs', () => {
  const mmr = { type: 'mmr', lambda: 0.5 } as const;
  const encoder = { type: 'cross-encoder', path: 'm' } as const;
  const own = of({ retriever: { ...QDRANT, filter: { must: [] } }, rerank: [encoder, mmr], k: 8 });
  const other = of({ retriever: { type: 'bm25' } });
  const asked = askedFor('Why?', own, { nextPage: other });
  assert.deepEqual(
    asked.map(({ variant, depth }) => [variant, depth]),
    [
      ['plain', 8],
      ['again', 8],
      ['deeper', 13],
      ['reworded', 8],
      ['lambda0', 8],
      ['lambda1', 8],
      ['withoutMmr', 13],
      ['withoutRerank', 50],
      ['withoutFilter', 8],
      ['nextPage', 8],
    ],
  );
  const stepsOf = (variant: string) =>
    asked.find((each) => each.variant === variant)?.pipeline.rerank.map(({ type }) => type);
  assert.deepEqual(
    [stepsOf('lambda0'), stepsOf('withoutMmr')],
    [['cross-encoder', 'mmr'], ['cross-encoder']],
  );
  assert.deepEqual([stepsOf('plain'), stepsOf('withoutRerank')], [['cross-encoder', 'mmr'], ['mmr']]);
  assert.equal(asked[0]?.pipeline, own);
  assert.ok(asked.every(({ question, variant }) => question === 'Why?' || variant === 'reworded'));
  assert.equal(asked.at(-1)?.pipeline, other);
  const many = { ...own, k: 60 };
  assert.equal(askedFor('Why?', many, {}).find(({ variant }) => variant === 'withoutRerank')?.depth, 65);
});

test('removes a filter in the form of each store, if there is one', () => {
  const unfiltered = (retriever: PipelineInput['retriever']) =>
    derivedVariants(of({ retriever })).withoutFilter?.retriever;
  const chroma = { type: 'chroma', collection: 'c', embedder: 'e' } as const;
  assert.equal(unfiltered(chroma), undefined);
  assert.equal(unfiltered(QDRANT), undefined);
  const bare = unfiltered({ ...chroma, where: { kind: 'a' } });
  assert.ok(bare?.type === 'chroma' && bare.where === undefined);
  const table = { type: 'postgres', database: 'd', user: 'u', table: 't', mode: 'text' } as const;
  const rows = unfiltered({ ...table, where: { kind: 'a' } });
  assert.ok(rows?.type === 'postgres' && rows.table === 't');
  assert.deepEqual(rows.where, {});
});

test('every check has its own title', () => {
  assert.equal(new Set(CHECKS.map(checkTitle)).size, CHECKS.length);
});

test('a custom retriever is called alone if no step follows it', () => {
  assert.equal(asksRetrieverAlone(of({ retriever: QDRANT })), true);
  assert.equal(asksRetrieverAlone(of({ retriever: QDRANT, rerank: [{ type: 'mmr' }] })), false);
  assert.equal(asksRetrieverAlone(of({ retriever: { type: 'bm25' } })), false);
  const retrievers = [{ type: 'bm25' as const }, QDRANT];
  assert.equal(asksRetrieverAlone(of({ retriever: { type: 'hybrid', retrievers } })), false);
});

test('reports a variant without a pipeline', () => {
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
