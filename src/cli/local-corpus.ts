/** A corpus of the command line with its engine. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { SECTIONS_SPLIT } from '../core/split/spec.ts';
import { corpusSchema, type ParallaxConfig } from '../shared/config.ts';
import type { CorpusRef } from '../shared/requests/configuration.ts';
import type { IndexReport } from '../shared/requests/corpora.ts';
import { LocalEngine, OWNER_ONLY, type LocalEngineOptions } from './local-engine.ts';
import { makeTemporaryFolder } from '../engine/store/temporary-folder.ts';
import { usableStore } from './read-only-store.ts';
import { formatSkipped, progressLine } from './presentation/progress.ts';
import {
  corpusFolder,
  isWithin,
  paidFolder,
  readStoreManifest,
  writeStoreManifest,
  type Models,
  type PassageSource,
} from './store-manifest.ts';
import type { Io } from './presentation/terminal.ts';

/** An engine, with or without a corpus. Closed at the end of its block with `await using`. */
export interface OpenedEngine extends AsyncDisposable {
  readonly engine: LocalEngine;
  /** The corpus name in requests. */
  readonly corpus?: string;
}

export type LocalCorpus = OpenedEngine & { readonly corpus: string };

function opened<T extends { readonly engine: LocalEngine }>(parts: T): T & AsyncDisposable {
  return { ...parts, [Symbol.asyncDispose]: () => parts.engine[Symbol.asyncDispose]() };
}

export interface CorpusSource extends Pick<CorpusRef, 'name' | 'base' | 'config'> {
  /** Name of the index's folder in a store of several indexes. Defaults to the store itself. */
  readonly within?: string | undefined;
}

export interface PathsOptions {
  readonly paths: readonly string[];
  readonly split: PassageSource['split'];
  /** Defaults to the editor's rule without parallax.json: code is included only if there is hardly anything else. */
  readonly code?: PassageSource['code'] | undefined;
  readonly textField?: string | undefined;
  /** Like `perQuery` of a corpus in parallax.json. */
  readonly perQuery?: boolean | undefined;
}

/** Files and folders as a corpus, relative to the working directory. */
export function corpusOfPaths({ paths, split, code, textField, perQuery }: PathsOptions): CorpusSource {
  const roots = paths.map((each) => path.resolve(each));
  const config = corpusSchema.parse({ roots, split, code: code ?? 'auto', textField, perQuery });
  return { name: 'command line', base: process.cwd(), config };
}

/**
 * A corpus of `parallax.json`, or `undefined` if there is none of that name. Its index has the same place in the store
 * for every command: a single corpus is the store itself, several are folders in it by name.
 *
 * @param base folder of parallax.json
 */
export function configuredCorpus(
  name: string,
  { corpora }: Pick<ParallaxConfig, 'corpora'>,
  base: string,
): CorpusSource | undefined {
  const config = Object.hasOwn(corpora, name) ? corpora[name] : undefined;
  if (!config) return undefined;
  return { name, base, config, within: Object.keys(corpora).length > 1 ? name : undefined };
}

/**
 * The corpus of `parallax.json` of that name, else the file or folder of that path. @param base folder of parallax.json
 */
export function corpusNamed(
  name: string,
  config: Pick<ParallaxConfig, 'corpora'>,
  base: string,
): CorpusSource {
  return configuredCorpus(name, config, base) ?? corpusOfPaths({ paths: [name], split: SECTIONS_SPLIT });
}

/** The corpus that `parallax.json` selects, or its only one. Empty if there are several or none. */
export function corpusNames({ corpus, corpora }: Pick<ParallaxConfig, 'corpus' | 'corpora'>): string[] {
  if (corpus !== undefined && Object.hasOwn(corpora, corpus)) return [corpus];
  const names = Object.keys(corpora);
  return names.length === 1 ? names : [];
}

/** The corpus for the engine, with the place of its index in a store. */
export function placedCorpus({ name, base, config, within = '' }: CorpusSource, store: string): CorpusRef {
  return { name, base, config, excludeGlobs: [], store: corpusFolder(store, within) };
}

