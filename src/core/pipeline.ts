/**
 * A pipeline as one plain JSON object: retriever, optional steps and k. The side panel, the compare panel, the command
 * line and `parallax.json` all use this object.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read, Written } from './read.ts';
import { MEANING, WEIGHT_OF_MEANING } from './embedding/built-in.ts';
import { ParallaxError } from './errors.ts';
import { externalRetrieverSchemas, type ExternalRetrieverSpec } from './external/spec.ts';
import { isStore, isVectorStore } from './external/store-types.ts';
import type { VectorStoreRetriever } from './external/stores.ts';
import { EXPANSION_FORMS } from './expansion/merge.ts';
import { MUGI_BALANCE, MUGI_PASSAGES } from './expansion/rewrite.ts';
import {
  perspectivesFrom,
  projectionSchema,
  rerankerSchema,
  type ProjectionSpec,
  type RerankerSpec,
} from './rerank/rerankers.ts';
import { describeIssue } from './schema-issue.ts';
import { ANALYZER_NAMES } from './text/analyzer.ts';

const bm25 = z.strictObject({
  type: z.literal('bm25'),
  /** Term frequency saturation; 0.9 is Pyserini's default. */
  k1: z.number().min(0).max(100).default(0.9),
  /** Length normalisation, 0 (none) to 1 (full). */
  b: z.number().min(0).max(1).default(0.4),
  /**
   * `auto`: as `english`, with the parts of names such as `fooBar`, and with the stems of each passage's language.
   * `english`: lower case, stop words, Porter stems. `simple`: lower-cased words. `whitespace`: split at spaces, as in
   * rank_bm25 examples.
   */
  analyzer: z.enum(ANALYZER_NAMES).default('auto'),
  /** `lucene`: non-negative idf. `okapi`: as in rank_bm25, negative idf is replaced by epsilon × mean idf. */
  variant: z.enum(['lucene', 'okapi']).default('lucene'),
  epsilon: z.number().min(0).max(1).default(0.25),
});

/**
 * Kinds of search, most exact first. `exact`: all passages were scored. `int8`: all were scored in 8 bits, and the best
 * of them exactly. `approximate`: some part used a graph, or a store with one.
 */
export const SEARCH_KINDS = ['exact', 'int8', 'approximate'] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

/** The kind of a combined search is the least exact of its parts. */
export function leastSure(kinds: readonly SearchKind[]): SearchKind {
  return SEARCH_KINDS.findLast((kind) => kinds.includes(kind)) ?? 'exact';
}

/** Default of `rescore` in an int8 search. */
export const DEFAULT_RESCORE = 4;

const dense = z.strictObject({
  type: z.literal('dense'),
  /** Name of an embedder: `meaning` and `hashing` are built in, others are defined in `parallax.json`. */
  embedder: z.string().min(1).default(MEANING),
  search: z
    .enum(['auto', 'exact', 'approximate', 'int8'])
    .default('auto')
    .describe(
      'auto: exact in evaluations, and in the editor up to the size set by parallax.approximateAbove. int8: scans all vectors in 8 bits and scores the best of them again exactly; faster than exact, for a quarter more memory, and may miss some.',
    ),
  /** Breadth of the approximate search. Higher values find more and take longer. */
  ef: z.number().int().min(1).max(10_000).default(100),
  englishOnly: z
    .boolean()
    .optional()
    .describe(
      'In a hybrid: leaves this search out, and says so, where the corpus is not English by the words of a sample.',
    ),
  rescore: z
    .number()
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe(
      `With search "int8": how many passages are scored again exactly for each one wanted; ${DEFAULT_RESCORE} when left out.`,
    ),
});

const hybrid = z.strictObject({
  type: z.literal('hybrid'),
  retrievers: z
    .array(z.discriminatedUnion('type', [bm25, dense, ...externalRetrieverSchemas]))
    .min(2)
    .max(8),
  /** Reciprocal rank fusion constant (Cormack, Clarke and Büttcher 2009). */
  rrfK: z.number().min(0).default(60),
  weight: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe(
      'Of two retrievers: the weight of the second, from 0, the first alone, to 1; the first has the rest. Equal when left out.',
    ),
  weights: z
    .array(z.number().min(0))
    .optional()
    .describe('One weight per retriever, of any number of them; equal when left out.'),
});

