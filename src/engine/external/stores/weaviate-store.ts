/** Weaviate through its documented REST and GraphQL interfaces. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../core/counted.ts';
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { ABOUT_FIELDS } from '../../../core/external/about-record.ts';
import type { WeaviateRetriever } from '../../../core/external/stores/weaviate.ts';
import { valueAt } from '../../../core/external/results.ts';
import {
  openHttpStore,
  StoreDialect,
  withoutSlash,
  type AskedOf,
  type CollectionFacts,
  type Near,
  type Results,
} from './dialect-store.ts';
import { scoreOfDistance, type FindEmbedder } from './query-vectors.ts';
import type { RemoteStore, StoredRecord, VectorsByKey } from './remote-store.ts';
import { storedCount, storedRecord, vectorsByKey, wholeNumbers, distinctNames } from './stored-values.ts';
import {
  countQuery,
  getQuery,
  hybrid,
  MAX_RESULTS,
  nearVector,
  whereOf,
  withIds,
  type Condition,
} from './weaviate-requests.ts';
import { UUID } from './writers/passage-uuid.ts';
import { listOf, recordOf } from '../../../core/formats/lists.ts';

const indexConfig = z.object({ distance: z.string().nullish() }).nullish();
const classForm = z.object({
  properties: listOf(z.object({ name: z.string(), dataType: listOf(z.string()) }))
    .nullish()
    .transform((properties) => properties ?? []),
  vectorIndexConfig: indexConfig,
  vectorConfig: recordOf(z.object({ vectorIndexConfig: indexConfig })).nullish(),
});
const additional = z.object({
  id: z.string(),
  distance: z.number().nullish(),
  /** A text in older versions. */
  score: z.coerce.number().nullish(),
  vector: z.unknown().optional(),
  vectors: z.record(z.string(), z.unknown()).nullish(),
});
const objectsForm = listOf(z.object({ _additional: additional }).loose());
type FoundObject = Read<typeof objectsForm>[number];
const countForm = z.tuple([z.object({ meta: z.object({ count: storedCount }) })]);

/** Types of properties that are values, and can be requested by name. */
const VALUES: readonly string[] = ['text', 'string', 'int', 'number', 'boolean', 'date', 'uuid'];

interface WeaviateFacts extends CollectionFacts {
  readonly distance: string;
  /** Types of the properties that are values, by their names. */
  readonly types: ReadonlyMap<string, string>;
  /** The name of the vector, if it has one. */
  readonly vectorName: string | undefined;
}

export function createStore(
  spec: WeaviateRetriever,
  apiKey: string | undefined,
  embedder: FindEmbedder,
): RemoteStore {
  const name = l10n.t`Weaviate at ${spec.url}`;
  return openHttpStore<WeaviateRetriever, WeaviateFacts>(Weaviate, spec, embedder, {
    name,
    base: `${withoutSlash(spec.url)}/v1`,
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
    says: ['error[0].message', 'message'],
    absent: (answer) => l10n.t`${name} has no collection "${spec.collection}" (${answer}).`,
    messageFor: (status, reason) =>
      status === 422 && /graphql/iu.test(reason)
        ? l10n.t`${name} has its GraphQL interface switched off (${reason}); it is searched by that, so switch it on (DISABLE_GRAPHQL) or ask it through a retriever of your own.`
        : undefined,
    secret: apiKey,
  });
}

class Weaviate extends StoreDialect<WeaviateRetriever, WeaviateFacts> {
  readonly asksByVector = this.spec.mode !== 'bm25';

  override async search(
    { text, near }: AskedOf<WeaviateFacts>,
    k: number,
    end: AbortSignal,
  ): Promise<Results> {
    if (near && this.spec.mode === 'vector') return this.nearest(near, k, end);
    const ask = near ? hybrid(this.spec, text, near.vector) : { bm25: { query: text } };
    const objects = await this.#get({ ...ask, limit: k, ...whereOf(this.spec) }, 'id score', end);
    return objects.map((object, place) => ({
      ...this.#record(object),
      score: object._additional.score ?? 1 / (place + 1),
    }));
  }

