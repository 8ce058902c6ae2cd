/**
 * OpenSearch and Elasticsearch by contract, because no server can be installed here. Requests are validated against
 * published specifications: for OpenSearch its API specification 0.3.0 (spec/namespaces/_core.yaml and indices.yaml,
 * spec/schemas/_common.query_dsl.yaml and _core.search.yaml, at commit fbe9ede of opensearch-api-specification), and
 * for `ext.mmr`, which it does not define, the page "Vector search with MMR reranking" of its documentation (3.3 and
 * later); for Elasticsearch specification/_global/search/SearchRequest.ts, _types/Knn.ts and _types/Retriever.ts at
 * commit 9d9b9a5 of elasticsearch-specification. The schemas here have the field names of those.
 */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import * as z from 'zod';
import { ABOUT_FIELDS } from '../../../../src/core/external/about-record.ts';
import { parsePipeline } from '../../../../src/core/pipeline.ts';
import { pipelineLabel } from '../../../../src/core/pipeline-label.ts';
import {
  startContract,
  type ContractRequest,
  type ContractServer,
  type Route,
} from '../../../fixtures/stores/contract-server.ts';
import { closedPort, openStore, silentPort, storeSpec } from './support.ts';

const int = z.number().int();
const uint = int.min(0);
const vector = z.array(z.number());

const match = z.strictObject({
  match: z.record(
    z.string(),
    z.strictObject({ query: z.string(), operator: z.enum(['and', 'or']).optional() }),
  ),
});
const term = z.strictObject({ term: z.record(z.string(), z.json()) });
const matchAll = z.strictObject({ match_all: z.strictObject({}) });
const ids = z.strictObject({ ids: z.strictObject({ values: z.array(z.string()) }) });
const terms = z.strictObject({ terms: z.record(z.string(), z.array(z.string())) });
const bool = z.strictObject({
  bool: z.strictObject({
    must: z.array(match).optional(),
    filter: z.array(z.union([term, ids, terms])).optional(),
  }),
});
const byWords = z.union([match, bool]);
const source = z.union([z.boolean(), z.array(z.string())]);
const paging = {
  from: uint.optional(),
  size: uint.max(10_000).optional(),
  sort: z.array(z.enum(['_doc', '_score'])).optional(),
  _source: source.optional(),
  fields: z.array(z.string()).optional(),
};

/** KnnQuery of OpenSearch: by field. */
const openSearchKnn = z.strictObject({
  knn: z.record(
    z.string(),
    z.strictObject({
      vector,
      k: int.min(1).max(10_000).optional(),
      filter: term.optional(),
      method_parameters: z.strictObject({ ef_search: int.optional() }).optional(),
    }),
  ),
});
const openSearchBody = z.strictObject({
  ...paging,
  query: z
    .union([
      byWords,
      term,
      matchAll,
      ids,
      openSearchKnn,
      z.strictObject({ hybrid: z.strictObject({ queries: z.array(z.union([byWords, openSearchKnn])) }) }),
    ])
    .optional(),
  ext: z
    .strictObject({
      mmr: z.strictObject({
        diversity: z.number().min(0).max(1).optional(),
        candidates: int.optional(),
        vector_field_path: z.string().optional(),
        vector_field_data_type: z.string().optional(),
        vector_field_space_type: z.string().optional(),
      }),
    })
    .optional(),
});

/** KnnSearch and KnnRetriever of Elasticsearch: k is at most num_candidates. */
const elasticKnn = z
  .strictObject({
    field: z.string(),
    query_vector: vector,
    k: int.min(1),
    num_candidates: int.max(10_000),
    filter: term.optional(),
  })
  .refine(({ k, num_candidates }) => k <= num_candidates, 'k is larger than num_candidates');
const knnRetriever = z.strictObject({ knn: elasticKnn });
const elasticBody = z.strictObject({
  ...paging,
  query: z.union([byWords, term, matchAll, ids]).optional(),
  knn: elasticKnn.optional(),
  retriever: z
    .union([
      z.strictObject({
        rrf: z.strictObject({
          retrievers: z.array(
            z.union([z.strictObject({ standard: z.strictObject({ query: byWords }) }), knnRetriever]),
          ),
          rank_constant: int.min(1).optional(),
          rank_window_size: int.min(1).optional(),
        }),
      }),
      z.strictObject({
        diversify: z.strictObject({
          type: z.literal('mmr'),
          field: z.string(),
          retriever: knnRetriever,
          size: int.optional(),
          rank_window_size: int.optional(),
          query_vector: vector.optional(),
          lambda: z.number().min(0).max(1),
        }),
      }),
    ])
    .optional(),
});

