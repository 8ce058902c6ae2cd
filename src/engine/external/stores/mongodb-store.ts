/** MongoDB with its vector search, in Atlas or on the user's own server, through the driver in the user's project. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../core/counted.ts';
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import type { MongoRetriever } from '../../../core/external/stores/mongodb.ts';
import { valueAt } from '../../../core/external/results.ts';
import type { ExternalResult } from '../../../core/external/spec.ts';
import { listOf } from '../../../core/formats/lists.ts';
import {
  openStore,
  StoreDialect,
  type AskedOf,
  type CollectionFacts,
  type Near,
  type Results,
} from './dialect-store.ts';
import { clientTrouble } from './own-client/client-trouble.ts';
import { ClientError } from './own-client/fault.ts';
import { StoreClient } from './own-client/store-client.ts';
import type { FindEmbedder } from './query-vectors.ts';
import type { RemoteStore, StoredRecord, VectorsByKey } from './remote-store.ts';
import { connectionTrouble, type StoreTrouble } from './store-calls.ts';
import { storedCount, storedRecord, vectorsByKey } from './stored-values.ts';
import { namesTlsFiles, readTlsFiles } from './tls-files.ts';
import type { MongoQuestions, MongoStage } from './mongodb/messages.ts';
import { mongoAddress } from './mongodb/mongo-address.ts';

/** The server's own limit. */
const MAX_CANDIDATES = 10_000;
/** MongoDB recommends considering twenty times as many candidates as results. */
const CANDIDATES_EACH = 20;

const indexForm = z.object({
  name: z.string(),
  type: z.string().optional(),
  queryable: z.boolean().optional(),
  status: z.string().optional(),
  latestDefinition: z.object({
    fields: listOf(
      z.object({
        type: z.string(),
        path: z.string().optional(),
        numDimensions: storedCount.optional(),
        similarity: z.string().optional(),
      }),
    ).optional(),
  }),
});
type SearchIndex = Read<typeof indexForm>;
/** Definitions of other indexes have another form. */
const indexesAnswer = listOf(
  indexForm.or(
    indexForm.omit({ latestDefinition: true }).transform((one) => ({ ...one, latestDefinition: {} })),
  ),
).optional();
const foundAnswer = listOf(
  z.object({ document: z.record(z.string(), z.unknown()), score: z.unknown().optional() }),
);
const vectorsAnswer = listOf(z.object({ key: z.unknown(), vector: z.unknown().optional() }));
type Found = Read<typeof foundAnswer>[number];

type MongoFacts = CollectionFacts & {
  /** The similarity that gives the scores. `undefined` if the server does not list it. */
  readonly similarity?: string | undefined;
};
type MongoClient = StoreClient<MongoQuestions>;

/** @param secret a password, or a connection string */
export function createStore(
  spec: MongoRetriever,
  secret: string | undefined,
  embedder: FindEmbedder,
): RemoteStore {
  const { client, database, collection, timeoutMs } = spec;
  const { url, servers, password } = mongoAddress(spec, secret);
  const access = {
    name: l10n.t`MongoDB at ${servers}`,
    explain: (error: unknown, store: string) => mongoTrouble(error, store, spec),
    secret: password,
  };
  return openStore<MongoRetriever, MongoFacts, MongoClient>(Mongo, spec, embedder, access, () => {
    return new StoreClient(async () => {
      const credentials = namesTlsFiles(spec) ? await readTlsFiles(spec) : undefined;
      const place = { client, url, database, collection, credentials, timeoutMs };
      return { store: 'mongodb', place };
    });
  });
}

class Mongo extends StoreDialect<MongoRetriever, MongoFacts, MongoClient> {
  /** Names of indexes that exist and can be searched. */
  readonly #ready = new Set<string>();

  get asksByVector(): boolean {
    return this.spec.mode !== 'text';
  }

  override async search({ text, near }: AskedOf<MongoFacts>, k: number, end: AbortSignal): Promise<Results> {
    const { mode, searchIndex } = this.spec;
    if (near && mode === 'vector') return this.nearest(near, k, end);
    await this.#requireReady(searchIndex, 'search', end);
    if (!near) {
      const documents = await this.#found(this.#byWords(text, k), { $meta: 'searchScore' }, end);
      return this.#scored(documents, (score) => score);
    }
    await this.#requireReady(this.spec.index, 'vectorSearch', end);
    const pipelines = { vectors: this.#byVector(near.vector, k), words: this.#byWords(text, k) };
    const fused = [{ $rankFusion: { input: { pipelines }, scoreDetails: true } }, { $limit: k }];
    const documents = await this.#found(fused, { $meta: 'scoreDetails' }, end);
    return this.#scored(
      documents.map((one) => ({ ...one, score: valueAt(one.score, 'value') })),
      (score) => score,
    );
  }

