/** Fills a collection of Qdrant. Its points bear UUIDs made of the passages' ids, which stand in the payload. */
import * as l10n from '@vscode/l10n';
import type { QdrantRetriever } from '../../../core/external/stores.ts';
import type { DialectWriter } from './http-store.ts';
import { isThere, type JsonHttp } from './json-http.ts';
import { passageUuid } from './passage-uuid.ts';
import type { NewRecord } from './remote-store.ts';
import type { StoreCalls } from './store-calls.ts';
import { withField } from './stored-values.ts';

export class QdrantWriter implements DialectWriter {
  readonly #spec: QdrantRetriever;
  readonly #calls: StoreCalls;
  readonly #http: JsonHttp;

  constructor(spec: QdrantRetriever, calls: StoreCalls, http: JsonHttp) {
    this.#spec = spec;
    this.#calls = calls;
    this.#http = http;
  }

  exists(end: AbortSignal): Promise<boolean> {
    return isThere(this.#http.request('', undefined, end));
  }

  async create(dimensions: number, end: AbortSignal): Promise<void> {
    const field = this.#idField;
    const params = { size: dimensions, distance: 'Cosine' };
    const { vector } = this.#spec;
    // A repetition finds what it made before.
    if (!(await this.exists(end)))
      await this.#http.request(
        '',
        { vectors: vector === undefined ? params : { [vector]: params } },
        end,
        'PUT',
      );
    // Passages are looked for by their ids.
    const index = { field_name: field, field_schema: 'keyword' };
    await this.#http.request('/index?wait=true', index, end, 'PUT');
  }

  async add(records: readonly NewRecord[], end: AbortSignal): Promise<void> {
    const { textField, vector: name } = this.#spec;
    const field = this.#idField;
    const points = records.map(({ id, text, vector, metadata }) => ({
      id: passageUuid(id),
      vector: name === undefined ? [...vector] : { [name]: [...vector] },
      payload: withField(withField({ metadata }, textField, text), field, id),
    }));
    await this.#http.request('/points?wait=true', { points }, end, 'PUT');
  }

  get #idField(): string {
    const { idField } = this.#spec;
    if (idField !== undefined) return idField;
    throw this.#calls.failure(
      l10n.t`${this.#calls.name} takes numbers and UUIDs alone as ids: name a field of the payload as "idField", in which the ids of passages are to stand.`,
    );
  }
}
