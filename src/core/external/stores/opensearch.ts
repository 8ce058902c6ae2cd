/** Settings and label of OpenSearch and Elasticsearch. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../../read.ts';
import { access, ef, embedder, filter, share, url } from '../store-fields.ts';
import { declareStore, diversityLabel } from '../store-type.ts';

const schema = z
  .strictObject({
    type: z.literal('opensearch'),
    /** Their query languages are nearly the same. */
    engine: z.enum(['opensearch', 'elasticsearch']).default('opensearch'),
    url: url.default('http://127.0.0.1:9200'),
    index: z.string().min(1),
    /** Path of the text in the document. */
    textField: z.string().min(1).default('text'),
    /** Path of the passage's id in the document. Defaults to the document's `_id`. */
    idField: z.string().min(1).optional(),
    mode: z.enum(['bm25', 'knn', 'hybrid']).default('bm25'),
    /** Required for `knn` and `hybrid`. With `bm25`, both allow rerankers to use the stored vectors. */
    vectorField: z.string().min(1).optional(),
    embedder: embedder.optional(),
    filter,
    ef,
    /** The search pipeline that combines the two lists of an OpenSearch `hybrid`. */
    pipeline: z.string().min(1).optional(),
    /** Constant of the reciprocal rank fusion that combines them in Elasticsearch. */
    rrfK: z.number().int().min(1).default(60),
    /** The store's own MMR, with its own parameters. */
    mmr: z
      .strictObject({
        /** OpenSearch: 1 only considers dissimilarity. */
        diversity: share.optional(),
        /** Elasticsearch: 1 only considers relevance. */
        lambda: share.optional(),
        candidates: z.number().int().min(1).max(10_000).default(100),
        /** Elasticsearch selects this many and keeps their order. Set it to the number that your program requests. */
        size: z.number().int().min(1).max(10_000).default(10),
      })
      .optional(),
    /** User for basic authentication. The stored key is then its password, otherwise an API key. */
    user: z.string().min(1).optional(),
    ...access,
  })
  .superRefine((spec, context) => {
    for (const { field, message } of opensearchProblems(spec))
      context.addIssue({ code: 'custom', path: [field], message });
  });
export type OpenSearchRetriever = Read<typeof schema>;

export const opensearch = declareStore({
  schema,
  address: { usual: 'http://127.0.0.1:9200' },
  ranksByVector: ({ mode }) => mode === 'knn',
  searchesApproximately: ({ mode }) => mode !== 'bm25',
  place: ({ url: at, index, idField }) => [at, index, idField],
  label: (store) => `${ENGINES[store.engine]} ${MODES[store.mode]} (${store.index})${ownMmrLabel(store)}`,
  program: {
    named: [
      [/^opensearch/iu, { engine: 'opensearch' }],
      [/^(?:async)?elastic/iu, { engine: 'elasticsearch' }],
    ],
    place: 'index',
    modes: { vectors: { mode: 'knn' }, words: { mode: 'bm25' } },
    reads: /\b_source\b\W{0,4}(?:get\(\s?)?["']?(\w{1,80})/gu,
    matches: /["']?\bmatch\b["']?\s?:\s?\{\s{0,80}["']?([\w.]{1,80})/gu,
    namesVectors: true,
    langchain: {
      langchain: {
        opensearch: { textField: 'text', vectorField: 'vector_field' },
        elasticsearch: { textField: 'text', vectorField: 'vector' },
      },
      'langchain-js': { elasticsearch: { textField: 'text', vectorField: 'embedding' } },
    },
  },
});

interface Problem {
  readonly field: 'embedder' | 'vectorField' | 'mmr' | 'pipeline';
  readonly message: string;
}

type Unchecked = Pick<
  OpenSearchRetriever,
  'engine' | 'mode' | 'embedder' | 'vectorField' | 'pipeline' | 'mmr'
>;

function opensearchProblems(spec: Unchecked): Problem[] {
  const { engine, mode, embedder: name, vectorField, pipeline } = spec;
  const problems: Problem[] = [];
  if (mode !== 'bm25' && vectorField === undefined)
    problems.push({
      field: 'vectorField',
      message: l10n.t`is missing: mode "${mode}" searches a vector field`,
    });
  if (mode !== 'bm25' && name === undefined)
    problems.push({
      field: 'embedder',
      message: l10n.t`is missing: mode "${mode}" needs the embedder that filled the index`,
    });
  if (engine === 'opensearch' && mode === 'hybrid' && pipeline === undefined)
    problems.push({
      field: 'pipeline',
      message: l10n.t(
        'is missing: OpenSearch needs a search pipeline that joins the lists of a hybrid query',
      ),
    });
  return [...problems, ...mmrProblems(spec)];
}

function mmrProblems({ engine, mode, mmr }: Unchecked): Problem[] {
  if (!mmr) return [];
  const problem = (message: string): Problem[] => [{ field: 'mmr', message }];
  if (mode !== 'knn') return problem(l10n.t('needs mode "knn": the store compares vectors'));
  if (engine === 'opensearch')
    return mmr.diversity === undefined || mmr.lambda !== undefined
      ? problem(
          l10n.t('takes "diversity" in OpenSearch (1 looks for dissimilar passages only), not "lambda"'),
        )
      : [];
  return mmr.lambda === undefined || mmr.diversity !== undefined
    ? problem(l10n.t('takes "lambda" in Elasticsearch (1 looks for relevant passages only), not "diversity"'))
    : [];
}

const ENGINES = { opensearch: 'OpenSearch', elasticsearch: 'Elasticsearch' } as const;
const MODES = { bm25: 'BM25', knn: 'kNN', hybrid: 'hybrid' } as const;

function ownMmrLabel({ mmr }: OpenSearchRetriever): string {
  if (!mmr) return '';
  return mmr.lambda === undefined
    ? diversityLabel(mmr.diversity ?? 0)
    : ` + own MMR ${mmr.lambda} on relevance`;
}
