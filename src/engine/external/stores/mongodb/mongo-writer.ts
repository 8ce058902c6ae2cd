/** Fills a collection of MongoDB. */
import * as z from 'zod';
import type { MongoRetriever } from '../../../../core/external/client-stores.ts';
import { listOf } from '../../../../core/formats/lists.ts';
import type { CollectionFacts } from '../dialect-store.ts';
import type { StoreClient } from '../own-client/store-client.ts';
import type { NewRecord } from '../remote-store.ts';
import { withField } from '../stored-values.ts';
import { DialectWriter, type StoreReach } from '../writers/dialect-writer.ts';
import type { MongoQuestions, MongoStage } from './messages.ts';

/** In which what is said of a passage stands. */
const METADATA = 'metadata';
const refusals = listOf(z.object({ index: z.number().int(), said: z.string() }));

/** Names of search indexes; undefined where the server does not tell. */
type ListIndexes = (end: AbortSignal) => Promise<readonly { readonly name: string }[] | undefined>;

type Client = StoreClient<MongoQuestions>;

export class MongoWriter extends DialectWriter<MongoRetriever, CollectionFacts, MongoStage, Client> {
  readonly #indexes: ListIndexes;

  constructor(store: StoreReach<MongoRetriever, CollectionFacts, Client>, indexes: ListIndexes) {
    super(store);
    this.#indexes = indexes;
  }

  async exists(end: AbortSignal): Promise<boolean> {
    const isThere = (await this.store.client.ask({ asked: 'exists', of: {} }, end)) === true;
    return isThere && (await this.#missing(1, end)).length === 0;
  }

  async create(dimensions: number, end: AbortSignal): Promise<void> {
    const indexes = await this.#missing(dimensions, end);
    await this.store.client.ask({ asked: 'create', of: { indexes } }, end);
  }

  protected itemOf({ id, text, vector, metadata }: NewRecord): MongoStage {
    const { idField, textField, vectorField } = this.store.spec;
    return [
      [idField, id] as const,
      [textField, text] as const,
      [vectorField, vector] as const,
    ].reduce<MongoStage>((made, [field, value]) => withField(made, field, value), {
      _id: id,
      [METADATA]: metadata,
    });
  }

  protected async send(documents: readonly MongoStage[], end: AbortSignal): Promise<void> {
    const answer = await this.store.client.ask({ asked: 'add', of: { documents } }, end);
    this.requireNone(
      this.store.calls
        .checked(refusals, answer)
        .map(({ index, said }) => ({ id: String(documents[index]?.['_id']), said })),
    );
  }

  /** Definitions of the search indexes that are not there. */
  async #missing(dimensions: number, end: AbortSignal): Promise<MongoStage[]> {
    const { index, searchIndex, vectorField: path, mode } = this.store.spec;
    const vectors = { type: 'vector', path, numDimensions: dimensions, similarity: 'cosine' };
    const wanted = [
      { name: index, type: 'vectorSearch', definition: { fields: [vectors] } },
      ...(mode === 'vector'
        ? []
        : [{ name: searchIndex, type: 'search', definition: { mappings: { dynamic: true } } }]),
    ];
    const there = await this.#indexes(end);
    return there ? wanted.filter(({ name }) => !there.some((one) => one.name === name)) : [];
  }
}
