/** Corpora and pipelines as the command line names them. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { ParallaxError } from '../core/errors.ts';
import { BUILT_IN_PIPELINES, describeIssue, parsePipeline, type Pipeline } from '../core/pipeline.ts';
import { CorpusIndex } from '../engine/corpora/corpus-index.ts';
import { Embedders } from '../engine/embedders/embedders.ts';
import { ExternalRetrievers } from '../engine/external/external-retrievers.ts';
import { Claims } from '../engine/judgements/claims.ts';
import { GenerationCache } from '../engine/generation/generation-cache.ts';
import { JudgementCache } from '../engine/judgements/judgement-cache.ts';
import { JudgementService } from '../engine/judgements/judgement-service.ts';
import { Judges } from '../engine/judges/judges.ts';
import { LabelsFile } from '../engine/judgements/labels-file.ts';
import { NliModels } from '../engine/models/nli-models.ts';
import { PaidReplies } from '../engine/models/paid-replies.ts';
import { CrossEncoders } from '../engine/rerankers/cross-encoders.ts';
import { EngineServices } from '../engine/retrieval/engine-services.ts';
import type { PipelineServices } from '../engine/retrieval/run-pipeline.ts';
import { openDatabase } from '../engine/store/database.ts';
import {
  CONFIG_FILE,
  configSchema,
  corpusSchema,
  LABELS_FILE,
  splitSchema,
  type ParallaxConfig,
  type SplitSpec,
} from '../shared/config.ts';
import { corpusRefSchema, type CorpusRef } from '../shared/requests/configuration.ts';
import { printable } from './printable.ts';
import { required, UsageError, type Io } from './terminal.ts';

/** Written beside an index: what it was made from, so that `search --store` needs nothing else. */
const MANIFEST = 'parallax-store.json';
/** Of folders with passages and answers, where they are made: closed to other users of the machine. */
export const OWNER_ONLY = 0o700;
const modelsSchema = configSchema.pick({ embedders: true, judges: true, judge: true, generator: true });
/** What `parallax.json` says about models. */
type Models = z.output<typeof modelsSchema>;
const manifestSchema = z.object({ corpus: corpusRefSchema, models: modelsSchema });

export interface NamedPipeline {
  /** Its own, the one it was asked for by, or its JSON as it was given. */
  readonly name: string;
  readonly pipeline: Pipeline;
}

export interface LocalCorpus {
  readonly corpus: CorpusIndex;
  /** Models, files and judges as `parallax.json` names them. */
  readonly services: PipelineServices;
  readonly judges: Judges;
  readonly judgementService: JudgementService;
  /** Kept with the index, like all that is paid for. */
  readonly replies: PaidReplies;
  /** Closes the index, and removes it if it was temporary. */
  close(): Promise<void>;
}

export interface LocalCorpusOptions {
  readonly paths: readonly string[];
  /** Folder of the index; a temporary one when left out. */
  readonly store: string | undefined;
  readonly split: SplitSpec;
  readonly textField?: string | undefined;
  /** As `perQuery` of a corpus in parallax.json. */
  readonly perQuery?: boolean | undefined;
  readonly config: ParallaxConfig;
}

/**
 * Opens the index of files and folders, or begins one.
 *
 * @throws ParallaxError `store-unusable`
 */
export async function openPaths(options: LocalCorpusOptions, io: Io): Promise<LocalCorpus> {
  const { paths, store, split, textField, perQuery, config } = options;
  const corpus = corpusSchema.parse({
    roots: paths.map((each) => path.resolve(each)),
    split,
    textField,
    perQuery,
  });
  return openCorpus({ name: 'command line', base: process.cwd(), config: corpus }, store, config, io);
}

/**
 * Opens the index of a corpus such as `parallax.json` describes, or begins one.
 *
 * @param store folder of the index; a temporary one when left out
 * @throws ParallaxError `store-unusable`
 */
