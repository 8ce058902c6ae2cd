/** Fills a collection of Milvus, or of Zilliz Cloud, whose entities bear the ids of passages. */
import { setTimeout as delay } from 'node:timers/promises';
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { MilvusRetriever } from '../../../../core/external/hosted-stores.ts';
import { rawInteger } from '../json-http.ts';
import { askMilvus } from '../milvus-requests.ts';
import type { NewRecord } from '../remote-store.ts';
import { DialectWriter } from './dialect-writer.ts';

const hasForm = z.object({ has: z.boolean() });
const loadForm = z.object({ loadState: z.string() });
const LOADED = 'LoadStateLoaded';
const PAUSE_MS = 200;
/** The type of fields that hold texts. */
const TEXTS = 'VarChar';
/** Bytes; as much as a field of texts may have. */
const MOST_TEXT = 65_535;

/** The name of the key in a collection that is made here. */
const KEY = 'id';

interface Facts {
  /** Its primary key. */
  readonly key: string;
  readonly makesKeys: boolean;
  /** By the names of the fields. */
  readonly types: ReadonlyMap<string, string>;
  /** Fields beside those that were declared may be there. */
  readonly takesAny: boolean;
}

type Entity = Readonly<Record<string, unknown>>;

export class MilvusWriter extends DialectWriter<MilvusRetriever, Facts, Entity> {
  async exists(end: AbortSignal): Promise<boolean> {
    const answer = await askMilvus(this.store, '/collections/has', {}, end);
    return this.store.calls.checked(hasForm, answer).has;
  }

  async create(dimensions: number, end: AbortSignal): Promise<void> {
    const { spec, calls } = this.store;
    if (spec.partitions !== undefined)
      throw calls.failure(
        l10n.t`${calls.name} gets no partitions made by Parallax: make the collection with them there, or leave out "partitions".`,
      );
    // A repetition finds what it made before.
    if (!(await this.exists(end)))
      await askMilvus(this.store, '/collections/create', collectionOf(spec, dimensions), end);
    // It is loaded for searches in its own time, and refuses them until then.
    while (!(await this.#isLoaded(end))) await delay(PAUSE_MS, undefined, { signal: end });
  }

  protected itemOf({ id, text, vector, metadata }: NewRecord, facts: Facts): Entity {
    const { textField, idField, vectorField } = this.store.spec;
    const { key, types, takesAny } = facts;
    const declared = Object.entries(metadata).filter(([name]) => types.get(name) === TEXTS);
    const whole = types.get('metadata') === TEXTS ? JSON.stringify(metadata) : metadata;
    return {
      ...Object.fromEntries(declared),
      ...(takesAny || types.has('metadata') ? { metadata: whole } : {}),
      [textField]: text,
      [vectorField]: [...vector],
      ...(idField === undefined ? {} : { [idField]: id }),
      [key]: this.#primary(id, facts),
    };
  }

  /** An entity that is sent twice is there once. */
  protected async send(entities: readonly Entity[], end: AbortSignal): Promise<void> {
    const { spec, calls } = this.store;
    const [partition, ...others] = spec.partitions ?? [];
    if (others.length > 0)
      throw calls.failure(
        l10n.t`${calls.name} is to be filled, and the settings name several partitions: name the one that passages are to stand in.`,
      );
    const place = partition === undefined ? {} : { partitionName: partition };
    await askMilvus(this.store, '/entities/upsert', { data: entities, ...place }, end);
  }

  async #isLoaded(end: AbortSignal): Promise<boolean> {
    const answer = await askMilvus(this.store, '/collections/get_load_state', {}, end);
    return this.store.calls.checked(loadForm, answer).loadState === LOADED;
  }

  #primary(id: string, { key, types, makesKeys }: Facts): unknown {
    const { calls, spec } = this.store;
    if (makesKeys)
      throw calls.failure(
        l10n.t`${calls.name} makes the keys of "${spec.collection}" itself, so that a passage that is sent twice would be there twice: name a collection with keys of your own.`,
      );
    if (!types.get(key)?.startsWith('Int')) return id;
    if (/^-?\d{1,18}$/u.test(id)) return rawInteger(id);
    throw calls.failure(
      l10n.t`${calls.name} has numbers as the keys of "${spec.collection}", which "${id}" is not: name a collection whose keys are texts.`,
    );
  }
}

function collectionOf(spec: MilvusRetriever, dimensions: number): object {
  const { textField, idField, vectorField, sparseField, mode } = spec;
  const text = (fieldName: string, params: object = {}): object => ({
    fieldName,
    dataType: TEXTS,
    elementTypeParams: { max_length: MOST_TEXT, ...params },
  });
  const searchesWords = mode !== 'vector';
  return {
    schema: {
      autoID: false,
      enableDynamicField: false,
      fields: [
        { ...text(KEY), isPrimary: true },
        text(textField, searchesWords ? { enable_analyzer: true } : {}),
        ...(idField === undefined || idField === KEY ? [] : [text(idField)]),
        { fieldName: vectorField, dataType: 'FloatVector', elementTypeParams: { dim: dimensions } },
        { fieldName: 'metadata', dataType: 'JSON' },
        ...(searchesWords ? [{ fieldName: sparseField, dataType: 'SparseFloatVector' }] : []),
      ],
      ...(searchesWords
        ? {
            functions: [
              { name: 'bm25', type: 'BM25', inputFieldNames: [textField], outputFieldNames: [sparseField] },
            ],
          }
        : {}),
    },
    indexParams: [
      { fieldName: vectorField, indexName: vectorField, metricType: 'COSINE', indexType: 'AUTOINDEX' },
      ...(searchesWords
        ? [
            {
              fieldName: sparseField,
              indexName: sparseField,
              metricType: 'BM25',
              indexType: 'SPARSE_INVERTED_INDEX',
            },
          ]
        : []),
    ],
  };
}
