/** Fills a namespace of an index of Pinecone, which has to be there: another service makes indexes, for money. */
import * as l10n from '@vscode/l10n';
import type { PineconeRetriever } from '../../../../core/external/hosted-stores.ts';
import { isThere } from '../json-http.ts';
import type { NewRecord } from '../remote-store.ts';
import { DialectWriter, type KeyRule, type Portion } from './dialect-writer.ts';

export class PineconeWriter<Facts> extends DialectWriter<PineconeRetriever, Facts, object> {
  /** It takes 2 MB, the names around the records among them. */
  protected override readonly most: Portion = { records: 1000, bytes: 1_900_000 };
  /** An id that is fetched stands in an address, without spaces. */
  protected override readonly keyRule: KeyRule = {
    form: /^[!-~]{1,512}$/u,
    odd: (id) =>
      l10n.t`${this.store.calls.name} takes up to 512 ASCII characters without spaces as ids, which "${id}" is not: name a field of the metadata as "idField", in which the ids of passages are to stand.`,
  };

  /** @throws ParallaxError `retriever-failed` where it is not there */
  async exists(end: AbortSignal): Promise<boolean> {
    const { calls, client } = this.store;
    if (await isThere(client.request('/describe_index_stats', {}, end))) return true;
    throw calls.failure(
      l10n.t`${calls.name} is no index, and Parallax makes none in Pinecone: make it there, for the metric cosine and the dimensions of the embedder, and name its host as "url".`,
    );
  }

  protected itemOf({ id, text, vector, metadata }: NewRecord): object {
    const { textField, idField } = this.store.spec;
    // Other names are operators of filters.
    const about = Object.entries(metadata).filter(([name]) => !name.startsWith('$'));
    return {
      id: this.keyOf(id),
      values: [...vector],
      metadata: {
        ...Object.fromEntries(about),
        [textField]: text,
        ...(idField === undefined ? {} : { [idField]: id }),
      },
    };
  }

  protected async send(vectors: readonly object[], end: AbortSignal): Promise<void> {
    const { spec, client } = this.store;
    const place = spec.namespace === undefined ? {} : { namespace: spec.namespace };
    await client.request('/vectors/upsert', { vectors, ...place }, end);
  }
}