export async function openCorpus(
  corpus: Pick<CorpusRef, 'name' | 'base' | 'config'>,
  store: string | undefined,
  config: ParallaxConfig,
  io: Io,
): Promise<LocalCorpus> {
  const folder = store ? path.resolve(store) : await mkdtemp(path.join(tmpdir(), 'parallax-'));
  const ref: CorpusRef = { ...corpus, excludeGlobs: [], store: folder };
  await mkdir(folder, { recursive: true, mode: OWNER_ONLY });
  const { embedders, judges, judge, generator } = config;
  const models: Models = { embedders, judges, judge, generator };
  await writeFile(path.join(folder, MANIFEST), JSON.stringify({ corpus: ref, models }));
  return open(ref, models, io, store ? undefined : folder);
}

/**
 * Opens an index that `parallax index` made.
 *
 * @throws ParallaxError `not-found`
 */
export async function openStore(store: string, io: Io): Promise<LocalCorpus> {
  const manifest = path.join(store, MANIFEST);
  if (!existsSync(manifest))
    throw new ParallaxError(
      'not-found',
      `There is no index in ${store}. Make one: parallax index <path> --store ${store}`,
    );
  const { corpus, models } = parseStoreManifest(await readFile(manifest, 'utf8'), store);
  return open({ ...corpus, store: path.resolve(store) }, models, io, undefined);
}

/**
 * What stands beside an index of the command line.
 *
 * @param store named in the error
 * @throws ParallaxError `store-unusable`
 */
export function parseStoreManifest(text: string, store: string): z.output<typeof manifestSchema> {
  const unusable = (reason: string): ParallaxError =>
    new ParallaxError(
      'store-unusable',
      l10n.t`${MANIFEST} in ${store} is damaged or was written by another version (${reason}). Make the index again: parallax index <path> --store ${store}`,
    );
  const json = parseJson(text, unusable);
  const { data, error } = manifestSchema.safeParse(json);
  if (data) return data;
  throw unusable(describeIssue(error, json));
}

async function open(
  ref: CorpusRef,
  models: Models,
  io: Io,
  temporary: string | undefined,
): Promise<LocalCorpus> {
  const keys = keysFromEnvironment(process.env);
  const log = (message: string): void => io.stderr(`${message}\n`);
  const embedders = new Embedders({ embedders: models.embedders, keys, base: ref.base });
  // Who runs the command line on a configuration trusts it.
  const crossEncoders = new CrossEncoders({ base: ref.base, trusted: true });
  const nliModels = new NliModels({ base: ref.base, trusted: true });
  const externals = new ExternalRetrievers({ base: ref.base, trusted: true, keys }, (name) =>
    embedders.get(name),
  );
  const corpus = await CorpusIndex.open(ref, {
    embedder: (name) => embedders.get(name),
    crossEncoders,
    externals,
    approximateAbove: Number.POSITIVE_INFINITY,
    log,
  });
  const database = openDatabase(path.join(ref.store, 'judgements.sqlite'));
  // A temporary folder is nobody else's.
  const claims = temporary === undefined ? new Claims(database, ref.store) : undefined;
  const cache = new JudgementCache(database, claims);
  const labels = new LabelsFile(path.join(ref.base, LABELS_FILE), log);
  const judges = new Judges({ judges: models.judges, keys }, cache, undefined, { labels, nliModels });
  const judgementService = new JudgementService(labels, cache);
  const services = new EngineServices({
    judges,
    judgementService,
    generations: new GenerationCache(database),
    generator: models.generator ?? models.judge,
    base: ref.base,
    passages: (slots) => corpus.passages(slots),
  });
  return {
    corpus,
    services,
    judges,
    judgementService,
    replies: new PaidReplies(cache.replies),
    close: async () => {
      await corpus.close();
      await embedders.dispose();
      await crossEncoders.dispose();
      await externals.dispose();
      await nliModels.dispose();
      claims?.close();
      database.close();
      if (temporary) await rm(temporary, { recursive: true, force: true });
    },
  };
}

/** `OPENAI_API_KEY` is the key named `openai`. */
export function keysFromEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const suffix = '_API_KEY';
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      name.endsWith(suffix) && value ? [[name.slice(0, -suffix.length).toLowerCase(), value]] : [],
    ),
  );
}

