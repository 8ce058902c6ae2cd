/** Fills a collection of Qdrant. Its points have UUIDs made from the passages' ids, which are in the payload. */
import * as l10n from '@vscode/l10n';
import type { QdrantRetriever } from '../../../../core/external/stores/qdrant.ts';
import { isThere } from '../json-http.ts';
import type { NewRecord } from '../remote-store.ts';
import { withField } from '../stored-values.ts';
import { DialectWriter, type KeyRule } from './dialect-writer.ts';
import { UUID } from './passage-uuid.ts';

export class QdrantWriter<Facts> extends DialectWriter<QdrantRetriever, Facts, object> {
  protected override readonly keyRule: KeyRule = {
    form: UUID,
    odd: (id) =>
      l10n.t`${this.store.calls.name} accepts only UUIDs as ids, which "${id}" is not: name a field of the payload as "idField", for the ids of passages.`,
  };

  exists(end: AbortSignal): Promise<boolean> {
    return isThere(this.store.client.request('', undefined, end));
  }

  async create(dimensions: number, end: AbortSignal): Promise<void> {
    const { spec, client } = this.store;
    const params = { size: dimensions, distance: 'Cosine' };
    const { vector, idField } = spec;
    // A repetition finds what the first attempt created.
    if (!(await this.exists(end)))
      await client.request('', { vectors: vector === undefined ? params : { [vector]: params } }, end, 'PUT');
    if (idField === undefined) return;
    // Passages are searched by their ids.
    const index = { field_name: idField, field_schema: 'keyword' };
    await client.request('/index?wait=true', index, end, 'PUT');
  }

  protected itemOf({ id, text, vector, metadata }: NewRecord): object {
    const { textField, idField, vector: name } = this.store.spec;
    const payload = withField({ metadata }, textField, text);
    return {
      id: this.keyOf(id),
      vector: name === undefined ? [...vector] : { [name]: [...vector] },
      payload: idField === undefined ? payload : withField(payload, idField, id),
    };
  }

  protected async send(points: readonly object[], end: AbortSignal): Promise<void> {
    await this.store.client.request('/points?wait=true', { points }, end, 'PUT');
  }
}