export const retrieverSchema = z.discriminatedUnion('type', [
  bm25,
  dense,
  hybrid,
  ...externalRetrieverSchemas,
]);

const writtenPassages = z.number().int().min(1).max(16).optional();

const expansionSchema = z.discriminatedUnion('type', [
  /** One list per perspective, merged in turns (BERDS, section 6 and appendix A.7). */
  z.strictObject({
    type: z.literal('perspectives'),
    ...perspectivesFrom,
    queryText: z.enum(EXPANSION_FORMS).default('question-perspective'),
  }),
  /** Searches with passages that a model imagines as the answer (Gao et al. 2023). */
  z.strictObject({
    type: z.literal('hyde'),
    model: z.string().min(1).optional(),
    passages: writtenPassages.describe(
      '1 when left out. Vectors are searched with the mean of theirs, words with all of them.',
    ),
    withQuery: z
      .boolean()
      .optional()
      .describe('Whether the question is part of the mean, as in the paper; not when left out.'),
  }),
  /** Searches with the question and a pseudo-document (Wang et al. 2023). */
  z.strictObject({ type: z.literal('query2doc'), model: z.string().min(1).optional() }),
  /** Searches with the question and several pseudo-documents, in proportion to their length (Zhang et al. 2024). */
  z.strictObject({
    type: z.literal('mugi'),
    model: z.string().min(1).optional(),
    passages: writtenPassages.describe(`${MUGI_PASSAGES} when left out.`),
    balance: z
      .number()
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe(
        `Before words are searched for, the question is repeated until it is one part in so many of the passages' length, and at least once; ${MUGI_BALANCE} when left out, as in the authors' code.`,
      ),
  }),
]);

export const DEFAULT_BM25: Bm25Retriever = bm25.parse({ type: 'bm25' });
export type ExpansionSpec = Read<typeof expansionSchema>;
/** Expansions that search with passages written by a model. */
export type RewriteSpec = Exclude<ExpansionSpec, { type: 'perspectives' }>;

export const pipelineSchema = z.strictObject({
  name: z.string().min(1).max(200).optional(),
  retriever: retrieverSchema,
  expansion: expansionSchema.optional(),
  projection: projectionSchema.optional(),
  /** Applied in order to the candidates. */
  rerank: z.array(rerankerSchema).max(8).default([]),
  /** How many passages the pipeline returns. */
  k: z.number().int().min(1).max(1000).default(5),
  /** How many passages the retriever returns to later steps, and how deep the panel looks for lost perspectives. */
  candidates: z.number().int().min(1).max(10_000).default(100),
});

export type Bm25Retriever = Read<typeof bm25>;
export type DenseRetriever = Read<typeof dense>;
export type HybridRetriever = Read<typeof hybrid>;
export type RetrieverSpec = Read<typeof retrieverSchema>;
/** A pipeline with all defaults. */
export type Pipeline = Read<typeof pipelineSchema>;

export interface NamedPipeline {
  /** The pipeline's name, the name it was requested by, or its JSON as given. */
  readonly name: string;
  readonly pipeline: Pipeline;
}
/** A pipeline as written by a person. */
export type PipelineInput = Written<typeof pipelineSchema>;

/** @throws ParallaxError `bad-pipeline` with the first wrong field and its value. */
export function parsePipeline(input: unknown): Pipeline {
  const result = pipelineSchema.safeParse(input);
  if (!result.success)
    throw new ParallaxError('bad-pipeline', l10n.t`Pipeline: ${describeIssue(result.error, input)}`);
  if (result.data.retriever.type === 'hybrid') checkWeights(result.data.retriever);
  checkProjection(result.data);
  checkFile('expansion', result.data.expansion);
  checkFile('projection', result.data.projection);
  result.data.rerank.forEach((reranker, index) => {
    if (reranker.type === 'projection') checkSplit(`rerank.${index}`, reranker);
    checkFile(`rerank.${index}`, reranker);
  });
  return result.data;
}