  async nearest(
    { vector, facts: { distance: measure } }: Near<WeaviateFacts>,
    k: number,
    end: AbortSignal,
  ): Promise<Results> {
    const args = { ...nearVector(this.spec, vector), limit: k, ...whereOf(this.spec) };
    const objects = await this.#get(args, 'id distance', end);
    return objects.flatMap((object) => {
      const { distance } = object._additional;
      // A vector of zeros has no cosine.
      if (distance === undefined || distance === null) return [];
      return [{ ...this.#record(object), score: scoreOf(measure, distance) }];
    });
  }

  async count(end: AbortSignal): Promise<number> {
    const data = await this.#ask(countQuery(this.spec), end);
    const counted = valueAt(data, `Aggregate.${this.spec.collection}`);
    return this.calls.checked(countForm, counted)[0].meta.count;
  }

  override async first(limit: number, end: AbortSignal): Promise<readonly StoredRecord[]> {
    const { filter } = this.spec;
    // With the cursor `after`, it accepts no filter.
    const begun = filter === undefined ? { after: '' } : { where: filter };
    const objects = await this.#get({ limit, ...begun }, 'id', end);
    return objects.map((object) => this.#record(object));
  }

  async records(ids: readonly string[], end: AbortSignal): Promise<readonly StoredRecord[]> {
    const { idField } = this.spec;
    const named = await this.#named(ids, end);
    if (named === undefined) return [];
    const objects = await this.#get({ limit: MAX_RESULTS, ...whereOf(this.spec, named) }, 'id', end);
    const records = objects.map((object) => this.#record(object));
    // A text is compared word by word, so other ids may match, too.
    return idField === undefined ? records : records.filter(({ id }) => id !== undefined && ids.includes(id));
  }

  async fetch(keys: readonly string[], end: AbortSignal): Promise<VectorsByKey> {
    const { vector: name } = this.spec;
    const uuids = keys.filter((key) => UUID.test(key));
    if (uuids.length === 0) return new Map();
    const furtherFields = name === undefined ? 'id vector' : `id vectors { ${name} }`;
    const objects = await this.#get({ limit: uuids.length, where: withIds(uuids) }, furtherFields, end, []);
    return vectorsByKey(
      objects.map(({ _additional: { id, vector, vectors } }) => [
        id,
        name === undefined ? vector : vectors?.[name],
      ]),
    );
  }

  wellness(store: string, count: number): string {
    const { collection } = this.spec;
    return counted(
      l10n.t('{1} answers; the collection "{2}" has {0} [0:object|objects].'),
      count,
      store,
      collection,
    );
  }

  /** @returns undefined if none of the ids can exist there */
  async #named(ids: readonly string[], end: AbortSignal): Promise<Condition | undefined> {
    const { idField } = this.spec;
    if (idField === undefined) {
      const uuids = ids.filter((id) => UUID.test(id));
      return uuids.length === 0 ? undefined : withIds(uuids);
    }
    const type = (await this.facts(end)).types.get(idField);
    const condition = { path: [idField], operator: 'ContainsAny' };
    if (type !== 'int') return { ...condition, valueText: [...ids] };
    const numbers = wholeNumbers(ids);
    return numbers.length === 0 ? undefined : { ...condition, valueInt: numbers };
  }

  async #get(
    args: object,
    furtherFields: string,
    end: AbortSignal,
    fields?: readonly string[],
  ): Promise<readonly FoundObject[]> {
    const properties = fields ?? this.#properties(await this.facts(end));
    const data = await this.#ask(getQuery(this.spec, args, properties, furtherFields), end);
    return this.calls.checked(objectsForm, valueAt(data, `Get.${this.spec.collection}`));
  }

  /** @throws ParallaxError with Weaviate's reason, which comes with status 200 */
  async #ask(query: string, end: AbortSignal): Promise<unknown> {
    const answer = await this.client.request('/graphql', { query }, end);
    const reason = valueAt(answer, 'errors[0].message');
    if (typeof reason === 'string')
      throw this.calls.failure(l10n.t`${this.calls.name} refuses: ${reason.replace(/\.$/u, '')}.`);
    return valueAt(answer, 'data');
  }

  protected async readFacts(end: AbortSignal): Promise<WeaviateFacts> {
    const { collection, vector } = this.spec;
    const answer = await this.client.request(`/schema/${collection}`, undefined, end);
    const { properties, vectorIndexConfig, vectorConfig } = this.calls.checked(classForm, answer);
    const named = Object.keys(vectorConfig ?? {});
    const store = this.calls.name;
    if (vector !== undefined && !named.includes(vector))
      throw this.calls.failure(
        l10n.t`${store} has no vector "${vector}" in the objects of "${collection}"; there is ${named.join(', ')}.`,
      );
    if (vector === undefined && named.length > 1)
      throw this.calls.failure(
        l10n.t`${store} has several vectors in each object of "${collection}": name one of ${named.join(', ')} as "vector".`,
      );
    const vectorName = vector ?? named[0];
    const config = vectorConfig?.[vectorName ?? '']?.vectorIndexConfig ?? vectorIndexConfig;
    return {
      vectorName,
      distance: config?.distance ?? 'cosine',
      types: new Map(
        properties.flatMap(({ name, dataType: [type = ''] }) =>
          VALUES.includes(type) ? [[name, type] as const] : [],
        ),
      ),
    };
  }

  #properties({ types }: WeaviateFacts): string[] {
    const { textField, idField } = this.spec;
    const known = ABOUT_FIELDS.filter((name) => types.has(name));
    return distinctNames(textField, idField, ...known);
  }

  #record({ _additional: { id: key }, ...fields }: FoundObject): StoredRecord {
    const { textField, idField } = this.spec;
    const id = idField === undefined ? key : fields[idField];
    return storedRecord(key, id, fields[textField], fields);
  }
}

/** The distance is 1 − cosine or the negative inner product. For the others, smaller is nearer. */
function scoreOf(measure: string, distance: number): number {
  if (measure === 'cosine') return 1 - distance;
  return measure === 'dot' ? -distance : scoreOfDistance(distance);
}