  async nearest(
    { vector, facts: { similarity } }: Near<MongoFacts>,
    k: number,
    end: AbortSignal,
  ): Promise<Results> {
    const { index } = this.spec;
    await this.#requireReady(index, 'vectorSearch', end);
    const documents = await this.#found(this.#byVector(vector, k), { $meta: 'vectorSearchScore' }, end);
    if (documents.length === 0) await this.#requireStillThere(index, end);
    // Both are returned as (1 + similarity) / 2.
    const isHalved = similarity === 'cosine' || similarity === 'dotProduct';
    return this.#scored(documents, (score) => (isHalved ? 2 * score - 1 : score));
  }

  async count(end: AbortSignal): Promise<number> {
    const answer = await this.client.ask({ asked: 'count', of: { filter: this.spec.filter } }, end);
    return this.calls.checked(storedCount, answer);
  }

  override async first(limit: number, end: AbortSignal): Promise<readonly StoredRecord[]> {
    const stages = [...this.#filtered, { $sort: { _id: 1 } }, { $limit: limit }];
    const documents = await this.#found(stages, undefined, end);
    return documents.map((one) => this.#record(one));
  }

  async records(ids: readonly string[], end: AbortSignal): Promise<readonly StoredRecord[]> {
    const named = { field: this.spec.idField, values: ids };
    const documents = await this.#found(this.#filtered, undefined, end, named);
    return documents.map((one) => this.#record(one));
  }

  async fetch(keys: readonly string[], end: AbortSignal): Promise<VectorsByKey> {
    const ids = { field: '_id', values: keys };
    const stages = [{ $project: { _id: 0, key: '$_id', vector: `$${this.spec.vectorField}` } }];
    const answer = await this.client.ask({ asked: 'documents', of: { ids, stages } }, end);
    const vectors = this.calls.checked(vectorsAnswer, answer);
    return vectorsByKey(vectors.map(({ key, vector }) => [String(key), vector]));
  }

  wellness(store: string, count: number): string {
    const { collection } = this.spec;
    return counted(
      l10n.t('{1} answers; the collection "{2}" has {0} [0:document|documents].'),
      count,
      store,
      collection,
    );
  }

  override close(): Promise<void> {
    return this.client.close();
  }

  protected async readFacts(end: AbortSignal): Promise<MongoFacts> {
    const { index: name, vectorField } = this.spec;
    const index = await this.#index(name, 'vectorSearch', end);
    if (!index) return {};
    const vectors = (index.latestDefinition.fields ?? []).filter(({ type }) => type === 'vector');
    const field = vectors.find(({ path }) => path === vectorField);
    if (field) return { dimensions: field.numDimensions, similarity: field.similarity };
    throw this.calls.failure(
      l10n.t`${this.calls.name} has no vectors of the field "${vectorField}" in the index "${name}", but of ${vectors.map(({ path }) => `"${path}"`).join(', ')}; name the field as "vectorField".`,
    );
  }

  #byVector(vector: Float32Array, k: number): MongoStage[] {
    const { index, vectorField: path, exact, numCandidates, filter } = this.spec;
    const limit = exact ? k : Math.min(k, MAX_CANDIDATES);
    const widely = Math.min(MAX_CANDIDATES, CANDIDATES_EACH * k);
    const breadth = exact ? { exact } : { numCandidates: Math.max(limit, numCandidates ?? widely) };
    const condition = filter === undefined ? {} : { filter };
    return [{ $vectorSearch: { index, path, queryVector: vector, limit, ...breadth, ...condition } }];
  }

  #byWords(query: string, k: number): MongoStage[] {
    const { searchIndex, textField: path } = this.spec;
    const search = { $search: { index: searchIndex, text: { query, path } } };
    return [search, ...this.#filtered, { $limit: k }];
  }

  get #filtered(): MongoStage[] {
    const { filter } = this.spec;
    return filter === undefined ? [] : [{ $match: filter }];
  }

  /** Documents without their vectors, which are not used here. */
  async #found(
    stages: readonly MongoStage[],
    score: MongoStage | undefined,
    end: AbortSignal,
    ids?: MongoQuestions['documents']['ids'],
  ): Promise<readonly Found[]> {
    const shown = { $project: { _id: 0, document: '$$ROOT', ...(score && { score }) } };
    const of = { ids, stages: [...stages, shown, { $unset: `document.${this.spec.vectorField}` }] };
    return this.calls.checked(foundAnswer, await this.client.ask({ asked: 'documents', of }, end));
  }

