/**
 * `parallax.json`: a workspace's corpora, pipelines, judges and eval sets. scripts/schemas.ts generates the editor's
 * JSON schema from this file.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../core/read.ts';
import { callSiteRuleSchema } from '../core/call-sites/schema.ts';
import { wrapperSchema } from '../core/call-sites/wrappers.ts';
import { ENCODER_PRESETS, encoderSettings, PLAIN_ENCODER } from '../core/embedding/presets.ts';
import { gateSchema } from '../features/gate/core/spec.ts';
import { endpointUrl } from '../core/external/endpoint-url.ts';
import { storeRetrieverSchema } from '../core/external/stores.ts';
import { pipelineSchema } from '../core/pipeline.ts';
import { BERDS_SPLIT, SECTIONS_SPLIT, splitSchema, type SplitSpec } from '../core/split/spec.ts';
import { toolsSchema } from '../features/capture/core/own-tools.ts';
import { behaviourSchema } from '../features/behaviour/contract/behaviour.ts';
import { endpointFields } from './endpoint-fields.ts';
import { judgeSchema } from './judge-config.ts';

export { splitSchema, type SplitSpec };

/** As in the name of a measure: `Values(author)@5`. */
const fieldName = z
  .string()
  .trim()
  .min(1)
  .regex(/^[^()@]*$/u, { error: () => l10n.t('may not contain ( ) or @') });

/** Suffix of a root whose subfolders are not read. */
export const FILES_ONLY = '/*';

const corpusFields = z.strictObject({
  roots: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Folders or files, absolute or relative to parallax.json. A folder that ends in "/*" is read without the folders in it.',
    ),
  store: storeRetrieverSchema
    .optional()
    .describe(
      'Instead of "roots": a store that holds everything. Nothing is indexed on this machine, and passages are known by its ids.',
    ),
  include: z
    .array(z.string())
    .default([])
    .describe('Glob patterns relative to each root; all readable files when empty.'),
  exclude: z.array(z.string()).default([]).describe('Glob patterns relative to each root.'),
  split: splitSchema.default(BERDS_SPLIT),
  code: z
    .union([z.boolean(), z.literal('auto')])
    .default(true)
    .describe(
      'Whether source code and settings of tools are documents, too; "auto": only where there is hardly anything else.',
    ),
  textField: z.string().optional().describe('Field of JSON, JSONL and CSV records that holds the text.'),
  idField: z.string().optional().describe('Field of records that holds the id.'),
  fields: z
    .array(fieldName)
    .optional()
    .describe(
      'Fields of documents, such as author or date, of which it is counted how many different values the retrieved passages have: front matter, header lines, <meta> of web pages, properties of DOCX and PDF, fields of records and of stores. Those that vary when left out.',
    ),
  perQuery: z
    .boolean()
    .optional()
    .describe(
      'For a snapshot of the web: every question is answered from the pages that were found for it, as a corpus of its own (BERDS, section 4.2). All pages when left out.',
    ),
  followSymlinks: z.boolean().default(false).describe('Follow symbolic links that lead out of the roots.'),
  maxFileBytes: z
    .number()
    .int()
    .min(1)
    .default(64 * 1024 * 1024),
});
/** Exactly one of files and store. */
export const corpusSchema = corpusFields.refine(
  ({ roots, store }) => roots.length > 0 !== (store !== undefined),
  {
    error: () => l10n.t('needs either "roots", files and folders, or "store", which has everything'),
  },
);
export type CorpusConfig = Read<typeof corpusSchema>;

const QUERY_PREFIX =
  'Put before every query, as it stands, spaces included. Models that take an instruction take it here: TART-dual "<instruction> [SEP] ", E5-instruct "Instruct: <instruction>\\nQuery: ", INSTRUCTOR "<instruction>: " with poolPrefix false, E5 "query: ".';
const PASSAGE_PREFIX =
  'Put before every passage, as it stands, spaces included: nothing for TART-dual and E5-instruct, an instruction of its own for INSTRUCTOR, "passage: " for E5. A change embeds the corpus again.';

/** @param plain the default without a preset */
const orPreset = (plain: string): string => `When left out: as the preset says, else ${plain}.`;