/** The place of an index, and the engine's options for it. */
export interface PlacedCorpus {
  readonly options: LocalEngineOptions & { readonly corpora: readonly [CorpusRef] };
  /** The folder of the index, if it is deleted with the engine. */
  readonly temporary: string | undefined;
}

/**
 * Creates the folder of an index. Model answers are stored in the store, for all of its indexes.
 *
 * @param store the folder of one or several indexes; defaults to a temporary folder, without storing answers
 * @param base the folder that relative paths of models start from; defaults to the base of the corpus
 */
export async function placeCorpus(
  source: CorpusSource,
  store: string | undefined,
  models: Models,
  base = source.base,
): Promise<PlacedCorpus> {
  const folder = store ? path.resolve(store) : await makeTemporaryFolder('index');
  const corpus = placedCorpus(source, folder);
  await mkdir(corpus.store, { recursive: true, mode: OWNER_ONLY });
  const within = source.within !== undefined || (await isWithin(corpus.store));
  await writeStoreManifest({ corpus, models, within });
  const storage = store ? folder : undefined;
  return {
    options: { base, storage, corpora: [corpus], models },
    temporary: store ? undefined : folder,
  };
}

/**
 * Opens a corpus, or starts its index; for `store` and `base` see {@link placeCorpus}. If `store` is not writable,
 * works on a copy of it.
 *
 * @throws ParallaxError `store-unusable`
 */
export async function openCorpus(
  source: CorpusSource,
  store: string | undefined,
  models: Models,
  io: Io,
  base?: string,
): Promise<LocalCorpus> {
  const usable = store ? await usableStore(store, io) : undefined;
  const { options, temporary } = await placeCorpus(source, usable?.folder, models, base);
  const engine = await LocalEngine.open(options, io, usable?.temporary ?? temporary);
  return opened({ corpus: source.name, engine });
}

/**
 * Opens an index made by `parallax index`, or a copy of it if it is not writable.
 *
 * @param judges added to those that it was made with
 * @throws ParallaxError `not-found`, `store-unusable`
 */
export async function openStore(store: string, io: Io, judges: Models['judges'] = {}): Promise<LocalCorpus> {
  await readStoreManifest(store);
  // If the store has to be copied, paid answers are copied with it.
  const all = await paidFolder(path.resolve(store));
  const usable = await usableStore(all, io);
  const folder = path.join(usable.folder, path.relative(all, path.resolve(store)));
  const { corpus, models: storedModels } = await readStoreManifest(folder);
  const models = { ...storedModels, judges: { ...storedModels.judges, ...judges } };
  const options = { base: corpus.base, storage: corpus.store, corpora: [corpus], models };
  return opened({ corpus: corpus.name, engine: await LocalEngine.open(options, io, usable.temporary) });
}

/**
 * Opens an engine. If there is a corpus, brings its index up to date.
 *
 * @param options `storage` is also the store of the corpus
 * @throws ParallaxError `store-unusable`, and the errors of the request `index`
 */
export async function openUpToDate(
  source: CorpusSource | undefined,
  options: Pick<LocalEngineOptions, 'base' | 'storage' | 'models'>,
  io: Io,
  signal?: AbortSignal,
): Promise<OpenedEngine> {
  if (!source) return opened({ engine: await LocalEngine.open(options, io) });
  const local = await openCorpus(source, options.storage, options.models, io, options.base);
  try {
    await updateIndex(local, io, { signal });
    return local;
  } catch (error) {
    await local[Symbol.asyncDispose]();
    throw error;
  }
}

export function updateIndex(
  { corpus, engine }: LocalCorpus,
  io: Io,
  { signal, title = 'Indexing' }: { readonly signal?: AbortSignal | undefined; readonly title?: string } = {},
): Promise<IndexReport> {
  const onProgress = progressLine(io, title);
  return engine.request('index', { corpus, rebuild: false }, { signal, onProgress });
}

/** Reports on standard error which files could not be indexed. */
export async function warnOfSkipped({ corpus, engine }: LocalCorpus, io: Io): Promise<void> {
  const { files } = await engine.request('skipped', { corpus });
  for (const line of formatSkipped(files)) io.stderr(line);
}
