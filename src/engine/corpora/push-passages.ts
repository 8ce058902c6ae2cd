/**
 * Writes the passages of a corpus with their vectors to a store, under their own ids. The content of the store is the
 * only record of progress: after an interrupted run, the next one adds what is missing.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError, throwIfCancelled } from '../../core/errors.ts';
import { isSameText } from '../../core/external/match.ts';
import { storeLabel } from '../../core/external/store-types.ts';
import { storeRetrieverSchema, type StoreRetriever } from '../../core/external/stores.ts';
import type { Params, Result } from '../../shared/rpc.ts';
import { Pace } from '../concurrency/pace.ts';
import type { ExternalRetrievers } from '../external/external-retrievers.ts';
import type { NewRecord, RemoteStore, StoreWriter } from '../external/stores/remote-store.ts';
import type { Slot, StoredPassage, WorkOptions } from '../types.ts';
import type { CorpusIndex } from './corpus-index.ts';

/** Passages in one request: vectors of a thousand dimensions are two megabytes as text. */
const BATCH = 128;

/**
 * @throws ParallaxError `bad-argument` if the corpus has no passages here, or the store no vectors; `not-found` if
 *   the store lacks the table or collection; `retriever-failed`, `untrusted`, `model-key`, `cancelled` (keeps what
 *   was added until then); what the embedder throws
 */
export async function pushPassages(
  index: CorpusIndex,
  externals: Pick<ExternalRetrievers, 'store'>,
  { store: spec, create, indexed = true }: Omit<Params<'push'>, 'corpus'>,
  work: WorkOptions,
): Promise<Result<'push'>> {
  const label = storeLabel(spec);
  if (index.ref.config.store)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`The corpus "${index.ref.name}" is in a store. Name a corpus of files and folders.`,
    );
  const store = externals.store(withoutFilter(spec));
  const { writer, vectors } = store;
  if (!vectors)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`${label} cannot be filled: its settings do not say by which embedder vectors are made, or in which field they are.`,
    );
  if (!writer)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`${label} is searched only: Parallax fills PostgreSQL, Qdrant, Chroma, OpenSearch and Elasticsearch. Fill it with its own client.`,
    );
  const slots = index.slots();
  await requireIds(index, writer, slots, work);
  const lack = await requirePlace(
    writer,
    { label, create, indexed },
    () => dimensionsOf(index, vectors.embedder, slots, work),
    work,
  );
  let [added, held, differing] = [0, 0, 0];
  for (let from = 0; from < slots.length; from += BATCH) {
    throwIfCancelled(work.signal);
    work.onProgress?.({ done: from, total: slots.length, detail: label });
    const batch = index.passages(slots.slice(from, from + BATCH));
    const texts = await textsIn(store, batch, work);
    const missing = batch.filter(({ id }) => !texts.has(id));
    if (missing.length > 0)
      await writer.add(await newRecords(index, vectors.embedder, missing, work), work.signal);
    added += missing.length;
    held += batch.length - missing.length;
    differing += batch.filter(
      ({ id, text }) => texts.has(id) && !isSameText(texts.get(id) ?? '', text),
    ).length;
  }
  work.onProgress?.({ done: slots.length, total: slots.length, detail: label });
  return { added, held, differing, ...(lack === undefined ? {} : { lack }) };
}

/** Passages that a pipeline filters out are in the store, too. */
function withoutFilter(spec: StoreRetriever): StoreRetriever {
  const entries = Object.entries(spec).filter(([name]) => name !== 'where' && name !== 'filter');
  return storeRetrieverSchema.parse(Object.fromEntries(entries));
}

/** Checks all ids before the first write: a store that renames them would not find passages by the same ids. */
async function requireIds(
  index: CorpusIndex,
  { requireIds: require }: StoreWriter,
  slots: readonly Slot[],
  { signal }: WorkOptions,
): Promise<void> {
  if (!require) return;
  const pace = new Pace({ signal });
  for (let from = 0; from < slots.length; from += BATCH) {
    require(slots.slice(from, from + BATCH).map((slot) => index.passageId(slot)));
    if (pace.due) await pace.rest();
  }
}

/** @returns what could not be created, if it is created now */
async function requirePlace(
  writer: StoreWriter,
  { label, create, indexed }: { readonly label: string; readonly create: boolean; readonly indexed: boolean },
  dimensions: () => Promise<number>,
  { signal }: WorkOptions,
): Promise<string | undefined> {
  if (await writer.exists(signal)) return undefined;
  if (!create) throw new ParallaxError('not-found', l10n.t`${label} is not there yet; --create makes it.`);
  let lack: string | undefined;
  await writer.create(await dimensions(), { indexed, onLack: (message) => (lack = message) }, signal);
  return lack;
}

async function dimensionsOf(
  index: CorpusIndex,
  embedder: string,
  slots: readonly Slot[],
  work: WorkOptions,
): Promise<number> {
  return (await index.vectors(embedder, slots.slice(0, 1), work)).length;
}

/** Texts of the passages that the store has, by their ids. */
async function textsIn(
  store: RemoteStore,
  passages: readonly StoredPassage[],
  { signal }: WorkOptions,
): Promise<Map<string, string>> {
  const records = await store.records(
    passages.map(({ id }) => id),
    signal,
  );
  return new Map(records.map(({ id = '', text = '' }) => [id, text]));
}

async function newRecords(
  index: CorpusIndex,
  embedder: string,
  passages: readonly StoredPassage[],
  work: WorkOptions,
): Promise<NewRecord[]> {
  const slots = passages.map(({ slot }) => slot);
  const vectors = await index.vectors(embedder, slots, { signal: work.signal });
  const dimensions = vectors.length / passages.length;
  return passages.map((passage, place) => ({
    id: passage.id,
    text: passage.text,
    vector: vectors.subarray(place * dimensions, (place + 1) * dimensions),
    metadata: metadataOf(passage),
  }));
}

/** Under the field names that tell where a record comes from. */
function metadataOf({ title, section, documentId, fields }: StoredPassage): NewRecord['metadata'] {
  return {
    ...fields,
    // Records of files may have no title.
    ...(title === '' ? {} : { title }),
    source: documentId,
    ...(section === undefined || section === '' ? {} : { section }),
  };
}
