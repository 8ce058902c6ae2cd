import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isLanceFolder } from '../../../src/core/external/stores/lancedb.ts';
import {
  isSameCollection,
  isVectorStore,
  searchesApproximately,
  storeLabel,
} from '../../../src/core/external/store-types.ts';
import { postgres } from '../../../src/core/external/stores/postgres.ts';
import { STORES } from '../../../src/core/external/stores.gen.ts';
import { storeRetrieverSchema, type StoreRetriever } from '../../../src/core/external/stores.ts';
import { isExternal, parsePipeline } from '../../../src/core/pipeline.ts';
import { pipelineLabel } from '../../../src/core/pipeline-label.ts';
import { canSearchExactly, missingCorpusText, withExactSearch } from '../../../src/core/pipeline-needs.ts';
import { corpusOf } from '../../../src/features/gate/engine/eval-sets.ts';
import { configSchema } from '../../../src/shared/config.ts';
import { keyNames } from '../../../src/shared/key-names.ts';
import { conditionsOf } from '../../../src/engine/external/stores/postgres/postgres-filter.ts';
import { PostgresStatements } from '../../../src/engine/external/stores/postgres/postgres-statements.ts';

const CHROMA = { type: 'chroma', collection: 'c', embedder: 'e' } as const;
const POSTGRES = { type: 'postgres', database: 'd', user: 'u', table: 't' } as const;
const QDRANT = { type: 'qdrant', collection: 'c', embedder: 'e' } as const;
const OPENSEARCH = { type: 'opensearch', index: 'i' } as const;
const WEAVIATE = { type: 'weaviate', collection: 'C', embedder: 'e' } as const;
const PINECONE = { type: 'pinecone', url: 'https://articles-1a2b3c.example', embedder: 'e' } as const;
const AZURE = { type: 'azure-search', url: 'https://a.example', index: 'i', embedder: 'e' } as const;
const MILVUS = { type: 'milvus', collection: 'c', embedder: 'e' } as const;
const LANCE = { type: 'lancedb', uri: 'data/lance', table: 't', embedder: 'e' } as const;
const MONGO = { type: 'mongodb', database: 'd', collection: 'c', embedder: 'e' } as const;
const KNN = { ...OPENSEARCH, mode: 'knn', vectorField: 'v', embedder: 'e' } as const;

const store = (spec: object): StoreRetriever => storeRetrieverSchema.parse(spec);
const problemOf = (spec: object): string => {
  const { error } = storeRetrieverSchema.safeParse(spec);
  return error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ') ?? '';
};

test('stores are distinguished by what they search', () => {
  const labels: [object, string][] = [
    [CHROMA, 'Chroma (c)'],
    [{ ...POSTGRES, embedder: 'e' }, 'pgvector (t)'],
    [{ ...POSTGRES, mode: 'text' }, 'PostgreSQL full text (t)'],
    [{ ...POSTGRES, mode: 'bm25' }, 'PostgreSQL BM25 (t)'],
    [QDRANT, 'Qdrant (c)'],
    [{ ...QDRANT, mmr: {} }, 'Qdrant (c) + own MMR 0.5 on relevance (diversity 0.5)'],
    [OPENSEARCH, 'OpenSearch BM25 (i)'],
    [{ ...KNN, engine: 'elasticsearch', mode: 'hybrid' }, 'Elasticsearch hybrid (i)'],
    [{ ...KNN, mmr: { diversity: 0.3 } }, 'OpenSearch kNN (i) + own MMR 0.7 on relevance (diversity 0.3)'],
    [
      { ...KNN, engine: 'elasticsearch', mmr: { lambda: 0.6 } },
      'Elasticsearch kNN (i) + own MMR 0.6 on relevance',
    ],
    [{ ...WEAVIATE, mode: 'hybrid' }, 'Weaviate hybrid (C)'],
    [MILVUS, 'Milvus (c)'],
    [{ ...MILVUS, mode: 'bm25' }, 'Milvus BM25 (c)'],
    [PINECONE, 'Pinecone (articles-1a2b3c)'],
    [{ ...PINECONE, namespace: 'n' }, 'Pinecone (articles-1a2b3c/n)'],
    [AZURE, 'Azure AI Search (i)'],
    [LANCE, 'LanceDB (t)'],
    [{ ...MONGO, mode: 'text' }, 'MongoDB full text (c)'],
    [
      { ...AZURE, mode: 'text', semanticConfiguration: 's' },
      'Azure AI Search full text + semantic ranking (i)',
    ],
  ];
  for (const [spec, label] of labels) assert.equal(storeLabel(store(spec)), label);
  assert.equal(pipelineLabel(parsePipeline({ retriever: CHROMA, k: 3 })), 'Chroma (c), k = 3');
  assert.equal(isExternal(parsePipeline({ retriever: OPENSEARCH }).retriever), true);
});

