/** Fills an index of Azure AI Search. It takes an administrator's key. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { AzureRetriever } from '../../../../core/external/hosted-stores.ts';
import { listOf } from '../../../../core/formats/lists.ts';
import { AZURE_VERSION, AZURE_KEY, pathOfIndex } from '../azure-requests.ts';
import { isThere } from '../json-http.ts';
import type { NewRecord } from '../remote-store.ts';
import { DialectWriter, type KeyRule } from './dialect-writer.ts';

const indexedAnswer = z.object({
  value: listOf(
    z.object({
      key: z.string(),
      status: z.boolean(),
      statusCode: z.number(),
      errorMessage: z.string().nullish(),
    }),
  ),
});

/** Another version was written meanwhile, the index is away for a moment, and too many requests of two kinds. */
const PASSING: readonly number[] = [409, 422, 429, 503];
/** The parts of an index need names; all of ours bear this one. */
const NAME = 'parallax';

type AzureDocument = Readonly<Record<string, unknown>>;

export class AzureWriter<Facts> extends DialectWriter<AzureRetriever, Facts, AzureDocument> {
  protected override readonly keyRule: KeyRule = {
    form: AZURE_KEY,
    odd: (id) =>
      l10n.t`${this.store.calls.name} takes letters, digits, _, - and = alone in keys, and "${id}" has others: name a field as "idField", in which the ids of passages are to stand.`,
  };

  exists(end: AbortSignal): Promise<boolean> {
    const path = `${pathOfIndex(this.store.spec)}?api-version=${AZURE_VERSION}`;
    return isThere(this.store.client.request(path, undefined, end));
  }

  async create(dimensions: number, end: AbortSignal): Promise<void> {
    // A repetition finds what it made before.
    if (await this.exists(end)) return;
    const index = indexOf(this.store.spec, dimensions);
    await this.store.client.request(`/indexes?api-version=${AZURE_VERSION}`, index, end);
  }

  protected itemOf({ id, text, vector, metadata }: NewRecord): AzureDocument {
    const { keyField, textField, idField, vectorField, aboutFields } = this.store.spec;
    const about = Object.entries({ metadata: JSON.stringify(metadata), ...metadata });
    return {
      '@search.action': 'upload',
      ...Object.fromEntries(about.filter(([name]) => aboutFields.includes(name))),
      [textField]: text,
      [vectorField]: [...vector],
      ...(idField === undefined ? {} : { [idField]: id }),
      [keyField]: this.keyOf(id),
    };
  }

  protected async send(documents: readonly AzureDocument[], end: AbortSignal): Promise<void> {
    const { spec, calls, client } = this.store;
    const path = `${pathOfIndex(spec)}/docs/search.index?api-version=${AZURE_VERSION}`;
    const answer = await client.request(path, { value: documents }, end);
    const { keyField, idField } = spec;
    const named = new Map(documents.map((each) => [each[keyField], String(each[idField ?? keyField])]));
    const { value: answered } = calls.checked(indexedAnswer, answer);
    this.requireNone(
      answered
        .filter(({ status }) => !status)
        .map(({ key, statusCode, errorMessage }) => ({
          id: named.get(key) ?? key,
          said: `${statusCode}: ${errorMessage ?? ''}`,
          passing: PASSING.includes(statusCode),
        })),
    );
    this.requireEach(documents, answered);
  }
}

function indexOf(spec: AzureRetriever, dimensions: number): object {
  const { index, keyField, textField, idField, vectorField, aboutFields, metric } = spec;
  const word = { type: 'Edm.String', searchable: false, filterable: true };
  // Longer than what can be filtered by, or sorted.
  const long = { ...word, filterable: false, sortable: false, facetable: false };
  const others = [...(idField === undefined ? [] : [idField]), ...aboutFields].filter(
    (name, place, all) => ![keyField, textField].includes(name) && all.indexOf(name) === place,
  );
  const { semanticConfiguration } = spec;
  const ranked = {
    name: semanticConfiguration,
    prioritizedFields: { prioritizedContentFields: [{ fieldName: textField }] },
  };
  return {
    name: index,
    fields: [
      { name: keyField, ...word, key: true },
      { name: textField, ...long, searchable: true },
      ...others.map((name) => ({ name, ...(name === 'metadata' ? long : word) })),
      {
        name: vectorField,
        type: 'Collection(Edm.Single)',
        searchable: true,
        retrievable: true,
        dimensions,
        vectorSearchProfile: NAME,
      },
    ],
    vectorSearch: {
      profiles: [{ name: NAME, algorithm: NAME }],
      algorithms: [{ name: NAME, kind: 'hnsw', hnswParameters: { metric } }],
    },
    ...(semanticConfiguration === undefined ? {} : { semantic: { configurations: [ranked] } }),
  };
}
