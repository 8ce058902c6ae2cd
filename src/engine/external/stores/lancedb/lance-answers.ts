/** Answers questions through LanceDB's own client, in a separate process. */
import { existsSync } from 'node:fs';
import type * as Client from '@lancedb/lancedb';
import type * as Arrow from 'apache-arrow';
import { messageOf } from '../../../../core/errors.ts';
import { isLanceFolder } from '../../../../core/external/stores/lancedb.ts';
import { ClientError } from '../own-client/fault.ts';
import { fromProject } from '../own-client/from-project.ts';
import type { Answering } from '../own-client/messages.ts';
import { plainRow, RowBudget } from '../own-client/plain-values.ts';
import type { LancePlace, LanceQuestions, RowsQuestion } from './messages.ts';

const CLIENT = '@lancedb/lancedb';

export function answerLance(place: LancePlace): Answering<LanceQuestions> {
  const opened = new OpenTable(place);
  return {
    answers: answersOf(opened),
    faultOf(error) {
      opened.forget();
      const fault = error instanceof ClientError ? error.fault : 'refused';
      return { fault, said: messageOf(error) };
    },
  };
}

/** A database and the searched table, opened with the first question. */
class OpenTable {
  readonly #place: LancePlace;
  #client: typeof Client | undefined;
  #connected: Promise<Client.Connection> | undefined;
  #opened: Promise<Client.Table> | undefined;

  constructor(place: LancePlace) {
    this.#place = place;
  }

  /** @throws ClientError `no-client`, `no-package`, `bad-client` */
  get client(): typeof Client {
    this.#client ??= fromProject<typeof Client>(this.#place.client, CLIENT).client;
    return this.#client;
  }

  get name(): string {
    return this.#place.table;
  }

  /** @throws ClientError `no-place` if the folder does not exist, which LanceDB would create */
  connect(): Promise<Client.Connection> {
    const { client } = this;
    const { uri, apiKey, region, host } = this.#place;
    if (isLanceFolder(uri) && !existsSync(uri)) throw new ClientError('no-place', uri);
    this.#connected ??= client
      .connect(uri, {
        // Shows changes by other processes at once.
        readConsistencyInterval: 0,
        ...(apiKey === undefined ? {} : { apiKey }),
        ...(region === undefined ? {} : { region }),
        ...(host === undefined ? {} : { hostOverride: host }),
      })
      .catch((error: unknown) => {
        this.#connected = undefined;
        throw error;
      });
    return this.#connected;
  }

  /** @throws ClientError `no-place` */
  async table(): Promise<Client.Table> {
    const connection = await this.connect();
    this.#opened ??= connection.openTable(this.name).catch((error: unknown) => {
      this.#opened = undefined;
      throw /not found|does not exist/iu.test(messageOf(error))
        ? new ClientError('no-place', this.name)
        : error;
    });
    return this.#opened;
  }

  /** The table may have been rebuilt. */
  forget(): void {
    this.#opened = undefined;
  }
}

function answersOf(opened: OpenTable): Answering<LanceQuestions>['answers'] {
  return {
    async facts({ vectorField }) {
      const [{ fields }, indexes] = await Promise.all([
        opened.table().then((table) => table.schema()),
        opened.table().then((table) => table.listIndices()),
      ]);
      const index = indexes.find(
        ({ columns, indexType }) => columns[0] === vectorField && indexType !== 'FTS',
      );
      const stats = index && (await (await opened.table()).indexStats(index.name));
      return {
        columns: fields.map(({ name, type, nullable }) => ({
          name,
          nullable,
          type: String(type),
          size: 'listSize' in type ? type.listSize : undefined,
        })),
        distance: stats?.distanceType,
      };
    },

    async words({ textField }) {
      const index = await wordsIndex(await opened.table(), textField);
      return index && { indexed: index.numIndexedRows, unindexed: index.numUnindexedRows };
    },

    async rows(question) {
      const rows = (await (await queryOf(opened, question)).toArray()) as Arrow.StructRow[];
      const budget = new RowBudget();
      return rows.map((row) => plainRow(row, budget, ofArrow));
    },

    async count({ where }) {
      return (await opened.table()).countRows(where);
    },
  };
}

/** The statistics of the full text index on a column. */
async function wordsIndex(table: Client.Table, column: string): Promise<Client.IndexStatistics | undefined> {
  const index = (await table.listIndices()).find(
    ({ columns, indexType }) => indexType === 'FTS' && columns.includes(column),
  );
  return index && table.indexStats(index.name);
}

async function queryOf(
  opened: OpenTable,
  question: RowsQuestion,
): Promise<Client.Query | Client.VectorQuery> {
  const { near, words, rrfK, where, columns, numbered, limit } = question;
  let query: Client.Query | Client.VectorQuery = (await opened.table()).query();
  if (words) query = query.fullTextSearch(words.text, { columns: [words.column] });
  if (near) query = nearTo(query as Client.Query, near);
  if (near && words) {
    const { RRFReranker } = opened.client.rerankers;
    query = (query as Client.VectorQuery).rerank(await RRFReranker.create(rrfK));
  }
  const scores = near && words ? [] : near ? ['_distance'] : words ? ['_score'] : [];
  query = query.select([...columns, ...scores]);
  if (limit !== undefined) query = query.limit(limit);
  if (where !== undefined) query = query.where(where);
  return numbered ? query.withRowId() : query;
}

function nearTo(
  base: Client.Query,
  { vector, column, distance, exact, nprobes, refineFactor, ef }: NonNullable<RowsQuestion['near']>,
): Client.VectorQuery {
  const query = base.nearestTo(vector).column(column);
  if (distance !== undefined) query.distanceType(distance);
  if (exact) query.bypassVectorIndex();
  if (nprobes !== undefined) query.nprobes(nprobes);
  if (refineFactor !== undefined) query.refineFactor(refineFactor);
  if (ef !== undefined) query.ef(ef);
  return query;
}

/** Lists and structures of Arrow, which convert themselves to JSON. */
function ofArrow(value: object): unknown {
  if ('toArray' in value && typeof value.toArray === 'function')
    return (value as { toArray(): unknown }).toArray();
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return (value as { toJSON(): unknown }).toJSON();
  return value;
}