const DIMENSIONS = 384;
const DOCUMENTS = [
  { _id: 'a', source: { body: { text: 'rivers' }, ref: 'p1', embedding: [1, 2] }, score: 7.5 },
  { _id: 'b', source: { body: { text: 'lakes' }, ref: 'p2', embedding: [3, 4] }, score: 2.5 },
  { _id: 'c', source: {}, score: 1 },
];

const hitsOf = (documents: readonly (typeof DOCUMENTS)[number][], fields: boolean): object => ({
  took: 2,
  timed_out: false,
  _shards: { total: 1, successful: 1, skipped: 0, failed: 0 },
  hits: {
    total: { value: DOCUMENTS.length, relation: 'eq' },
    max_score: documents[0]?.score ?? null,
    hits: documents.map(({ _id, source: _source, score: _score }) => ({
      _index: 'places-000001',
      _id,
      _score,
      ...(fields ? { fields: { embedding: _source.embedding ?? [] } } : { _source }),
    })),
  },
});

const failed = (status: number, type: string, reason: string): { status: number; body: object } => ({
  status,
  body: { error: { root_cause: [{ type, reason }], type, reason }, status },
});

interface Served {
  readonly engine: 'opensearch' | 'elasticsearch';
  readonly dimensions?: number;
  readonly authorization?: string;
}

function startSearch(
  t: TestContext,
  { engine, dimensions = DIMENSIONS, authorization }: Served,
): Promise<ContractServer> {
  const body = engine === 'opensearch' ? openSearchBody : elasticBody;
  const guarded =
    (answer: (request: ContractRequest) => object) =>
    (request: ContractRequest): ReturnType<Route['answer']> => {
      if (authorization !== undefined && request.headers.authorization !== authorization)
        return engine === 'opensearch'
          ? { status: 401, body: 'Unauthorized', type: 'text/plain' }
          : failed(401, 'security_exception', 'unable to authenticate with provided credentials');
      const [index = ''] = request.path;
      return index === 'places'
        ? { body: answer(request) }
        : failed(404, 'index_not_found_exception', `no such index [${index}]`);
    };
  return startContract(t, [
    {
      method: 'POST',
      path: /^\/([^/]+)\/_search$/,
      parameters: z.strictObject({ search_pipeline: z.string().optional() }),
      body,
      answer: guarded((request) => {
        const asked = body.parse(request.body);
        const wanted = ids.safeParse(asked.query);
        const documents = wanted.success
          ? DOCUMENTS.filter(({ _id }) => wanted.data.ids.values.includes(_id))
          : DOCUMENTS.slice(asked.from ?? 0, (asked.from ?? 0) + (asked.size ?? 10));
        return hitsOf(documents, asked.fields !== undefined);
      }),
    },
    {
      method: 'POST',
      path: /^\/([^/]+)\/_count$/,
      body: z.strictObject({ query: z.union([matchAll, term]).optional() }),
      answer: guarded(() => ({
        count: DOCUMENTS.length,
        _shards: { total: 1, successful: 1, skipped: 0, failed: 0 },
      })),
    },
    {
      method: 'GET',
      path: /^\/([^/]+)\/_mapping$/,
      answer: guarded(() => ({
        'places-000001': {
          mappings: {
            properties: {
              body: { properties: { text: { type: 'text' } } },
              embedding:
                engine === 'opensearch'
                  ? { type: 'knn_vector', dimension: dimensions }
                  : { type: 'dense_vector', dims: dimensions, index: true, similarity: 'cosine' },
            },
          },
        },
      })),
    },
  ]);
}

const spec = (engine: Served['engine'], url: string, extra: object = {}): object => ({
  type: 'opensearch',
  engine,
  url,
  index: 'places',
  textField: 'body.text',
  idField: 'ref',
  ...extra,
});
const KNN = { mode: 'knn', vectorField: 'embedding', embedder: 'hashing' };
const QUERY = { text: 'rivers "and" {lakes}' };
const FILTER = { term: { lang: 'en' } };
const ENGINES = ['opensearch', 'elasticsearch'] as const;

