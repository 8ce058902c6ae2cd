/** The configuration that the engine needs before any other request. */
import * as z from 'zod';
import type { Read } from '../../core/read.ts';
import { corpusSchema, embedderSchema } from '../config.ts';
import { judgeSchema } from '../judge-config.ts';

export const corpusRefSchema = z.object({
  name: z.string(),
  /** Folder that roots, document ids and model folders are relative to. */
  base: z.string(),
  config: corpusSchema,
  /** Globs hidden by the editor (`files.exclude`). */
  excludeGlobs: z.array(z.string()),
  /** Folder of the index. */
  store: z.string(),
  /** Whether only files in `base` are read, as the workspace is not trusted. */
  fenced: z.boolean().optional(),
});
export type CorpusRef = Read<typeof corpusRefSchema>;

/** Answers of models, in the engine's storage or its folder for answers. */
export const ANSWERS_FILE = 'judgements.sqlite';

const engineConfigSchema = z.object({
  /** Folder of data that belongs to no single corpus: the judgement cache. `:memory:` for none. */
  storage: z.string(),
  /** Folder of models' answers, if not {@link EngineConfig.storage}. */
  answers: z.string().optional(),
  /**
   * Which vectors of endpoints are kept beside the answers. `undefined` for none, as in the editor: its indexes keep
   * those of passages, and embed them again on request.
   */
  keptVectors: z.enum(['queries', 'all']).optional(),
  base: z.string(),
  /** Whether commands, endpoints and models of the workspace may be used, and files outside of `base`. */
  trusted: z.boolean(),
  corpora: z.array(corpusRefSchema),
  embedders: z.record(z.string(), embedderSchema),
  judges: z.record(z.string(), judgeSchema),
  /** The judge whose model proposes perspectives and rewrites queries. */
  generator: z.string().optional(),
  /** API keys by name. Kept in memory only; never written or logged. */
  keys: z.record(z.string(), z.string()),
  /** Human labels. `undefined` without a workspace folder. */
  labelsFile: z.string().optional(),
  /** The number of passages from which `search: "auto"` is approximate. */
  approximateAbove: z.number().int().min(0),
});
export type EngineConfig = Read<typeof engineConfigSchema>;

export const ENGINE_VERSION = '0.1.0';

export const configurationRequests = {
  configure: { params: engineConfigSchema, result: z.object({ version: z.string() }) },
} as const;
