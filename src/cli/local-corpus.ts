/** A corpus of the command line, and the engine that has it open. */
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SECTIONS_SPLIT } from '../core/split/spec.ts';
import { corpusSchema, type ParallaxConfig } from '../shared/config.ts';
import type { CorpusRef } from '../shared/requests/configuration.ts';
import type { IndexReport } from '../shared/requests/corpora.ts';
import { LocalEngine, OWNER_ONLY, type LocalEngineOptions } from './local-engine.ts';
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

/** An engine, perhaps with a corpus; it is closed with the block in which it is opened: `await using`. */
export interface OpenedEngine extends AsyncDisposable {
  readonly engine: LocalEngine;
  /** For requests. */
  readonly corpus?: string;
}

export type LocalCorpus = OpenedEngine & { readonly corpus: string };

function opened<T extends { readonly engine: LocalEngine }>(parts: T): T & AsyncDisposable {
  return { ...parts, [Symbol.asyncDispose]: () => parts.engine[Symbol.asyncDispose]() };
}

export interface CorpusSource extends Pick<CorpusRef, 'name' | 'base' | 'config'> {
  /** Names the folder of its index where a store holds several; its index is the store itself when left out. */
  readonly within?: string | undefined;
}

export interface PathsOptions {
  readonly paths: readonly string[];
  readonly split: PassageSource['split'];
  /** As in the editor, where there is no parallax.json, when left out: only where there is hardly anything else. */
  readonly code?: PassageSource['code'] | undefined;
  readonly textField?: string | undefined;
  /** As `perQuery` of a corpus in parallax.json. */
  readonly perQuery?: boolean | undefined;
}

/** Files and folders as a corpus; its base is the working directory. */
export function corpusOfPaths({ paths, split, code, textField, perQuery }: PathsOptions): CorpusSource {
  const roots = paths.map((each) => path.resolve(each));
  const config = corpusSchema.parse({ roots, split, code: code ?? 'auto', textField, perQuery });
  return { name: 'command line', base: process.cwd(), config };
}

/**
 * A corpus of `parallax.json`, nothing where it has none of that name. Every command finds its index at the same place of
 * a store: the only one is the store itself, several lie in it by their names.
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

/** The corpus of `parallax.json` that an option names, or else its folder or file. @param base folder of parallax.json */
export function corpusNamed(
  given: string,
  config: Pick<ParallaxConfig, 'corpora'>,
  base: string,
): CorpusSource {
  return configuredCorpus(given, config, base) ?? corpusOfPaths({ paths: [given], split: SECTIONS_SPLIT });
}

/** The corpus that `parallax.json` names as its own, or its only one; none where there are several, or there is none. */
export function corpusNames({ corpus, corpora }: Pick<ParallaxConfig, 'corpus' | 'corpora'>): string[] {
  if (corpus !== undefined && Object.hasOwn(corpora, corpus)) return [corpus];
  const names = Object.keys(corpora);
  return names.length === 1 ? names : [];
}

/** With the place of its index in a store, for the engine. */
export function placedCorpus({ name, base, config, within = '' }: CorpusSource, store: string): CorpusRef {
  return { name, base, config, excludeGlobs: [], store: corpusFolder(store, within) };
}

/** Where an index is, and what the engine has to know of it. */
export interface PlacedCorpus {
  readonly options: LocalEngineOptions & { readonly corpora: readonly [CorpusRef] };
  /** The folder of the index, where it goes with the engine. */
  readonly temporary: string | undefined;
}

/**
 * Makes the folder of an index. What models answer is kept in the store, for all of its indexes.
 *
 * @param store the folder of the index, or of several; a temporary one, and nothing is kept, when left out
 * @param base where relative paths of models start; where those of the corpus do when left out
 */
export async function placeCorpus(
  source: CorpusSource,
  store: string | undefined,
  models: Models,
  base = source.base,
): Promise<PlacedCorpus> {
  const folder = store ? path.resolve(store) : await mkdtemp(path.join(tmpdir(), 'parallax-'));
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
 * Opens a corpus, or begins its index; for `store` and `base` see {@link placeCorpus}. Where `store` cannot be written,
 * this works on a copy of it.
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
 * Opens an index that `parallax index` made, or a copy of it where it cannot be written.
 *
 * @param judges beside those that it was made with
 * @throws ParallaxError `not-found`, `store-unusable`
 */
export async function openStore(store: string, io: Io, judges: Models['judges'] = {}): Promise<LocalCorpus> {
  await readStoreManifest(store);
  // Paid answers go with the store where it has to be copied.
  const all = await paidFolder(path.resolve(store));
  const usable = await usableStore(all, io);
  const folder = path.join(usable.folder, path.relative(all, path.resolve(store)));
  const { corpus, models: made } = await readStoreManifest(folder);
  const models = { ...made, judges: { ...made.judges, ...judges } };
  const options = { base: corpus.base, storage: corpus.store, corpora: [corpus], models };
  return opened({ corpus: corpus.name, engine: await LocalEngine.open(options, io, usable.temporary) });
}

/**
 * Opens an engine, with a corpus whose index is up to date where there is one.
 *
 * @param options `storage` is the store of the corpus, too
 * @throws ParallaxError `store-unusable`, and as the request `index`
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

/** Brings an index up to date. */
export function updateIndex(
  { corpus, engine }: LocalCorpus,
  io: Io,
  { signal, title = 'Indexing' }: { readonly signal?: AbortSignal | undefined; readonly title?: string } = {},
): Promise<IndexReport> {
  const onProgress = progressLine(io, title);
  return engine.request('index', { corpus, rebuild: false }, { signal, onProgress });
}

/** Says on standard error which files an index had to leave out. */
export async function warnOfSkipped({ corpus, engine }: LocalCorpus, io: Io): Promise<void> {
  const { files } = await engine.request('skipped', { corpus });
  for (const line of formatSkipped(files)) io.stderr(line);
}