for (const engine of ENGINES) {
  const lastBody = ({ seen }: ContractServer): Record<string, unknown> =>
    seen.at(-1)!.body as Record<string, unknown>;

  test(`${engine}: a search by words`, async (t) => {
    const server = await startSearch(t, { engine });
    const results = await openStore(t, spec(engine, server.url, { filter: FILTER })).search(QUERY, 3);
    assert.deepEqual(results, [
      { key: 'a', id: 'p1', text: 'rivers', score: 7.5 },
      { key: 'b', id: 'p2', text: 'lakes', score: 2.5 },
      { key: 'c', score: 1 },
    ]);
    assert.deepEqual(lastBody(server), {
      _source: ['body.text', 'ref', ...ABOUT_FIELDS],
      size: 3,
      query: { bool: { must: [{ match: { 'body.text': { query: QUERY.text } } }], filter: [FILTER] } },
    });
  });

  test(`${engine}: a search by vector, with filter and breadth`, async (t) => {
    const server = await startSearch(t, { engine });
    await openStore(t, spec(engine, server.url, { ...KNN, filter: FILTER, ef: 200 })).search(QUERY, 3);
    const body = lastBody(server);
    if (engine === 'opensearch') {
      const { embedding } = openSearchKnn.parse(body['query']).knn;
      assert.equal(embedding!.vector.length, DIMENSIONS);
      assert.deepEqual(
        { ...embedding, vector: [] },
        { vector: [], k: 3, filter: FILTER, method_parameters: { ef_search: 200 } },
      );
    } else {
      const knn = elasticKnn.parse(body['knn']);
      assert.equal(knn.query_vector.length, DIMENSIONS);
      assert.deepEqual(
        { ...knn, query_vector: [] },
        { field: 'embedding', query_vector: [], k: 3, num_candidates: 200, filter: FILTER },
      );
    }
  });

  test(`${engine}: words and vector together`, async (t) => {
    const server = await startSearch(t, { engine });
    const hybrid = { ...KNN, mode: 'hybrid', ...(engine === 'opensearch' ? { pipeline: 'norm' } : {}) };
    await openStore(t, spec(engine, server.url, hybrid)).search(QUERY, 4);
    const body = lastBody(server);
    if (engine === 'opensearch') {
      assert.equal((body['query'] as { hybrid: { queries: unknown[] } }).hybrid.queries.length, 2);
      assert.deepEqual(server.seen.at(-1)!.parameters, { search_pipeline: 'norm' });
    } else
      assert.deepEqual(
        { ...(body['retriever'] as { rrf: object }).rrf, retrievers: [] },
        { retrievers: [], rank_constant: 60, rank_window_size: 4 },
      );
  });

  test(`${engine}: its MMR with its direction of λ`, async (t) => {
    const server = await startSearch(t, { engine });
    const mmr = engine === 'opensearch' ? { diversity: 0.7 } : { lambda: 0.3, size: 20 };
    const input = spec(engine, server.url, { ...KNN, mmr: { ...mmr, candidates: 50 } });
    const results = await openStore(t, input).search(QUERY, 100);
    const body = lastBody(server);
    if (engine === 'opensearch') {
      assert.equal(body['size'], 50);
      assert.deepEqual(body['ext'], { mmr: { diversity: 0.7, candidates: 50 } });
    } else {
      const { diversify } = body['retriever'] as { diversify: Record<string, unknown> };
      assert.deepEqual(
        [diversify['lambda'], diversify['size'], diversify['rank_window_size'], body['size']],
        [0.3, 20, 50, 20],
      );
    }
    assert.deepEqual(
      results.map(({ score }) => score),
      [1, 1 / 2, 1 / 3],
    );
    assert.equal(
      pipelineLabel(parsePipeline({ retriever: storeSpec(input) })),
      engine === 'opensearch'
        ? 'OpenSearch kNN (places) + own MMR 0.3 on relevance (diversity 0.7), k = 5'
        : 'Elasticsearch kNN (places) + own MMR 0.3 on relevance, k = 5',
    );
    await openStore(t, input).vectors!.nearest(new Float32Array(DIMENSIONS), 3);
    assert.equal('ext' in lastBody(server) || 'retriever' in lastBody(server), false);
  });

  test(`${engine}: vectors, count and check`, async (t) => {
    const server = await startSearch(t, { engine });
    const store = openStore(t, spec(engine, server.url, KNN));
    assert.deepEqual([...(await store.vectors!.fetch(['b', 'gone']))], [['b', Float32Array.of(3, 4)]]);
    assert.equal(await store.count(), 3);
    assert.match((await store.check()).message, /the index "places" has 3 documents/);
  });

  test(`${engine}: records by id, or by the field with the id`, async (t) => {
    const server = await startSearch(t, { engine });
    const filtered = spec(engine, server.url, { filter: FILTER });
    const [record] = await openStore(t, filtered).records(['p1']);
    assert.deepEqual(record, { key: 'a', id: 'p1', text: 'rivers' });
    assert.deepEqual(lastBody(server)['query'], {
      bool: { filter: [{ terms: { ref: ['p1'] } }, FILTER] },
    });
    await openStore(t, { ...filtered, idField: undefined }).records(['a', 'b']);
    assert.deepEqual(lastBody(server)['query'], {
      bool: { filter: [{ ids: { values: ['a', 'b'] } }, FILTER] },
    });
  });

  test(`${engine}: errors are reported in a sentence`, async (t) => {
    const failure = (message: RegExp): object => ({ id: 'retriever-failed', message });
    const { url } = await startSearch(t, {
      engine,
      authorization: engine === 'opensearch' ? `Basic ${btoa('ada:secret')}` : 'ApiKey secret',
    });
    const search = (extra: object, keys: Record<string, string> = {}): Promise<unknown> =>
      openStore(t, spec(engine, url, extra), keys).search(QUERY, 1);
    const access = { key: 'search', ...(engine === 'opensearch' ? { user: 'ada' } : {}) };
    await assert.rejects(search({}), failure(/refuses access \(401.*check the stored key/));
    await assert.rejects(search(access, { search: 'wrong' }), failure(/refuses access/));
    await search(access, { search: 'secret' });
    await assert.rejects(
      search({ ...access, index: 'no where' }, { search: 'secret' }),
      failure(/has no index "no where" \(404: no such index \[no where\]\)/),
    );
    await assert.rejects(
      search({ ...access, ...KNN, vectorField: 'nothing' }, { search: 'secret' }),
      failure(/has no field "nothing" in the index "places"/),
    );
    const small = await startSearch(t, { engine, dimensions: 8 });
    await assert.rejects(
      openStore(t, spec(engine, small.url, KNN)).search(QUERY, 1),
      failure(/contains vectors of 8 dimensions, and the embedder "hashing" makes 384/),
    );
  });

  test(`${engine}: a busy, stopped, silent or different server`, async (t) => {
    let calls = 0;
    const { url } = await startContract(t, [
      {
        method: 'POST',
        path: /^\/places\/_count$/,
        body: z.json(),
        answer: () =>
          ++calls < 3
            ? failed(429, 'es_rejected_execution_exception', 'rejected execution')
            : { body: { count: 5 } },
      },
      { method: 'POST', path: /^\/other\/_count$/, body: z.json(), answer: () => ({ body: { hello: 1 } }) },
    ]);
    assert.equal(await openStore(t, spec(engine, url)).count(), 5);
    assert.equal(calls, 3);
    await assert.rejects(openStore(t, spec(engine, url, { index: 'other' })).count(), {
      message: /did not answer as OpenSearch does to _count/,
    });
    await assert.rejects(openStore(t, spec(engine, `http://127.0.0.1:${await closedPort()}`)).count(), {
      message: /could not be reached: .*ECONNREFUSED.*is it running\?$/,
    });
    const silent = `http://127.0.0.1:${await silentPort(t)}`;
    await assert.rejects(openStore(t, spec(engine, silent, { timeoutMs: 300 })).count(), {
      message: /did not answer within 0\.3 s/,
    });
    const abort = new AbortController();
    const cancelled = openStore(t, spec(engine, silent)).count(abort.signal);
    setTimeout(() => abort.abort(), 50);
    await assert.rejects(cancelled, { id: 'cancelled' });
  });
}
