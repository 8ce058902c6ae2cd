/**
 * Entry of the process that LanceDB's client runs in. The client has native parts of more than 100 MB, so none ships with
 * Parallax: it is that of the user's own project, which is loaded here and nowhere else.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type * as Client from '@lancedb/lancedb';
import type * as Arrow from 'apache-arrow';
import { messageOf } from '../../../../core/errors.ts';
import { isLanceFolder } from '../../../../core/external/client-stores.ts';
import { plainRow, RowBudget } from './plain-rows.ts';
import type {
  LanceAnswer,
  LanceFault,
  LancePlace,
  LanceQuestions,
  LanceRequest,
  RowsQuestion,
} from './messages.ts';

const CLIENT = '@lancedb/lancedb';

class Fault extends Error {
  readonly kind: LanceFault;

  constructor(kind: LanceFault, said: string) {
    super(said);
    this.kind = kind;
  }
}

/** The first message says it. */
let place: LancePlace;

type Loaded = { readonly client: typeof Client; readonly arrow: typeof Arrow };
let loaded: Loaded | undefined;
let connected: Promise<Client.Connection> | undefined;
let opened: Promise<Client.Table> | undefined;

/** @throws Fault `no-client`, `bad-client` */
function load(): Loaded {
  if (loaded) return loaded;
  const fromProject = createRequire(path.join(place.client, 'package.json'));
  let file: string;
  try {
    file = fromProject.resolve(CLIENT);
  } catch (error) {
    throw new Fault('no-client', messageOf(error));
  }
  try {
    // Its peer, which has to be the one that it knows itself.
    const arrow = createRequire(file)('apache-arrow') as typeof Arrow;
    loaded = { client: fromProject(file) as typeof Client, arrow };
    return loaded;
  } catch (error) {
    throw new Fault('bad-client', messageOf(error));
  }
}

/** @throws Fault `no-table` for a folder that is not there, which LanceDB would make */
function connect(makes: boolean): Promise<Client.Connection> {
  const { client } = load();
  const { uri, apiKey, region, host } = place;
  if (!makes && isLanceFolder(uri) && !existsSync(uri)) throw new Fault('no-table', uri);
  connected ??= client
    .connect(uri, {
      // What other processes write is seen at once.
      readConsistencyInterval: 0,
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(region === undefined ? {} : { region }),
      ...(host === undefined ? {} : { hostOverride: host }),
    })
    .catch((error: unknown) => {
      connected = undefined;
      throw error;
    });
  return connected;
}

/** @throws Fault `no-table` */
async function table(): Promise<Client.Table> {
  const connection = await connect(false);
  opened ??= connection.openTable(place.table).catch((error: unknown) => {
    opened = undefined;
    throw /not found|does not exist/iu.test(messageOf(error)) ? new Fault('no-table', place.table) : error;
  });
  return opened;
}

const ANSWERS: { readonly [Asked in keyof LanceQuestions]: (of: LanceQuestions[Asked]) => Promise<unknown> } =
  {
    async facts({ vectorField }) {
      const [{ fields }, indexes] = await Promise.all([
        table().then((held) => held.schema()),
        table().then((held) => held.listIndices()),
      ]);
      const index = indexes.find(
        ({ columns, indexType }) => columns[0] === vectorField && indexType !== 'FTS',
      );
      const stats = index && (await (await table()).indexStats(index.name));
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
      const index = await wordsIndex(await table(), textField);
      return index && { indexed: index.numIndexedRows, unindexed: index.numUnindexedRows };
    },

    async rows(question) {
      const rows = (await (await queryOf(question)).toArray()) as Arrow.StructRow[];
      const budget = new RowBudget(() => new Fault('too-large', ''));
      return rows.map((row) => plainRow(row, budget));
    },

    async count({ where }) {
      return (await table()).countRows(where);
    },

    async exists() {
      try {
        await table();
        return true;
      } catch (error) {
        if (error instanceof Fault && error.kind === 'no-table') return false;
        throw error;
      }
    },

    async create({ texts, idField, vectorField, dimensions, searched }) {
      const connection = await connect(true);
      const { client, arrow } = load();
      const { Schema, Field, Utf8, Float32, FixedSizeList } = arrow;
      const vectors = new FixedSizeList(dimensions, new Field('item', new Float32(), true));
      const schema = new Schema([
        new Field(idField, new Utf8(), false),
        ...texts.map((name) => new Field(name, new Utf8(), true)),
        new Field(vectorField, vectors, true),
      ]);
      const made = await connection.createEmptyTable(place.table, schema);
      if (searched !== undefined) await made.createIndex(searched, { config: client.Index.fts() });
    },

    async add({ idField, textField, rows }) {
      const held = await table();
      await held
        .mergeInsert(idField)
        .whenNotMatchedInsertAll()
        .execute([...rows]);
      // Versions before 0.39 find any rows with the words, and not the best, as long as their index has none.
      const index = textField === undefined ? undefined : await wordsIndex(held, textField);
      if (index?.numIndexedRows === 0) await held.optimize();
    },
  };

/** Of the full text index on a column. */
async function wordsIndex(held: Client.Table, column: string): Promise<Client.IndexStatistics | undefined> {
  const index = (await held.listIndices()).find(
    ({ columns, indexType }) => indexType === 'FTS' && columns.includes(column),
  );
  return index && held.indexStats(index.name);
}

async function queryOf(question: RowsQuestion): Promise<Client.Query | Client.VectorQuery> {
  const { near, words, rrfK, where, columns, numbered, limit, offset } = question;
  let query: Client.Query | Client.VectorQuery = (await table()).query();
  if (words) query = query.fullTextSearch(words.text, { columns: [words.column] });
  if (near) query = nearTo(query as Client.Query, near);
  if (near && words) {
    const { RRFReranker } = load().client.rerankers;
    query = (query as Client.VectorQuery).rerank(await RRFReranker.create(rrfK));
  }
  const scores = near && words ? [] : near ? ['_distance'] : words ? ['_score'] : [];
  query = query.select([...columns, ...scores]);
  if (limit !== undefined) query = query.limit(limit);
  if (where !== undefined) query = query.where(where);
  if (offset !== undefined && offset > 0) query = query.offset(offset);
  return numbered ? query.withRowId() : query;
}

function nearTo(
  asked: Client.Query,
  { vector, column, distance, exact, nprobes, refineFactor, ef }: NonNullable<RowsQuestion['near']>,
): Client.VectorQuery {
  const query = asked.nearestTo(vector).column(column);
  if (distance !== undefined) query.distanceType(distance);
  if (exact) query.bypassVectorIndex();
  if (nprobes !== undefined) query.nprobes(nprobes);
  if (refineFactor !== undefined) query.refineFactor(refineFactor);
  if (ef !== undefined) query.ef(ef);
  return query;
}

process.once('message', (first: LancePlace) => {
  place = first;
  process.on('message', answer);
});
process.once('disconnect', () => process.exit(0));

function send(answer: LanceAnswer): void {
  process.send?.(answer);
}

function answer({ id, asked, of }: LanceRequest): void {
  const answered = ANSWERS[asked] as (of: unknown) => Promise<unknown>;
  // What is thrown at once is an answer, too.
  Promise.resolve()
    .then(() => answered(of))
    .then(
      (said) => send({ id, answer: said }),
      (error: unknown) => {
        // The table may have been made anew meanwhile.
        opened = undefined;
        const fault = error instanceof Fault ? error.kind : 'refused';
        send({ id, fault, said: messageOf(error) });
      },
    );
}