test('refuses what a store cannot do', () => {
  const wrong: [object, RegExp][] = [
    [POSTGRES, /^embedder is missing: mode "vector" needs the embedder/],
    [{ ...OPENSEARCH, mode: 'knn' }, /vectorField is missing.*embedder is missing/],
    [{ ...KNN, mode: 'hybrid' }, /pipeline is missing/],
    [{ ...OPENSEARCH, mmr: { diversity: 0.5 } }, /mmr needs mode "knn"/],
    [{ ...KNN, mmr: { lambda: 0.5 } }, /mmr takes "diversity" in OpenSearch/],
    [{ ...KNN, mmr: { lambda: 0.5, diversity: 0.5 } }, /mmr takes "diversity" in OpenSearch/],
    [{ ...KNN, engine: 'elasticsearch', mmr: { diversity: 0.5 } }, /mmr takes "lambda" in Elasticsearch/],
    [
      { ...KNN, engine: 'elasticsearch', mmr: { lambda: 0.5, diversity: 0.5 } },
      /mmr takes "lambda" in Elasticsearch/,
    ],
    [{ type: 'postgres', table: 't', mode: 'text' }, /^database is missing.*; user is missing/],
    [{ type: 'postgres', table: 't', mode: 'text', database: 'd' }, /^user is missing/],
    [{ ...LANCE, uri: 's3://user:secret@bucket/path' }, /^uri contains a password/],
    [{ ...MONGO, url: 'mongodb://user:secret@host' }, /^url contains a password/],
    [{ ...MONGO, embedder: undefined }, /^embedder is missing/],
    [{ ...POSTGRES, password: 'secret', mode: 'text' }, /[Uu]nrecognized key/],
    [{ ...CHROMA, url: 'http://localhost:8000/path?tenant=a' }, /host, port and path only/],
    [{ ...QDRANT, url: 'https://user:pass@host' }, /keys are stored, not written here/],
    [{ ...OPENSEARCH, url: 'file:///etc/passwd' }, /http:\/\/ or https:\/\//],
    [{ ...WEAVIATE, collection: 'C { text } }' }, /^collection has to be a name of letters/],
    [
      { ...WEAVIATE, embedder: undefined, mode: 'hybrid' },
      /^embedder is missing: modes "vector" and "hybrid"/,
    ],
    [{ ...AZURE, index: "i')/docs" }, /^index has to be the name of an index/],
    [{ ...AZURE, semanticConfiguration: 's' }, /^semanticConfiguration needs mode "text" or "hybrid"/],
  ];
  for (const [spec, message] of wrong) assert.match(problemOf(spec), message);
});

test('accepts what a store can do', () => {
  for (const spec of [
    { ...KNN, mode: 'hybrid', pipeline: 'p' },
    { ...KNN, mmr: { diversity: 0.5 } },
    { ...KNN, engine: 'elasticsearch', mmr: { lambda: 0.5 } },
    { type: 'postgres', table: 't', mode: 'text', url: 'postgres://u@h/d' },
    { type: 'postgres', table: 't', mode: 'text', key: 'stored' },
    { ...WEAVIATE, embedder: undefined, mode: 'bm25' },
    { ...MONGO, url: 'mongodb+srv://host' },
    { ...LANCE, uri: 's3://bucket/path' },
    // A folder may be called anything.
    { ...LANCE, uri: 'data/user:of@here' },
  ])
    assert.equal(problemOf(spec), '');
  assert.deepEqual(['data/lance', 'C:\\lance', '/a://b'].map(isLanceFolder), [true, true, true]);
  assert.deepEqual(['s3://bucket', 'db://name', 'S3+x.y-z://b'].map(isLanceFolder), [false, false, false]);
});

test('a store has the default address of its vendor', () => {
  for (const spec of [CHROMA, QDRANT, OPENSEARCH, WEAVIATE, MILVUS])
    assert.equal((store(spec) as { url?: string }).url, STORES[spec.type].address.usual);
});

/** Fields with which the same store has other records, or the same under other ids. */
const ELSEWHERE: readonly (readonly [object, Readonly<Record<string, unknown>>])[] = [
  [CHROMA, { url: 'http://h', tenant: 't', database: 'd', collection: 'x', idField: 'n' }],
  [
    { ...POSTGRES, embedder: 'e' },
    {
      url: 'postgres://u@h/x',
      host: 'h',
      port: 1,
      database: 'x',
      schema: 's',
      table: 'x',
      columns: { id: 'n' },
    },
  ],
  [{ ...POSTGRES, embedder: 'e', database: undefined, key: 'stored' }, { key: 'other' }],
  [QDRANT, { url: 'http://h', collection: 'x', idField: 'n' }],
  [OPENSEARCH, { url: 'http://h', index: 'x', idField: 'n' }],
  [WEAVIATE, { url: 'http://h', collection: 'X', tenant: 't', idField: 'n' }],
  [MILVUS, { url: 'http://h', database: 'd', collection: 'x', partitions: ['p'], idField: 'n' }],
  [PINECONE, { url: 'https://h', namespace: 'n', idField: 'n' }],
  [AZURE, { url: 'https://h', index: 'x', keyField: 'k', idField: 'n' }],
  [LANCE, { uri: 'x', region: 'r', host: 'https://h', table: 'x', idField: 'n' }],
  [MONGO, { url: 'mongodb://h', key: 'stored', database: 'x', collection: 'x', idField: 'n' }],
];

test('pipelines search the same records, whatever their mode', () => {
  for (const [spec, fields] of ELSEWHERE) {
    assert.ok(isSameCollection(store(spec), store({ ...spec, embedder: 'other', timeoutMs: 500 })));
    for (const [name, value] of Object.entries(fields))
      assert.ok(!isSameCollection(store(spec), store({ ...spec, [name]: value })), name);
  }
  assert.ok(isSameCollection(store(PINECONE), store({ ...PINECONE, namespace: '' })));
  assert.ok(!isSameCollection(store({ ...CHROMA, url: 'http://h' }), store({ ...QDRANT, url: 'http://h' })));
  // The stored key is a password if the database is given beside it.
  assert.ok(
    isSameCollection(
      store({ ...POSTGRES, embedder: 'e', key: 'a' }),
      store({ ...POSTGRES, embedder: 'e', key: 'b' }),
    ),
  );
});

test('projects queries if the store ranks by vectors alone', () => {
  assert.equal(isVectorStore(store(CHROMA)), true);
  assert.equal(isVectorStore(store(KNN)), true);
  assert.equal(isVectorStore(store({ ...POSTGRES, mode: 'text', embedder: 'e' })), false);
  assert.equal(isVectorStore(store(PINECONE)), true);
  assert.equal(isVectorStore(store({ ...WEAVIATE, mode: 'bm25' })), false);
  assert.equal(isVectorStore({ type: 'dense' }), false);
  for (const spec of [WEAVIATE, MILVUS, AZURE, LANCE, MONGO]) {
    assert.equal(isVectorStore(store(spec)), true, spec.type);
    assert.equal(isVectorStore(store({ ...spec, mode: 'hybrid' })), false, spec.type);
  }
  assert.doesNotThrow(() => parsePipeline({ retriever: QDRANT, projection: {} }));
  assert.throws(() => parsePipeline({ retriever: OPENSEARCH, projection: {} }), {
    id: 'bad-pipeline',
    message: /retriever\.type is "opensearch", not "dense" or a store that is searched by vectors/,
  });
});

test('only stores with an exact mode search exactly', () => {
  const exact = (retriever: object): unknown => {
    const pipeline = parsePipeline({ retriever });
    return canSearchExactly(pipeline) && withExactSearch(pipeline).retriever;
  };
  assert.equal(exact(CHROMA), false);
  assert.equal(exact(KNN), false);
  assert.deepEqual(exact(QDRANT), store({ ...QDRANT, exact: true }));
  assert.deepEqual(exact(OPENSEARCH), store(OPENSEARCH));
  assert.deepEqual(exact(AZURE), store({ ...AZURE, exact: true }));
  assert.equal(exact(WEAVIATE), false);
  assert.equal(searchesApproximately(store({ ...POSTGRES, embedder: 'e', exact: true })), false);
  assert.equal(searchesApproximately(store({ ...POSTGRES, embedder: 'e' })), true);
  // A store scores no projection, so that only its candidates are.
  assert.equal(canSearchExactly(parsePipeline({ retriever: QDRANT, projection: {} })), false);
});

test('a vector search may miss results unless it is exact, a word search may not', () => {
  for (const spec of [WEAVIATE, MILVUS, AZURE, LANCE, MONGO]) {
    const words = spec === AZURE || spec === MONGO ? 'text' : 'bm25';
    for (const mode of ['vector', 'hybrid', words])
      assert.equal(searchesApproximately(store({ ...spec, mode })), mode !== words, `${spec.type} ${mode}`);
  }
  for (const spec of [QDRANT, AZURE, LANCE, MONGO]) {
    assert.equal(searchesApproximately(store(spec)), true, spec.type);
    assert.equal(searchesApproximately(store({ ...spec, exact: true })), false, spec.type);
  }
  assert.equal(searchesApproximately(store({ ...POSTGRES, mode: 'text' })), false);
  for (const spec of [CHROMA, PINECONE, KNN]) assert.equal(searchesApproximately(store(spec)), true);
});

test('keys of stores and endpoints can be stored', () => {
  const config = configSchema.parse({
    judges: { j: { type: 'openai', model: 'm', key: 'models' } },
    pipelines: {
      a: { retriever: { ...QDRANT, key: 'qdrant' } },
      b: {
        retriever: {
          type: 'hybrid',
          retrievers: [
            { type: 'http', url: 'http://localhost', key: 'endpoint' },
            { ...POSTGRES, mode: 'text', key: 'qdrant' },
            { type: 'run', file: 'f' },
            CHROMA,
          ],
        },
      },
    },
  });
  assert.deepEqual(keyNames(config), ['models', 'qdrant', 'endpoint']);
});

test('explains how a store becomes a corpus if there is none', () => {
  const config = configSchema.parse({ pipelines: { a: { retriever: CHROMA } } });
  const said = missingCorpusText(config);
  assert.match(
    said,
    /^parallax\.json names no corpus, though its pipelines search Chroma \(c\)\. .*"corpora"/u,
  );
  assert.throws(() => corpusOf({ name: 'e', evalSet: 'e' }, { corpora: {} }, config), {
    id: 'bad-config',
    message: said,
  });
  assert.equal(missingCorpusText(configSchema.parse({})), 'parallax.json names no corpus.');
});

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
/** A marker that occurs in no statement, surrounded by any text. */
const marked = fc.tuple(fc.string(), fc.string()).map(([before, after]) => `${before}§§${after}`);

test('no statement contains the question in its text', () => {
  fc.assert(
    fc.property(marked, marked, fc.constantFrom('websearch', 'plain', 'any'), (text, value, query) => {
      const spec = postgres.schema.parse({
        ...POSTGRES,
        mode: 'text',
        query,
        where: { lang: value, 'meta->>x': { in: [value] }, year: { gt: value } },
      });
      const statements = new PostgresStatements(spec, quote);
      const facts = { idType: 'text', about: ['title'] };
      for (const statement of [
        statements.fullText(text, 5, facts),
        statements.bm25(text, 5, value, facts),
        statements.nearest(Float32Array.of(1, 2), 5, 'vector', facts),
        statements.records([text], facts),
        statements.vectors([text], facts),
        statements.first(5, facts),
        statements.count(),
      ]) {
        assert.equal(statement.text.includes('§§'), false);
        const highest = Math.max(0, ...[...statement.text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)));
        assert.equal(highest, statement.values.length);
      }
    }),
  );
});

