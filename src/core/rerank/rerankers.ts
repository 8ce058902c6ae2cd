/**
 * The types of rerankers: their settings in `parallax.json` and their names, which are the same in every language. What
 * each does is in this folder and in src/engine/retrieval/run-pipeline.ts.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { MEANING } from '../embedding/built-in.ts';
import { PROJECTION_METHODS } from '../projection/project.ts';
import type { Read } from '../read.ts';
import { COVERAGE_AIMS, isPlainAim } from './expected-aims.ts';
import { queryTemplateProblem } from './query-template.ts';

/** The most perspectives that a model is asked for, or accepted from a model that decides the number. */
export const MAX_PERSPECTIVES = 16;

/**
 * Where a step gets a query's perspectives from. `given`: from the eval set or typed by hand, an oracle in an
 * evaluation. `model`: proposed by a model that never sees the given ones. `file`: proposed earlier, e.g. the
 * `generated` field of BERDS files.
 */
export const perspectivesFrom = {
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

/**
 * Searches with the perspective removed from or added to the embeddings (PIR, section 3.1): one search per perspective,
 * interleaved. Needs a retriever that ranks only by vectors.
 */
export const projectionSchema = z.strictObject(projectionFields);

export type ProjectionSpec = Read<typeof projectionSchema>;
/** PAP as in the paper, with the given perspectives. */
export const DEFAULT_PROJECTION: ProjectionSpec = projectionSchema.parse({});

/** The fields that define where a step gets its perspectives from. */
export type PerspectivesFrom = Pick<ProjectionSpec, 'perspectives' | 'model' | 'count' | 'file'>;

/** Given perspectives are an oracle, so the label always mentions them. */
export const FROM_LABELS = {
  given: 'given perspectives',
  model: 'proposed perspectives',
  file: 'perspectives from file',
} as const;

export function projectionLabel({ method, weight, split, perspectives }: ProjectionSpec): string {
  const emphasis = weight === 1 ? '' : ` w ${weight}`;
  const from = split === 'model' ? 'split by the model' : FROM_LABELS[perspectives];
  return `${METHOD_LABELS[method] ?? method}${emphasis} (${from})`;
}

const METHOD_LABELS: Partial<Record<ProjectionSpec['method'], string>> = { pap: 'PAP', 'pap+': 'PAP+' };

export const folderName = (path: string): string =>
  path.split(/[\\/]+/u).findLast((part) => part !== '') ?? path;

const weight = z.number().min(0).max(1);

interface Reranker<Schema extends z.ZodType> {
  readonly schema: Schema;
  /** Its name beside the settings that a panel shows. */
  readonly short: string;
  /** Its name with its settings. */
  readonly label: (spec: Read<Schema>) => string;
}

/** Types the label of a reranker by its schema. */
const reranker = <Schema extends z.ZodType>(type: Reranker<Schema>): Reranker<Schema> => type;

export const RERANKERS = {
  mmr: reranker({
    schema: z.strictObject({
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
    short: 'MMR',
    label: ({ lambda }) => `MMR ${lambda}`,
  }),
  /** λ is the weight on perspectives, as in the paper. */
  xquad: reranker({
    schema: z.strictObject({ type: z.literal('xquad'), lambda: weight.default(0.5), ...perspectivesFrom }),
    short: 'xQuAD',
    label: ({ lambda, perspectives }) => `xQuAD ${lambda} (${FROM_LABELS[perspectives]})`,
  }),
  pm2: reranker({
    schema: z.strictObject({ type: z.literal('pm2'), lambda: weight.default(0.5), ...perspectivesFrom }),
    short: 'PM-2',
    label: ({ lambda, perspectives }) => `PM-2 ${lambda} (${FROM_LABELS[perspectives]})`,
  }),
  /**
   * Ranks the candidates once per perspective by the projected query (PIR, section 3.1), and interleaves the rankings.
   * Works with any retriever, because it brings its embedder.
   */
  projection: reranker({
    schema: z.strictObject({
      type: z.literal('projection'),
      embedder: z.string().min(1).default(MEANING),
      ...projectionFields,
    }),
    short: 'projection',
    label: projectionLabel,
  }),
  /**
   * Has candidates judged until the top k are likely to cover every given perspective. People's labels count as true; a
   * judge's answer is evidence, weighted by its error rates.
   */
  coverage: reranker({
    schema: z.strictObject({
      type: z.literal('coverage'),
      judge: z.string().min(1).default('labels'),
      /**
       * Further judges, asked in this order if the previous answers support a perspective that is not surely covered yet.
       * The name of a judge with a temperature above 0 may be repeated.
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
    short: 'coverage',
    label: ({ judge, also = [], aim }) =>
      `coverage (${[judge, ...also].join(', ')}${isPlainAim(aim) ? '' : ', for α-nDCG'})`,
  }),
  /** Reads query and passage together, on this machine. */
  'cross-encoder': reranker({
    schema: z
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
    short: 'cross-encoder',
    label: ({ path }) => `cross-encoder (${folderName(path)})`,
  }),
};

type Schema = (typeof RERANKERS)[keyof typeof RERANKERS]['schema'];
export const rerankerSchema = z.discriminatedUnion(
  'type',
  Object.values(RERANKERS).map(({ schema }) => schema) as [Schema, ...Schema[]],
);
export type RerankerSpec = Read<typeof rerankerSchema>;
export type CrossEncoderSpec = Extract<RerankerSpec, { type: 'cross-encoder' }>;
export type ProjectionReranker = Extract<RerankerSpec, { type: 'projection' }>;

export function rerankerLabel(spec: RerankerSpec): string {
  return (RERANKERS[spec.type].label as (own: RerankerSpec) => string)(spec);
}
