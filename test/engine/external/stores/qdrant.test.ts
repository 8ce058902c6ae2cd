/**
 * Qdrant by contract, because no server can be installed here. Requests are validated against Qdrant's published REST
 * API, version 1.18 (docs/redoc/v1.18.x/openapi.json of its repository); answers and errors have the forms of the same
 * description. The fields of each schema below are those of its schema of the same name.
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

const uint = z.number().int().min(0);
const extendedPointId = z.union([uint, z.uuid()]);
const vector = z.array(z.number());
const withVector = z.union([z.boolean(), z.array(z.string())]);
const withPayload = z.union([
  z.boolean(),
  z.array(z.string()),
  z.strictObject({ include: z.array(z.string()) }),
  z.strictObject({ exclude: z.array(z.string()) }),
]);
const conditions = z.union([z.json(), z.array(z.json())]);
const filter = z.strictObject({
  should: conditions.optional(),
  min_should: z.json().optional(),
  must: conditions.optional(),
  must_not: conditions.optional(),
});
const mmr = z.strictObject({
  diversity: z.number().min(0).max(1).optional(),
  candidates_limit: uint.max(16_384).optional(),
});
const queryRequest = z.strictObject({
  shard_key: z.json().optional(),
  prefetch: z.json().optional(),
  query: z.union([vector, z.strictObject({ nearest: vector, mmr: mmr.optional() })]).optional(),
  using: z.string().optional(),
  filter: filter.optional(),
  params: z
    .strictObject({
      hnsw_ef: uint.optional(),
      exact: z.boolean().optional(),
      quantization: z.json().optional(),
      indexed_only: z.boolean().optional(),
      acorn: z.json().optional(),
    })
    .optional(),
  score_threshold: z.number().optional(),
  limit: uint.min(1).optional(),
  offset: uint.optional(),
  with_vector: withVector.optional(),
  with_payload: withPayload.optional(),
  lookup_from: z.json().optional(),
});
const scrollRequest = z.strictObject({
  shard_key: z.json().optional(),
  offset: extendedPointId.optional(),
  limit: uint.min(1).optional(),
  filter: filter.optional(),
  with_payload: withPayload.optional(),
  with_vector: withVector.optional(),
  order_by: z.json().optional(),
});
const countRequest = z.strictObject({
  shard_key: z.json().optional(),
  filter: filter.optional(),
  exact: z.boolean().optional(),
});
const pointRequest = z.strictObject({
  shard_key: z.json().optional(),
  ids: z.array(extendedPointId),
  with_payload: withPayload.optional(),
  with_vector: withVector.optional(),
});
const consistency = z.strictObject({ consistency: z.string().optional(), timeout: z.string().optional() });

const DIMENSIONS = 384;
const POINTS = [
  { id: 7, payload: { doc: { text: 'rivers' }, ref: 'p7' } },
  { id: '11111111-2222-4333-8444-555555555555', payload: { doc: { text: 'lakes' }, ref: 'p8' } },
  { id: 9, payload: {} },
];
const KEY = 'secret';

const done = (result: unknown): { body: object } => ({
  body: { usage: null, time: 0.001, status: 'ok', result },
});
const failed = (status: number, error: string): { status: number; body: object } => ({
  status,
  body: { time: 0.001, status: { error } },
});

type Vectors = { size: number; distance: string } | Record<string, { size: number; distance: string }>;

async function startQdrant(
  t: TestContext,
  { vectors = { size: DIMENSIONS, distance: 'Cosine' }, key }: { vectors?: Vectors; key?: string } = {},
): Promise<ContractServer> {
  /** Every collection but `places` is missing. Without the key all requests are refused. */
  const guarded =
    (answer: (request: ContractRequest) => { body: object }) =>
    (request: ContractRequest): ReturnType<Route['answer']> => {
      if (key !== undefined && request.headers['api-key'] !== key)
        return {
          status: 401,
          body: 'Must provide an API key or an Authorization bearer token',
          type: 'text/plain',
        };
      const [collection] = request.path;
      return collection === 'places'
        ? answer(request)
        : failed(404, `Not found: Collection \`${collection}\` doesn't exist!`);
    };
  const at = (suffix: string): RegExp => new RegExp(`^/prefix/collections/([^/]+)${suffix}$`);
  const named = 'size' in vectors ? undefined : Object.keys(vectors)[0];
  return startContract(t, [
    {
      method: 'GET',
      path: at(''),
      answer: guarded(() =>
        done({
          status: 'green',
          optimizer_status: 'ok',
          points_count: POINTS.length,
          segments_count: 1,
          config: { params: { vectors, shard_number: 1 }, hnsw_config: {}, optimizer_config: {} },
          payload_schema: {},
        }),
      ),
    },
    {
      method: 'POST',
      path: at('/points/query'),
      parameters: consistency,
      body: queryRequest,
      answer: guarded(({ body }) =>
        done({
          points: POINTS.slice(0, queryRequest.parse(body).limit).map(({ id, payload }, place) => ({
            id,
            payload,
            version: 3,
            score: 0.25 * (place + 1),
          })),
        }),
      ),
    },
    {
      method: 'POST',
      path: at('/points/count'),
      parameters: z.strictObject({ timeout: z.string().optional() }),
      body: countRequest,
      answer: guarded(() => done({ count: POINTS.length })),
    },
    {
      method: 'POST',
      path: at('/points/scroll'),
      parameters: consistency,
      body: scrollRequest,
      answer: guarded(({ body }) => {
        const { offset, limit = 10 } = scrollRequest.parse(body);
        const begin = Math.max(
          0,
          POINTS.findIndex(({ id }) => id === offset),
        );
        return done({
          points: POINTS.slice(begin, begin + limit),
          next_page_offset: POINTS[begin + limit]?.id ?? null,
        });
      }),
    },
    {
      method: 'POST',
      path: at('/points'),
      parameters: consistency,
      body: pointRequest,
      answer: guarded(({ body }) =>
        done(
          POINTS.filter(({ id }) => pointRequest.parse(body).ids.includes(id)).map(({ id, payload }) => ({
            id,
            payload,
            vector: named === undefined ? [1, 2] : { [named]: [3, 4] },
          })),
        ),
      ),
    },
  ]);
}

