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
import { PROJECTION_METHODS } from './projection/project.ts';
import { COVERAGE_AIMS } from './rerank/expected-aims.ts';
import { queryTemplateProblem } from './rerank/query-template.ts';
import { describeIssue } from './schema-issue.ts';
import { ANALYZER_NAMES } from './text/analyzer.ts';

const bm25 = z.strictObject({
  type: z.literal('bm25'),
  /** Term frequency saturation; 0.9 is Pyserini's default. */
  k1: z.number().min(0).max(100).default(0.9),
  /** Length normalisation, 0 (none) to 1 (full). */
  b: z.number().min(0).max(1).default(0.4),
  /**
   * `english`: lower case, stop words, Porter stems. `simple`: lower-cased words. `whitespace`: split at spaces, as in
   * rank_bm25 examples.
   */
  analyzer: z.enum(ANALYZER_NAMES).default('english'),
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

/** The most perspectives that a model is asked for, or accepted from a model that decides the number. */
export const MAX_PERSPECTIVES = 16;

const writtenPassages = z.number().int().min(1).max(16).optional();

/**
 * Where a step gets a query's perspectives from. `given`: from the eval set or typed by hand, an oracle in an
 * evaluation. `model`: proposed by a model that never sees the given ones. `file`: proposed earlier, e.g. the
 * `generated` field of BERDS files.
 */
const perspectivesFrom = {
  perspectives: z.enum(['given', 'model', 'file']).default('given'),
  /** Name of a judge whose model proposes perspectives. Defaults to the workspace's generator. */
  model: z.string().min(1).optional(),
  /** `auto`: the model decides the number (BERDS), at most {@link MAX_PERSPECTIVES}. */
  count: z
    .union([z.number().int().min(1).max(MAX_PERSPECTIVES), z.literal('auto')], {
      error: () => l10n.t`expected a whole number from 1 to ${MAX_PERSPECTIVES}, or "auto"`,
    })
    .default(4),
  /** JSONL with `question` and `generated`, relative to parallax.json. */
  file: z.string().min(1).optional(),
};

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

const projectionFields = {
  method: z.enum(PROJECTION_METHODS).default('pap'),
  /** Weight of the perspective: 1 as in the paper, 0 ignores it. */
  weight: z.number().min(-10).max(10).default(1),
  /** `difference`: the perspective's direction is the full query minus the root, for data like AmbigQA. */
  direction: z.enum(['perspective', 'difference']).default('perspective'),
  /**
   * Where root query and perspective come from. `annotated`: both are given separately. `model`: the query combines
   * both in one sentence, and a model separates them (PIR, section 3.4).
   */
  split: z.enum(['annotated', 'model']).default('annotated'),
  ...perspectivesFrom,
};

const weight = z.number().min(0).max(1);

const rerankerSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('mmr'),
    /** Weight of relevance: 1 keeps the order, 0 only considers dissimilarity. */
    lambda: weight.default(0.75),
    /** The embedder whose vectors measure similarity. May differ from the retriever's. */
    embedder: z.string().min(1).default(MEANING),
    /**
     * Divides relevance by the data set's maximum instead of each query's. `auto`: the maximum over the queries of an
     * evaluation, which replaces `auto`; a single query has none.
     */
    datasetMaximum: z
      .union([z.number().positive(), z.literal('auto')], {
        error: () => l10n.t('expected a number above 0 or "auto"'),
      })
      .optional(),
  }),
  /** λ is the weight on perspectives, as in the paper. */
  z.strictObject({ type: z.literal('xquad'), lambda: weight.default(0.5), ...perspectivesFrom }),
  z.strictObject({ type: z.literal('pm2'), lambda: weight.default(0.5), ...perspectivesFrom }),
  /**
   * Ranks the candidates once per perspective by the projected query (PIR, section 3.1), and interleaves the rankings.
   * Works with any retriever, because it brings its embedder.
   */
  z.strictObject({
    type: z.literal('projection'),
    embedder: z.string().min(1).default(MEANING),
    ...projectionFields,
  }),
  /**
   * Has candidates judged until the top k are likely to cover every given perspective. People's labels count as true; a
   * judge's answer is evidence, weighted by its error rates.
   */
  z.strictObject({
    type: z.literal('coverage'),
    judge: z.string().min(1).default('labels'),
    /**
     * Further judges, asked in this order if the previous answers support a perspective that is not surely covered yet.
     */
    also: z.array(z.string().min(1)).min(1).max(3).optional(),
    /** The correlation of two judges' errors, as measured by `parallax judge validate`. */
    correlation: z.number().min(0).max(1).optional(),
    /** The most requests per query. `undefined` for no limit. */
    requests: z.number().int().min(1).optional(),
    /** The measure to maximise for the top k. Defaults to MRecall. */
    aim: z.enum(COVERAGE_AIMS).optional(),
    /** The judge's error rates, as measured by `parallax judge validate`. Defaults to cautious ones. */
    errors: z
      .strictObject({
        /** P(yes | support): recall of yes. */
        yesOfSupport: z.number().min(0).max(1),
        /** P(yes | no support): the rate of false yes. */
        yesOfNone: z.number().min(0).max(1),
      })
      .refine(({ yesOfSupport, yesOfNone }) => yesOfSupport > yesOfNone, {
        message: 'a judge whose yes is not more frequent where passages support tells nothing',
      })
      .optional(),
  }),
  /** Reads query and passage together, on this machine. */
  z
    .strictObject({
      type: z.literal('cross-encoder'),
      /** Folder with model.onnx (or onnx/model.onnx) and tokenizer.json, relative to parallax.json. */
      path: z.string().min(1),
      /** Model file within the folder, e.g. onnx/model_quantized.onnx. */
      file: z.string().min(1).optional(),
      /** The retrieval instruction, for models that expect one with the query (TART-full, Asai et al. 2023). */
      instruction: z.string().min(1).optional(),
      /**
       * How instruction and query are combined. Defaults to `{instruction} [SEP] {query}`. May contain special tokens
       * of the tokenizer.
       */
      template: z.string().min(1).optional(),
      /** For query and passage together. The passage is cut first. */
      maxTokens: z.number().int().min(8).max(32_768).default(512),
      /**
       * The class that means relevant, by number or by its name in config.json. Defaults to 1 if there are two classes.
       */
      positiveLabel: z.union([z.number().int().min(0), z.string().min(1)]).optional(),
    })
    .superRefine(({ template, instruction }, context) => {
      const message = queryTemplateProblem(template, instruction);
      if (message !== undefined) context.addIssue({ code: 'custom', path: ['template'], message });
    }),
]);

/**
 * Searches with the perspective removed from or added to the embeddings (PIR, section 3.1): one search per perspective,
 * interleaved. Needs a retriever that ranks by vectors alone.
 */
export const projectionSchema = z.strictObject(projectionFields);

export type ProjectionSpec = Read<typeof projectionSchema>;
export const DEFAULT_BM25: Bm25Retriever = bm25.parse({ type: 'bm25' });
/** PAP as in the paper, with the given perspectives. */
export const DEFAULT_PROJECTION: ProjectionSpec = projectionSchema.parse({});
export type CrossEncoderSpec = Extract<RerankerSpec, { type: 'cross-encoder' }>;
export type ExpansionSpec = Read<typeof expansionSchema>;
/** Expansions that search with passages written by a model. */
export type RewriteSpec = Exclude<ExpansionSpec, { type: 'perspectives' }>;
export type RerankerSpec = Read<typeof rerankerSchema>;
export type ProjectionReranker = Extract<RerankerSpec, { type: 'projection' }>;
/** The fields that define where a step gets its perspectives from. */
export type PerspectivesFrom = Pick<
  Extract<RerankerSpec, { type: 'xquad' }>,
  'perspectives' | 'model' | 'count' | 'file'
>;

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