export const openAiEmbedderSchema = z
  .strictObject({
    type: z.literal('openai'),
    baseUrl: endpointUrl.default('https://api.openai.com/v1'),
    model: z.string().min(1),
    dimensions: z.number().int().min(1).optional(),
    queryPrefix: z.string().default('').describe(QUERY_PREFIX),
    passagePrefix: z.string().default('').describe(PASSAGE_PREFIX),
    batchSize: z.number().int().min(1).max(2048).default(64),
    key: z
      .string()
      .default('openai')
      .describe('Name under which the API key is stored; command line: <NAME>_API_KEY.'),
    ...endpointFields,
  })
  .describe('An OpenAI-compatible /embeddings endpoint.');
export type OpenAiEmbedderConfig = Read<typeof openAiEmbedderSchema>;

/** Passages embedded at once. A crash loses no more than this of a model that costs money. */
export const EMBEDDING_BATCH = 256;

/** Upper bound of the requests that embed passages. */
export function embeddingRequests(passages: number, { batchSize }: OpenAiEmbedderConfig): number {
  const ofBatch = Math.ceil(Math.min(passages, EMBEDDING_BATCH) / batchSize);
  return Math.ceil(passages / EMBEDDING_BATCH) * ofBatch;
}

export const embedderSchema = z.discriminatedUnion('type', [
  z
    .strictObject({ type: z.literal('hashing'), dimensions: z.number().int().min(8).max(4096).default(384) })
    .describe('Offline word and character hashing; finds shared words, not shared meaning.'),
  z
    .strictObject({ type: z.literal('meaning') })
    .describe(
      'The sentence encoder that ships with Parallax, for English (Universal Sentence Encoder lite). It reads about 100 words at a time: longer passages are split, and the vectors of their parts averaged.',
    ),
  z
    .strictObject({
      type: z.literal('onnx'),
      path: z.string().min(1).describe('Folder with model.onnx (or onnx/model.onnx) and tokenizer.json.'),
      query: z
        .string()
        .min(1)
        .optional()
        .describe(
          'Folder of another model that encodes queries, such as the question encoder of DPR; "path" then encodes passages alone.',
        ),
      file: z.string().optional().describe('Model file within the folder, e.g. onnx/model_quantized.onnx.'),
      preset: z
        .enum(ENCODER_PRESETS, {
          error: () => l10n.t`unknown preset; available: ${ENCODER_PRESETS.join(', ')}`,
        })
        .optional()
        .describe(
          'A model whose pooling, length, prefixes and scale are known. What is given beside it counts instead.',
        ),
      pooling: z.enum(['mean', 'cls', 'pooler']).optional().describe(orPreset('"mean"')),
      maxTokens: z
        .number()
        .int()
        .min(2)
        .max(32_768)
        .optional()
        .describe(orPreset(String(PLAIN_ENCODER.maxTokens))),
      queryPrefix: z
        .string()
        .optional()
        .describe(`${QUERY_PREFIX} ${orPreset('nothing')}`),
      passagePrefix: z
        .string()
        .optional()
        .describe(`${PASSAGE_PREFIX} ${orPreset('nothing')}`),
      poolPrefix: z
        .boolean()
        .optional()
        .describe(
          `false leaves the tokens of the prefix out of the mean, as INSTRUCTOR does (whose dense layer must be part of the graph); the model still reads them. ${orPreset('true')}`,
        ),
      normalize: z
        .boolean()
        .optional()
        .describe(
          `Scale vectors to length 1; false for models compared by inner product, such as TART-dual. ${orPreset('true')}`,
        ),
    })
    .transform((settings) => ({ ...settings, ...encoderSettings(settings.preset, settings) }))
    .refine(({ poolPrefix, pooling }) => poolPrefix || pooling === 'mean', {
      path: ['poolPrefix'],
      error: () => l10n.t('false needs pooling "mean": only a mean can leave tokens out'),
    })
    .refine(({ preset, query }) => preset !== 'dpr' || query !== undefined, {
      path: ['query'],
      error: () => l10n.t('DPR encodes queries with a model of their own: give its folder here'),
    })
    .describe('A sentence encoder that runs on this machine.'),
  openAiEmbedderSchema,
]);
export type EmbedderConfig = Read<typeof embedderSchema>;