const spec = (url: string, extra: object = {}): object => ({
  type: 'qdrant',
  url: `${url}/prefix`,
  collection: 'places',
  embedder: 'hashing',
  textField: 'doc.text',
  ...extra,
});
const QUERY = { text: 'rivers' };

test('a search sends the described request, and reads ids, texts and scores', async (t) => {
  const { url, seen } = await startQdrant(t);
  const store = openStore(
    t,
    spec(url, {
      idField: 'ref',
      exact: true,
      ef: 64,
      filter: { must: [{ key: 'lang', match: { value: 'en' } }] },
    }),
  );
  assert.deepEqual(await store.search(QUERY, 3), [
    { key: '7', id: 'p7', text: 'rivers', score: 0.25 },
    { key: POINTS[1]!.id, id: 'p8', text: 'lakes', score: 0.5 },
    { key: '9', score: 0.75 },
  ]);
  const asked = seen.at(-1)!.body as z.output<typeof queryRequest>;
  assert.equal((asked.query as number[]).length, DIMENSIONS);
  assert.deepEqual(
    { ...asked, query: undefined },
    {
      query: undefined,
      limit: 3,
      with_payload: ['doc.text', 'ref', ...ABOUT_FIELDS],
      with_vector: false,
      params: { exact: true, hnsw_ef: 64 },
      filter: { must: [{ key: 'lang', match: { value: 'en' } }] },
    },
  );
});

test('records are fetched by id, or by the field with the id', async (t) => {
  const { url, seen } = await startQdrant(t);
  const wanted = { with_payload: ['doc.text', ...ABOUT_FIELDS], with_vector: false };
  assert.deepEqual(await openStore(t, spec(url)).records(['7', 'no point', POINTS[1]!.id as string]), [
    { key: '7', id: '7', text: 'rivers', about: { fields: { ref: 'p7' } } },
    { key: POINTS[1]!.id, id: POINTS[1]!.id, text: 'lakes', about: { fields: { ref: 'p8' } } },
  ]);
  assert.deepEqual(seen.at(-1)!.body, { ids: [7, POINTS[1]!.id], ...wanted });
  const lang = { must: [{ key: 'lang', match: { value: 'en' } }] };
  await openStore(t, spec(url, { idField: 'ref', filter: lang })).records(['p7']);
  assert.deepEqual((seen.at(-1)!.body as { filter: unknown }).filter, {
    must: [{ key: 'ref', match: { any: ['p7'] } }, lang],
  });
});

test('its MMR is asked with its direction of λ, from its whole pool, and labelled by relevance', async (t) => {
  const { url, seen } = await startQdrant(t);
  const input = spec(url, { mmr: { diversity: 0.7, candidates: 50 } });
  const results = await openStore(t, input).search(QUERY, 100);
  const { query, limit } = seen.at(-1)!.body as z.output<typeof queryRequest>;
  assert.deepEqual((query as { mmr: unknown }).mmr, { diversity: 0.7, candidates_limit: 50 });
  // More than the pool would need a larger pool.
  assert.equal(limit, 50);
  // In the order of the store, whatever scores it returns.
  assert.deepEqual(
    results.map(({ score }) => score),
    [1, 1 / 2, 1 / 3],
  );
  assert.equal(
    pipelineLabel(parsePipeline({ retriever: storeSpec(input) })),
    'Qdrant (places) + own MMR 0.3 on relevance (diversity 0.7), k = 5',
  );
  // Without MMR, if only neighbours are needed.
  await openStore(t, input).vectors!.nearest(new Float32Array(DIMENSIONS), 3);
  assert.ok(Array.isArray((seen.at(-1)!.body as z.output<typeof queryRequest>).query));
});

