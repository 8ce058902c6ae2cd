/**
 * The file beside an index of the command line that records how it was made, so that `search --store` needs no other
 * options.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../core/read.ts';
import { ParallaxError } from '../core/errors.ts';
import { describeIssue } from '../core/schema-issue.ts';
import { replaceText } from '../engine/files/output-file.ts';
import { readInput } from '../engine/files/read-input.ts';
import { configSchema, type CorpusConfig } from '../shared/config.ts';
import { ANSWERS_FILE, corpusRefSchema } from '../shared/requests/configuration.ts';
import { readJson } from './options/read-json.ts';

const MANIFEST = 'parallax-store.json';
const modelsSchema = configSchema.pick({ embedders: true, judges: true, judge: true, generator: true });
/** The part of `parallax.json` about models. */
export type Models = Read<typeof modelsSchema>;
const manifestSchema = z.object({
  corpus: corpusRefSchema,
  models: modelsSchema,
  /** Whether it is one of several in a folder, which stores the model answers for all of them. */
  within: z.boolean().default(false),
});
export type StoreManifest = Read<typeof manifestSchema>;

/**
 * The folder of a corpus' index in a store of several: inside the store, whatever the corpus is called; the store
 * itself for an empty name.
 */
export function corpusFolder(store: string, corpus: string): string {
  return path.join(
    store,
    /^\.{1,2}$/u.test(corpus) ? corpus.replaceAll('.', '%2E') : encodeURIComponent(corpus),
  );
}

export async function writeStoreManifest({ corpus, models, within }: StoreManifest): Promise<void> {
  // The models may be a whole parallax.json.
  const { embedders, judges, judge, generator } = models;
  const manifest = { corpus, models: { embedders, judges, judge, generator }, within };
  await replaceText(path.join(corpus.store, MANIFEST), JSON.stringify(manifest));
}

/** The largest configuration of a corpus, in bytes; usual ones have a page or two. */
const MAX_BYTES = 2 ** 20;

/**
 * The corpus is located in the given folder, wherever it was made.
 *
 * @throws ParallaxError `not-found`, `store-unusable`
 */
export async function readStoreManifest(store: string): Promise<StoreManifest> {
  const file = path.join(store, MANIFEST);
  if (!existsSync(file))
    throw new ParallaxError(
      'not-found',
      `There is no index in ${store}. Make one: parallax index <path> --store ${store}`,
    );
  const { corpus, ...manifest } = await readInput(file, (text) => parseStoreManifest(text, store), file, {
    maxBytes: MAX_BYTES,
  });
  return { ...manifest, corpus: { ...corpus, store: path.resolve(store) } };
}

/** The files of a corpus that are documents, and how they are split. */
export type PassageSource = Pick<CorpusConfig, 'split' | 'code'>;

/** How an index was made, so that it keeps its passages when it is updated. `undefined` if there is none. */
export async function madeWith(store: string): Promise<PassageSource | undefined> {
  const manifest = await manifestIn(store);
  return manifest && { split: manifest.corpus.config.split, code: manifest.corpus.config.code };
}

/** Whether an index is one of several in a folder. */
export async function isWithin(store: string): Promise<boolean> {
  return (await manifestIn(store))?.within ?? false;
}

/**
 * The folder of paid answers: the folder that was given as `--store` when an index was made, also if the index itself
 * is given. An index that was moved away from the others has its own.
 *
 * @param store absolute
 */
export async function paidFolder(store: string): Promise<string> {
  const above = path.dirname(store);
  return existsSync(path.join(above, ANSWERS_FILE)) && (await isWithin(store)) ? above : store;
}

async function manifestIn(store: string): Promise<StoreManifest | undefined> {
  try {
    return await readStoreManifest(store);
  } catch (error) {
    // An unreadable manifest is written again.
    if (ParallaxError.is(error)) return undefined;
    throw error;
  }
}

/**
 * @param store named in the error
 * @throws ParallaxError `store-unusable`
 */
export function parseStoreManifest(text: string, store: string): StoreManifest {
  const unusable = (reason: string): ParallaxError =>
    new ParallaxError(
      'store-unusable',
      l10n.t`${MANIFEST} in ${store} is damaged or was written by another version (${reason}). Make the index again: parallax index <path> --store ${store}`,
    );
  const json = readJson(text, unusable);
  const { data, error } = manifestSchema.safeParse(json);
  if (data) return data;
  throw unusable(describeIssue(error, json));
}