  #scored(documents: readonly Found[], scoreOf: (value: number) => number): ExternalResult[] {
    return documents.flatMap((one) =>
      typeof one.score === 'number' ? [{ ...this.#record(one), score: scoreOf(one.score) }] : [],
    );
  }

  #record({ document }: Found): StoredRecord {
    const { idField, textField } = this.spec;
    const { _id: key } = document;
    return storedRecord(String(key), valueAt(document, idField), valueAt(document, textField), document);
  }

  /** `undefined` if the server lists no indexes. @throws ParallaxError `retriever-failed` if the index is missing */
  async #index(
    name: string,
    type: 'search' | 'vectorSearch',
    end: AbortSignal,
  ): Promise<SearchIndex | undefined> {
    const indexes = await this.#indexes(end);
    // Indexes for words had no type at first.
    const kin = indexes?.filter((one) => (one.type ?? 'search') === type);
    const index = kin?.find((one) => one.name === name);
    if (index || !kin) return index;
    const { collection } = this.spec;
    const field = type === 'search' ? 'searchIndex' : 'index';
    const names = kin.map((one) => `"${one.name}"`).join(', ');
    throw this.calls.failure(
      kin.length === 0
        ? type === 'search'
          ? l10n.t`${this.calls.name} has no search index on the collection "${collection}", so it would find nothing, without an error; make one, and name it as "searchIndex".`
          : l10n.t`${this.calls.name} has no vector search index on the collection "${collection}", so it would find nothing, without an error; make one, and name it as "index".`
        : l10n.t`${this.calls.name} has no index "${name}" on the collection "${collection}", so it would find nothing, without an error; it has ${names}: name it as "${field}".`,
    );
  }

  async #indexes(end: AbortSignal): Promise<readonly SearchIndex[] | undefined> {
    return this.calls.checked(indexesAnswer, await this.client.ask({ asked: 'indexes', of: {} }, end));
  }

  /** MongoDB finds nothing and reports no error if an index is missing or is being built. */
  async #requireReady(name: string, type: 'search' | 'vectorSearch', end: AbortSignal): Promise<void> {
    if (this.#ready.has(name)) return;
    const index = await this.#index(name, type, end);
    if (index?.queryable === false)
      throw this.calls.failure(
        l10n.t`${this.calls.name} cannot search by the index "${name}" yet (${index.status ?? '-'}): it is being built; ask again when it is ready.`,
      );
    this.#ready.add(name);
  }

  async #requireStillThere(name: string, end: AbortSignal): Promise<void> {
    this.#ready.delete(name);
    if ((await this.#index(name, 'vectorSearch', end)) !== undefined) return;
    throw this.calls.failure(
      l10n.t`${this.calls.name} found nothing at all, and does not say whether there is an index "${name}" on the collection "${this.spec.collection}": without one it finds nothing, and gives no error.`,
    );
  }
}

function mongoTrouble(error: unknown, store: string, { client }: MongoRetriever): StoreTrouble {
  if (!(error instanceof ClientError)) return connectionTrouble(store, error);
  const reason = error.message.replace(/\s+/gu, ' ').trim().replace(/\.$/u, '').slice(0, 300);
  if (error.fault === 'unreachable') return { sentence: unreachable(store, reason) };
  // A missing collection is an empty one.
  const fault = error.fault === 'no-place' ? 'refused' : error.fault;
  return clientTrouble(fault, reason, store, { name: 'MongoDB', client: 'mongodb', folder: client });
}

/** The driver waits for a usable server, and then reports what was wrong with the last one. */
function unreachable(store: string, reason: string): string {
  if (/certificate required/iu.test(reason))
    return l10n.t`${store} asks for a client's certificate; name its files as "certFile" and "keyFile".`;
  if (/certificate|altnames/iu.test(reason))
    return l10n.t`${store} shows a certificate that is not trusted here (${reason}); if your own authority issued it, name the file with that authority's certificate as "caFile".`;
  return l10n.t`${store} could not be reached: ${reason}. Is it running, and, in Atlas, is this machine's address in the project's access list?`;
}