/**
 * `parallax.json` where `--config` says, else in the working directory, else the defaults.
 *
 * @throws ParallaxError `bad-config` naming the field, `not-found`
 */
export async function readConfig(file: string | undefined): Promise<ParallaxConfig> {
  const place = file ?? (existsSync(CONFIG_FILE) ? CONFIG_FILE : undefined);
  if (place === undefined) return configSchema.parse({});
  const text = await readFile(place, 'utf8').catch((error: unknown) => {
    throw new ParallaxError('not-found', `Cannot read ${place}.`, { cause: error });
  });
  const json = parseJson(
    text,
    (reason) => new ParallaxError('bad-config', `${place} is not valid JSON: ${reason}.`),
  );
  const parsed = configSchema.safeParse(json);
  if (!parsed.success)
    throw new ParallaxError('bad-config', `${place}: ${describeIssue(parsed.error, json)}`);
  return parsed.data;
}

/**
 * A pipeline given as JSON, or by its name in `parallax.json` or among the built-in ones.
 *
 * @throws UsageError for an unknown name or broken JSON, ParallaxError `bad-pipeline`
 */
export function readPipeline(text: string, config: ParallaxConfig): NamedPipeline {
  if (text.trimStart().startsWith('{')) {
    const pipeline = parsePipeline(
      parseJson(text, (reason) => new UsageError(`--pipeline is not valid JSON: ${reason}.`)),
    );
    return { name: pipeline.name ?? text.trim(), pipeline };
  }
  const named: Record<string, Pipeline> = { ...BUILT_IN_PIPELINES, ...config.pipelines };
  const pipeline = Object.hasOwn(named, text) ? named[text] : undefined;
  if (!pipeline)
    throw new UsageError(
      `There is no pipeline "${text}"; known are ${Object.keys(named).join(', ')}, or write it as JSON.`,
    );
  return { name: text, pipeline };
}

/**
 * The values of a repeated `--pipeline`.
 *
 * @throws UsageError where there is none, or two have the same name, and as {@link readPipeline}
 */
export function readPipelines(texts: readonly string[] = [], config: ParallaxConfig): NamedPipeline[] {
  required(texts[0], 'pipeline');
  const pipelines = texts.map((text) => readPipeline(text, config));
  const repeated = pipelines.find(({ name }, index) =>
    pipelines.slice(0, index).some((other) => other.name === name),
  );
  if (repeated)
    throw new UsageError(`Two pipelines are called ${repeated.name}; give one of them another "name".`);
  return pipelines;
}

/**
 * `none`, `words:100`, `tokens:256`, `sentences:5` or `headings:300`, or the JSON object of parallax.json.
 *
 * @throws UsageError
 */
export function readSplit(text: string): SplitSpec {
  const [type = '', size] = text.split(':');
  const value = text.trimStart().startsWith('{')
    ? parseJson(text, (reason) => new UsageError(`--split is not valid JSON: ${reason}.`))
    : { type, ...(size === undefined ? {} : { [type === 'headings' ? 'maxWords' : 'size']: Number(size) }) };
  const parsed = splitSchema.safeParse(value);
  if (!parsed.success) throw new UsageError(`--split: ${describeIssue(parsed.error, value)}`);
  return parsed.data;
}

function parseJson(text: string, failure: (reason: string) => Error): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw failure((error as Error).message);
  }
}

/** A line on standard error that is rewritten while work goes on; nothing where nobody looks. */
export function progressLine(
  io: Io,
  title: string,
): (progress: { done: number; total?: number | undefined }) => void {
  if (!process.stderr.isTTY) return () => undefined;
  return ({ done, total }) =>
    io.stderr(`\r${printable(title)} ${done}${total === undefined ? '' : ` of ${total}`}\u001b[K`, 'live');
}

/** Lines for standard error about files that were left out; the first few by name. */
export function formatSkipped(files: readonly { path: string; message: string }[]): string[] {
  const SHOWN = 10;
  const lines = files.slice(0, SHOWN).map(({ path: file, message }) => `skipped ${file}: ${message}\n`);
  return files.length > SHOWN ? [...lines, `… and ${files.length - SHOWN} more.\n`] : lines;
}