const bindingSchema = z.strictObject({
  file: z.string().min(1).describe('Path of the program, relative to parallax.json.'),
  within: z
    .string()
    .optional()
    .describe('Enclosing classes and functions of the call, e.g. "Service.ask"; all calls when left out.'),
  callee: z.string().min(1).optional().describe('Last name of what is called, e.g. "as_retriever".'),
  pipeline: z
    .string()
    .min(1)
    .describe(
      'Name of the pipeline that answers for the call; "captured", or "captured:" and a retriever\'s name, for what the running program retrieves.',
    ),
});
/** Binds a pipeline of `parallax.json` to a call. */
export type Binding = Read<typeof bindingSchema>;

export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  version: z
    .literal([1, 2])
    .default(1)
    .describe(
      'What holds for a corpus without "split". 2: whole sentences of one section under a heading. 1: every 100 words, as before, so that passages, labels and baselines stay what they are.',
    ),
  corpora: z.record(z.string().min(1), corpusSchema).default({}),
  /** The corpus that the side panel opens. Defaults to the first. */
  corpus: z.string().optional(),
  embedders: z.record(z.string().min(1), embedderSchema).default({}),
  pipelines: z.record(z.string().min(1), pipelineSchema).default({}),
  judges: z.record(z.string().min(1), judgeSchema).default({}),
  /** The judge in use: `labels`, `vscode` or a name from `judges`. */
  judge: z.string().optional(),
  evalSets: z
    .array(z.string())
    .default([])
    .describe(
      'Eval set files, glob patterns, or folders with all .jsonl files in them; relative to parallax.json.',
    ),
  /** The model that proposes perspectives. Defaults to the judge's model. */
  generator: z.string().optional(),
  gate: gateSchema.optional(),
  behaviour: behaviourSchema
    .default({})
    .describe(
      'For "parallax check --behaviour": by the name of a pipeline, the names of others that are it with one thing changed, where Parallax cannot change it by itself.',
    ),
  capture: z
    .strictObject({
      tools: toolsSchema
        .default({})
        .describe(
          'Tools of agents, and traced functions, that retrieve and answer in a form of their own, by their names.',
        ),
    })
    .default({ tools: {} }),
  callSites: z
    .array(callSiteRuleSchema)
    .default([])
    .describe(
      'Further calls that retrieve, beside which figures are shown; the name of a known library extends it.',
    ),
  sites: z
    .strictObject({
      calls: z
        .array(wrapperSchema)
        .default([])
        .describe('Functions of your own that retrieve, beside whose calls figures are shown.'),
    })
    .default({ calls: [] }),
  bindings: z
    .array(bindingSchema)
    .default([])
    .describe('Which pipeline stands for which call in the code; the first that fits counts.'),
});
/**
 * Validates the JSON of a `parallax.json` and adds the defaults of its version.
 *
 * @returns like zod's `safeParse`
 */
export function parseConfigJson(json: unknown): ReturnType<typeof configSchema.safeParse> {
  return configSchema.safeParse(withStores(withSplits(json)));
}

/** Files of version 1 keep the splits and thus the passages that they had. */
function withSplits(json: unknown): unknown {
  if (!isObject(json) || json['version'] !== 2 || !isObject(json['corpora'])) return json;
  const corpora = Object.entries(json['corpora']).map(([name, corpus]) => [
    name,
    isObject(corpus) && !('split' in corpus) ? { ...corpus, split: SECTIONS_SPLIT } : corpus,
  ]);
  return { ...json, corpora: Object.fromEntries(corpora) as unknown };
}

/** A corpus in a store without a pipeline is searched by the store itself. */
function withStores(json: unknown): unknown {
  if (!isObject(json) || !isObject(json['corpora'])) return json;
  const { pipelines } = json;
  if (pipelines !== undefined && !(isObject(pipelines) && Object.keys(pipelines).length === 0)) return json;
  const stored = Object.entries(json['corpora']).flatMap(([name, corpus]) =>
    isObject(corpus) && isObject(corpus['store']) ? [[name, { retriever: corpus['store'] }]] : [],
  );
  return stored.length === 0 ? json : { ...json, pipelines: Object.fromEntries(stored) as unknown };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `parallax.json` with all defaults. */
export type ParallaxConfig = Read<typeof configSchema>;
export const CONFIG_FILE = 'parallax.json';
/** Human labels of a workspace. Should be under version control. */
export const LABELS_FILE = '.parallax/judgements.jsonl';
/** Proposed and reviewed items of an eval set. Should be under version control. */
export const DRAFTS_FILE = '.parallax/drafts.jsonl';
