/** Causes planted in a real Chroma and in a real PostgreSQL with pgvector (PGlite). */
import { parsePipeline, type Pipeline, type PipelineInput } from '../../src/core/pipeline.ts';
import { Embedders } from '../../src/engine/embedders/embedders.ts';
import { loadChroma, loadPostgres, type Loaded } from '../../test/fixtures/stores/loading.ts';
import { startChroma, startPostgres } from '../../test/fixtures/stores/real-servers.ts';
import { beginning, plantRanked, plantUnread, QUESTION, type Planted } from './planted-causes.ts';

type Retriever = PipelineInput['retriever'];

export interface Stored {
  readonly id: string;
  readonly documentId: string;
  readonly text: string;
}

export interface FilledStore {
  readonly retriever: Retriever;
  /** The same with a filter for passages that are `even`. */
  readonly filtered: Retriever;
  stop(): Promise<void>;
}

const TABLE = 'passages';

/** By name. */
export const STORES: Readonly<Record<string, (passages: readonly Loaded[]) => Promise<FilledStore>>> = {
  Chroma: async (passages) => {
    const { port, stop } = await startChroma();
    await loadChroma(port, TABLE, passages);
    const retriever = {
      ...{ type: 'chroma' as const, url: `http://127.0.0.1:${port}`, collection: TABLE, embedder: 'hashing' },
    };
    return { retriever, filtered: { ...retriever, where: { even: true } }, stop };
  },
  pgvector: async (passages) => {
    const { port, stop } = await startPostgres();
    await loadPostgres(port, TABLE, passages);
    const retriever = {
      ...{ type: 'postgres' as const, port, database: 'postgres', user: 'postgres', table: TABLE },
      ...{ columns: { text: 'te"xt' }, embedder: 'hashing', exact: true },
    };
    return { retriever, filtered: { ...retriever, where: { even: true } }, stop };
  },
};

/** How many passages of a store Parallax ranks. */
const RANKED = 1_000;

/** The passages of a corpus with their exact order by vectors, computed without Parallax' searches. */
export class Vectors {
  readonly #passages: readonly (Stored & Loaded)[];
  readonly #embed: (question: string) => Promise<Float32Array>;

  private constructor(
    passages: readonly (Stored & Loaded)[],
    embed: (question: string) => Promise<Float32Array>,
  ) {
    this.#passages = passages;
    this.#embed = embed;
  }

  /** @param filtered documents that the filter of a store leaves out */
  static async of(passages: readonly Stored[], filtered: ReadonlySet<string>): Promise<Vectors> {
    const embedder = await new Embedders({ embedders: {}, keys: {}, base: '.' }).get('hashing');
    const vectors = await embedder.embedPassages(passages.map(({ text }) => text));
    const size = vectors.length / passages.length;
    const all = passages.map((passage, place) => ({
      ...passage,
      vector: vectors.slice(place * size, (place + 1) * size),
      even: !filtered.has(passage.documentId),
    }));
    return new Vectors(all, (question) => embedder.embedQuery(question));
  }

  get passages(): readonly Loaded[] {
    return this.#passages;
  }

  /** The documents of passages, best first. */
  async ranking(question: string): Promise<string[]> {
    const query = await this.#embed(question);
    return this.#passages
      .map(({ documentId, vector }) => ({
        documentId,
        score: vector.reduce((sum, value, at) => sum + value * query[at]!, 0),
      }))
      .sort((a, b) => b.score - a.score)
      .map(({ documentId }) => documentId);
  }
}

export interface StoreSources {
  readonly store: FilledStore;
  readonly vectors: Vectors;
  /** What Parallax ranks, for rerankers. */
  readonly ranking: (question: string, pipeline: Pipeline) => Promise<readonly string[]>;
  readonly isSingle: (document: string) => boolean;
}

/** A document, one that the filter leaves out, and one without a record, with their texts. */
export type Named = Readonly<Record<'present' | 'filtered' | 'missing', readonly [id: string, text: string]>>;

export async function plantInStore(
  place: number,
  { present: [, text], filtered, missing }: Named,
  { store, vectors, ranking, isSingle }: StoreSources,
): Promise<Planted[]> {
  const { retriever } = store;
  const question = beginning(text, 0, QUESTION);
  const pipeline = parsePipeline({ retriever, k: 5 });
  const order = await vectors.ranking(question);
  const far = order.find((each, at) => at >= RANKED && isSingle(each) && order.indexOf(each) === at);
  return [
    ...plantUnread(place, question, pipeline),
    ...(await plantRanked(place, text, {
      retriever,
      isSingle,
      ranking: (asked, reranked) =>
        reranked.rerank.length > 0 ? ranking(asked, reranked) : vectors.ranking(asked),
    })),
    {
      ...{ what: 'the filter of the store', cause: 'filtered', document: filtered[0] },
      ...{ question: beginning(filtered[1], 0, QUESTION), says: /"?even"?/u },
      pipeline: parsePipeline({ retriever: store.filtered, k: 5 }),
    },
    {
      ...{ what: 'no record in the store', cause: 'not-indexed', document: missing[0], pipeline },
      ...{ question: beginning(missing[1], 0, QUESTION), says: /has no record of it/u },
    },
    ...(far === undefined
      ? []
      : [
          {
            ...{ what: 'beyond what the store is asked for', document: far, question, pipeline },
            ...{ cause: 'outside-candidates' as const, says: /Its rank beyond these is unknown/u },
          },
        ]),
  ];
}