test('distances are turned into descending scores', async (t) => {
  const { url } = await startQdrant(t, { vectors: { size: DIMENSIONS, distance: 'Euclid' } });
  const results = await openStore(t, spec(url)).search(QUERY, 2);
  assert.deepEqual(
    results.map(({ score }) => score),
    [1 / 1.25, 1 / 1.5],
  );
});

test('vectors are fetched by point ids of both kinds, and by name if there are several', async (t) => {
  const keys = ['7', POINTS[1]!.id as string];
  const plain = await startQdrant(t);
  assert.deepEqual(
    [...(await openStore(t, spec(plain.url)).vectors!.fetch(keys))],
    keys.map((key) => [key, Float32Array.of(1, 2)]),
  );
  const several = await startQdrant(t, { vectors: { body: { size: DIMENSIONS, distance: 'Dot' } } });
  const store = openStore(t, spec(several.url, { vector: 'body' }));
  assert.deepEqual((await store.vectors!.fetch(['7'])).get('7'), Float32Array.of(3, 4));
  await store.search(QUERY, 1);
  assert.equal((several.seen.at(-1)!.body as z.output<typeof queryRequest>).using, 'body');
  await assert.rejects(openStore(t, spec(several.url)).search(QUERY, 1), {
    message: /has several vectors in each point of "places": name one of body as "vector"/,
  });
  await assert.rejects(openStore(t, spec(several.url, { vector: 'title' })).search(QUERY, 1), {
    message: /has no vector "title" in the points of "places"; there is body/,
  });
});

test('the store counts, is checked, and has first records', async (t) => {
  const { url } = await startQdrant(t);
  const store = openStore(t, spec(url));
  assert.equal(await store.count(), 3);
  assert.match((await store.check()).message, /the collection "places" has 3 points/);
  assert.deepEqual(await store.first!(2), [
    { key: '7', id: '7', text: 'rivers', about: { fields: { ref: 'p7' } } },
    { key: POINTS[1]!.id, id: POINTS[1]!.id, text: 'lakes', about: { fields: { ref: 'p8' } } },
  ]);
});

test('errors are reported in a sentence', async (t) => {
  const failure = (message: RegExp): object => ({ id: 'retriever-failed', message });
  const { url, seen } = await startQdrant(t, { key: KEY });
  await assert.rejects(
    openStore(t, spec(url)).search(QUERY, 1),
    failure(/refuses access \(401: Must provide an API key or an Authorization bearer token\); check/),
  );
  const withKey = (extra: object): ReturnType<typeof openStore> =>
    openStore(t, spec(url, { key: 'qdrant', ...extra }), { qdrant: KEY });
  assert.equal((await withKey({}).search(QUERY, 1)).length, 1);
  assert.equal(seen.at(-1)!.headers['api-key'], KEY);
  await assert.rejects(
    withKey({ collection: 'no where' }).search(QUERY, 1),
    failure(/has no collection "no where" \(404: Not found: Collection `no where` doesn't exist!\)/),
  );
  const small = await startQdrant(t, { vectors: { size: 8, distance: 'Cosine' } });
  await assert.rejects(
    openStore(t, spec(small.url)).search(QUERY, 1),
    failure(/contains vectors of 8 dimensions, and the embedder "hashing" makes 384/),
  );
});

test('temporary errors are retried, and others end in time', async (t) => {
  let calls = 0;
  const { url } = await startContract(t, [
    {
      method: 'POST',
      path: /^\/collections\/places\/points\/count$/,
      body: countRequest,
      answer: () => (++calls < 3 ? failed(503, 'Service unavailable: restarting') : done({ count: 1 })),
    },
    {
      method: 'POST',
      path: /^\/collections\/broken\/points\/count$/,
      body: countRequest,
      answer: () => failed(500, 'Service internal error: disk'),
    },
  ]);
  assert.equal(await openStore(t, { ...spec(url), url }).count(), 1);
  assert.equal(calls, 3);
  await assert.rejects(openStore(t, { ...spec(url), url, collection: 'broken' }).count(), {
    message: /answered 500: Service internal error: disk\.$/,
  });
  const gone = { ...spec(url), url: `http://127.0.0.1:${await closedPort()}` };
  await assert.rejects(openStore(t, gone).count(), {
    message: /could not be reached: .*ECONNREFUSED.*is it running\?$/,
  });
  const silent = { ...spec(url), url: `http://127.0.0.1:${await silentPort(t)}`, timeoutMs: 300 };
  await assert.rejects(openStore(t, silent).count(), { message: /did not answer within 0\.3 s/ });
  const abort = new AbortController();
  const cancelled = openStore(t, { ...silent, timeoutMs: 30_000 }).count(abort.signal);
  setTimeout(() => abort.abort(), 50);
  await assert.rejects(cancelled, { id: 'cancelled' });
});