test('a filter compares columns or JSON paths and is never part of the statement', () => {
  const where = {
    year: { gte: 2020, lt: 2025 },
    'meta->doc->>lang': { in: ['en'] },
    'meta->>n': { lte: 5 },
    k: 'v',
  };
  assert.deepEqual(conditionsOf(where, quote, 3), {
    conditions: [
      '"year" >= $3',
      '"year" < $4',
      '("meta"::jsonb #> $5::text[]) = ANY($6::jsonb[])',
      'jsonb_typeof(("meta"::jsonb #> $7::text[])) = $9',
      '("meta"::jsonb #> $7::text[]) <= $8::jsonb',
      '"k" = $10',
    ],
    values: [2020, 2025, ['doc', 'lang'], ['"en"'], ['n'], '5', 'number', 'v'],
  });
  for (const wrong of [{}, { between: 1 }, { in: [] }, { gt: true }])
    assert.throws(() => store({ ...POSTGRES, mode: 'text', where: { year: wrong } }));
});

test('names from the configuration stay within their quotes', () => {
  // With an arrow it is a path into a column of JSON.
  const column = fc.string({ minLength: 1 }).filter((name) => !name.includes('->'));
  fc.assert(
    fc.property(column, (name) => {
      const spec = postgres.schema.parse({
        ...POSTGRES,
        embedder: 'e',
        schema: name,
        table: name,
        columns: { id: name, text: name, embedding: name },
        where: { [`${name}x`]: 1 },
      });
      const { text } = new PostgresStatements(spec, quote).nearest(Float32Array.of(1), 5, 'vector', {
        idType: 'text',
        about: ['title'],
      });
      const outside = text.replace(/"(?:[^"]|"")*"/g, '""');
      assert.equal(
        outside,
        `SELECT ""::text AS key, ""::text AS text, jsonb_build_object('title', "") AS about, "" <=> $1::vector AS distance FROM "".""` +
          ' WHERE "" IS NOT NULL AND "" = $3 ORDER BY "" <=> $1::vector LIMIT $2',
      );
    }),
  );
});

test("search breadth rises with the request up to pgvector's limit, unless the pipeline sets it", () => {
  const settings = (extra: object, k: number, scansOn: boolean): unknown =>
    new PostgresStatements(postgres.schema.parse({ ...POSTGRES, embedder: 'e', ...extra }), quote).settings(
      k,
      scansOn,
    );
  const one = 'SELECT set_config($1, $2, true)';
  assert.deepEqual(settings({}, 100, false), { text: one, values: ['hnsw.ef_search', '100'] });
  assert.deepEqual(settings({}, 5, false), { text: one, values: ['hnsw.ef_search', '40'] });
  assert.deepEqual(settings({}, 5000, true), {
    text: 'SELECT set_config($1, $2, true), set_config($3, $4, true), set_config($5, $6, true)',
    values: [
      ...['hnsw.ef_search', '1000'],
      ...['hnsw.iterative_scan', 'strict_order'],
      ...['ivfflat.iterative_scan', 'relaxed_order'],
    ],
  });
  assert.deepEqual(settings({ ef: 7 }, 100, true), { text: one, values: ['hnsw.ef_search', '7'] });
  assert.deepEqual(settings({ exact: true }, 100, true), { text: one, values: ['enable_indexscan', 'off'] });
});
