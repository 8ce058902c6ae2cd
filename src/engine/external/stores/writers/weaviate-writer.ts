/** Fills a collection of Weaviate. Its objects bear UUIDs made of the passages' ids, which stand in a property. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { WeaviateRetriever } from '../../../../core/external/hosted-stores.ts';
import { listOf } from '../../../../core/formats/lists.ts';
import { isThere } from '../json-http.ts';
import type { NewRecord } from '../remote-store.ts';
import { DialectWriter, type KeyRule } from './dialect-writer.ts';
import { UUID } from './passage-uuid.ts';

const batchAnswer = listOf(
  z.object({
    id: z.string(),
    result: z
      .object({
        status: z.string().nullish(),
        errors: z.object({ error: listOf(z.object({ message: z.string() })).nullish() }).nullish(),
      })
      .nullish(),
  }),
);

interface Facts {
  /** Types of the properties that are values, by their names. */
  readonly types: ReadonlyMap<string, string>;
  /** Of the vector, where it has a name. */
  readonly vectorName: string | undefined;
}

interface WeaviateObject {
  readonly class: string;
  readonly tenant?: string;
  readonly id: string;
  readonly properties: Readonly<Record<string, string>>;
}

/** The second is how texts were called of old. */
const TEXTS: readonly (string | undefined)[] = ['text', 'string'];

export class WeaviateWriter extends DialectWriter<WeaviateRetriever, Facts, WeaviateObject> {
  protected override readonly keyRule: KeyRule = {
    form: UUID,
    odd: (id) =>
      l10n.t`${this.store.calls.name} takes UUIDs alone as ids, which "${id}" is not: name a property as "idField", in which the ids of passages are to stand.`,
  };

  async exists(end: AbortSignal): Promise<boolean> {
    return (await this.#hasCollection(end)) && (await this.#hasTenant(end));
  }

  async create(_dimensions: number, end: AbortSignal): Promise<void> {
    const { spec, calls, client } = this.store;
    const { collection, tenant } = spec;
    if (!/^[A-Z]/u.test(collection))
      throw calls.failure(
        l10n.t`${calls.name} begins the names of collections with a capital letter: write "${collection}" with one in the settings.`,
      );
    // A repetition finds what it made before.
    if (!(await this.#hasCollection(end))) await client.request('/schema', classOf(spec), end);
    if (tenant !== undefined && !(await this.#hasTenant(end)))
      await client.request(`/schema/${collection}/tenants`, [{ name: tenant }], end);
  }

  protected itemOf({ id, text, vector, metadata }: NewRecord, { types, vectorName }: Facts): WeaviateObject {
    const { collection, tenant, textField, idField } = this.store.spec;
    const own = { [textField]: text, ...(idField === undefined ? {} : { [idField]: id }) };
    for (const name of Object.keys(own)) if (!TEXTS.includes(types.get(name))) throw this.#noProperty(name);
    // Undeclared fields would be added to the collection.
    const about = Object.entries({ metadata: JSON.stringify(metadata), ...metadata });
    const declared = about.filter(([name]) => TEXTS.includes(types.get(name)));
    return {
      id: this.keyOf(id),
      properties: { ...Object.fromEntries(declared), ...own },
      class: collection,
      ...(tenant === undefined ? {} : { tenant }),
      ...(vectorName === undefined ? { vector: [...vector] } : { vectors: { [vectorName]: [...vector] } }),
    };
  }

  protected async send(objects: readonly WeaviateObject[], end: AbortSignal): Promise<void> {
    const answer = await this.store.client.request('/batch/objects', { objects }, end);
    const { idField } = this.store.spec;
    const named = new Map(objects.map(({ id, properties }) => [id, properties[idField ?? ''] ?? id]));
    const answered = this.store.calls.checked(batchAnswer, answer);
    this.requireNone(
      answered.flatMap(({ id, result }) => {
        const [error] = result?.errors?.error ?? [];
        if (error === undefined && result?.status !== 'FAILED') return [];
        return [{ id: named.get(id) ?? id, said: error?.message ?? '' }];
      }),
    );
    this.requireEach(objects, answered);
  }

  #hasCollection(end: AbortSignal): Promise<boolean> {
    return isThere(this.store.client.request(`/schema/${this.store.spec.collection}`, undefined, end));
  }

  async #hasTenant(end: AbortSignal): Promise<boolean> {
    const { collection, tenant } = this.store.spec;
    if (tenant === undefined) return true;
    const place = `/schema/${collection}/tenants/${encodeURIComponent(tenant)}`;
    return isThere(this.store.client.request(place, undefined, end));
  }

  #noProperty(name: string): Error {
    const { calls, spec } = this.store;
    return calls.failure(
      l10n.t`${calls.name} has no property "${name}" of texts in the collection "${spec.collection}", in which that of a passage is to stand.`,
    );
  }
}

function classOf({ collection, tenant, vector, textField, idField }: WeaviateRetriever): object {
  const index = { vectorIndexType: 'hnsw', vectorIndexConfig: { distance: 'cosine' } };
  const hidden = { indexFilterable: false, indexSearchable: false };
  return {
    class: collection,
    ...(vector === undefined
      ? { vectorizer: 'none', ...index }
      : { vectorConfig: { [vector]: { vectorizer: { none: {} }, ...index } } }),
    properties: [
      { name: textField, dataType: ['text'] },
      // Ids are compared whole, and are none of the words that are searched.
      ...(idField === undefined
        ? []
        : [{ name: idField, dataType: ['text'], tokenization: 'field', indexSearchable: false }]),
      { name: 'metadata', dataType: ['text'], ...hidden },
    ],
    ...(tenant === undefined ? {} : { multiTenancyConfig: { enabled: true } }),
  };
}
