/** Fills a collection of Chroma, whose records bear the ids of passages. */
import type { ChromaRetriever } from '../../../core/external/stores.ts';
import type { DialectWriter } from './http-store.ts';
import { isThere, type JsonHttp } from './json-http.ts';
import type { NewRecord } from './remote-store.ts';

export class ChromaWriter implements DialectWriter {
  readonly #spec: ChromaRetriever;
  readonly #http: JsonHttp;
  readonly #addPath: (end: AbortSignal) => Promise<string>;

  /** @param addPath where records are added; a collection is known by an id of the server's */
  constructor(spec: ChromaRetriever, http: JsonHttp, addPath: (end: AbortSignal) => Promise<string>) {
    this.#spec = spec;
    this.#http = http;
    this.#addPath = addPath;
  }

  exists(end: AbortSignal): Promise<boolean> {
    return isThere(this.#http.request(`/${encodeURIComponent(this.#spec.collection)}`, undefined, end));
  }

  async create(_dimensions: number, end: AbortSignal): Promise<void> {
    const configuration = { hnsw: { space: 'cosine' } };
    const { collection: name } = this.#spec;
    await this.#http.request('', { name, configuration, get_or_create: true }, end);
  }

  async add(records: readonly NewRecord[], end: AbortSignal): Promise<void> {
    const { idField } = this.#spec;
    const columns = {
      ids: records.map(({ id }) => id),
      documents: records.map(({ text }) => text),
      embeddings: records.map(({ vector }) => [...vector]),
      metadatas: records.map(({ id, metadata }) =>
        idField === undefined ? metadata : { ...metadata, [idField]: id },
      ),
    };
    await this.#http.request(await this.#addPath(end), columns, end);
  }
}
