/** Fills a collection of Chroma. Its records have the ids of passages. */
import type { ChromaRetriever } from '../../../../core/external/stores/chroma.ts';
import { isThere } from '../json-http.ts';
import type { NewRecord } from '../remote-store.ts';
import { DialectWriter, type StoreReach } from './dialect-writer.ts';

export class ChromaWriter<Facts> extends DialectWriter<ChromaRetriever, Facts, NewRecord> {
  readonly #addPath: (facts: Facts) => string;

  /** @param addPath the path for adding records, which contains the server's id of the collection */
  constructor(store: StoreReach<ChromaRetriever, Facts>, addPath: (facts: Facts) => string) {
    super(store);
    this.#addPath = addPath;
  }

  exists(end: AbortSignal): Promise<boolean> {
    const { spec, client } = this.store;
    return isThere(client.request(`/${encodeURIComponent(spec.collection)}`, undefined, end));
  }

  async create(_dimensions: number, end: AbortSignal): Promise<void> {
    const { spec, client } = this.store;
    const configuration = { hnsw: { space: 'cosine' } };
    await client.request('', { name: spec.collection, configuration, get_or_create: true }, end);
  }

  protected itemOf(record: NewRecord): NewRecord {
    const { idField } = this.store.spec;
    const { id, metadata } = record;
    return idField === undefined ? record : { ...record, metadata: { ...metadata, [idField]: id } };
  }

  protected async send(records: readonly NewRecord[], end: AbortSignal): Promise<void> {
    const columns = {
      ids: records.map(({ id }) => id),
      documents: records.map(({ text }) => text),
      embeddings: records.map(({ vector }) => [...vector]),
      metadatas: records.map(({ metadata }) => metadata),
    };
    await this.store.client.request(this.#addPath(await this.store.facts(end)), columns, end);
  }
}