function checkWeights({ weight, weights, retrievers }: HybridRetriever): void {
  if (weights && weights.length !== retrievers.length)
    throw new ParallaxError(
      'bad-pipeline',
      l10n.t`Pipeline: retriever.weights has ${weights.length} values for ${retrievers.length} retrievers.`,
    );
  if (weight === undefined) return;
  if (weights)
    throw new ParallaxError(
      'bad-pipeline',
      l10n.t('Pipeline: retriever.weight and retriever.weights say the same; use one of them.'),
    );
  if (retrievers.length !== 2)
    throw new ParallaxError(
      'bad-pipeline',
      l10n.t`Pipeline: retriever.weight is for two retrievers, and there are ${retrievers.length}; use retriever.weights.`,
    );
}

/** The weight of each list of a hybrid. `undefined` if they are equal. */
export function fusionWeights({ weight, weights }: HybridRetriever): readonly number[] | undefined {
  return weight === undefined ? weights : [1 - weight, weight];
}

function checkProjection({ projection, retriever, expansion }: Pipeline): void {
  if (!projection) return;
  if (!searchesByVector(retriever))
    throw new ParallaxError(
      'bad-pipeline',
      l10n.t`Pipeline: projection works on embeddings; retriever.type is "${retriever.type}", not "dense" or a store that is searched by vectors.`,
    );
  if (expansion)
    throw new ParallaxError(
      'bad-pipeline',
      l10n.t('Pipeline: expansion and projection both search once per perspective; use one of them.'),
    );
  checkSplit('projection', projection);
}

function checkSplit(field: string, { split, perspectives }: ProjectionSpec): void {
  if (split === 'model' && perspectives !== 'given')
    throw new ParallaxError(
      'bad-pipeline',
      l10n.t`Pipeline: ${field}.split "model" takes the perspective out of the query; ${field}.perspectives "${perspectives}" asks for others. Use one of them.`,
    );
}

function checkFile(field: string, step: ExpansionSpec | ProjectionSpec | RerankerSpec | undefined): void {
  if (step && 'perspectives' in step && step.perspectives === 'file' && step.file === undefined)
    throw new ParallaxError(
      'bad-pipeline',
      l10n.t`Pipeline: ${field}.file is missing: it names the file of proposed perspectives.`,
    );
}

/** Whether a retriever is external rather than an index of the corpus. Its results are measured, not reproduced. */
export function isExternal(retriever: RetrieverSpec): retriever is ExternalRetrieverSpec {
  return (
    retriever.type === 'command' ||
    retriever.type === 'http' ||
    retriever.type === 'run' ||
    isStore(retriever)
  );
}

/** The external parts of a retriever. */
export function externalParts(retriever: RetrieverSpec): ExternalRetrieverSpec[] {
  if (retriever.type === 'hybrid') return retriever.retrievers.flatMap(externalParts);
  return isExternal(retriever) ? [retriever] : [];
}

/** Whether a retriever ranks by vectors alone, so that its queries can be projected. */
export function searchesByVector(
  retriever: RetrieverSpec,
): retriever is DenseRetriever | VectorStoreRetriever {
  return retriever.type === 'dense' || isVectorStore(retriever);
}

/** Pipelines that need no model of the user and no network. The first is the default. */
export const BUILT_IN_PIPELINES: Readonly<Record<'hybrid' | 'bm25' | 'dense', Pipeline>> = {
  hybrid: parsePipeline({
    retriever: {
      type: 'hybrid',
      retrievers: [{ type: 'bm25' }, { type: 'dense', embedder: MEANING, englishOnly: true }],
      weight: WEIGHT_OF_MEANING,
    },
  }),
  bm25: parsePipeline({ retriever: { type: 'bm25' } }),
  dense: parsePipeline({ retriever: { type: 'dense', embedder: MEANING } }),
};

/** The pipeline that is used if none is named. */
export const DEFAULT_PIPELINE: NamedPipeline = { name: 'hybrid', pipeline: BUILT_IN_PIPELINES.hybrid };
