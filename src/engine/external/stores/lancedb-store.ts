/** LanceDB through its own client, `@lancedb/lancedb`, from the user's project. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../core/counted.ts';
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { isLanceFolder, LANCE_ROW, type LanceRetriever } from '../../../core/external/stores/lancedb.ts';
import type { ExternalResult } from '../../../core/external/spec.ts';
import { listOf } from '../../../core/formats/lists.ts';
import { bothExpressions } from './both-filters.ts';
import {
  openStore,
  StoreDialect,
  type AskedOf,
  type CollectionFacts,
  type Near,
  type Results,
} from './dialect-store.ts';
import { scoreOfDistance, type FindEmbedder } from './query-vectors.ts';
import type { RemoteStore, StoredRecord, VectorsByKey } from './remote-store.ts';
import { clientTrouble } from './own-client/client-trouble.ts';
import { ClientError } from './own-client/fault.ts';
import { StoreClient } from './own-client/store-client.ts';
import { connectionTrouble, type StoreTrouble } from './store-calls.ts';
import { storedCount, storedRecord, vectorsByKey, wholeNumbers } from './stored-values.ts';
import type { LanceQuestions, LanceTable, RowsQuestion } from './lancedb/messages.ts';

const column = z.object({
  name: z.string(),
  nullable: z.boolean(),
  type: z.string(),
  size: z.number().optional(),
});
const factsAnswer = z.object({ columns: listOf(column), distance: z.string().optional() });
const wordsAnswer = z.object({ indexed: storedCount, unindexed: storedCount }).optional();
const row = z.record(z.string(), z.unknown());
const rowsAnswer = listOf(row);
type Row = Read<typeof row>;

/** @param apiKey of LanceDB Cloud or Enterprise */
export function createStore(
  spec: LanceRetriever,
  apiKey: string | undefined,
  embedder: FindEmbedder,
): RemoteStore {
  const { client, uri, table, region, host } = spec;
  const name = l10n.t`LanceDB in ${uri}`;
  const access = {
    name,
    explain: (error: unknown, store: string) => lanceTrouble(error, store, spec),
    secret: apiKey,
  };
  const place = { client, uri, table, region, host, apiKey };
  return openStore<LanceRetriever, LanceFacts, LanceClient>(Lance, spec, embedder, access, () => {
    return new StoreClient(() => Promise.resolve({ store: 'lancedb', place }));
  });
}

type LanceFacts = CollectionFacts & LanceTable;
type LanceClient = StoreClient<LanceQuestions>;

class Lance extends StoreDialect<LanceRetriever, LanceFacts, LanceClient> {
  /** Rows come in the order in which they were written. */
  #hasWords = false;

  get asksByVector(): boolean {
    return this.spec.mode !== 'bm25';
  }

  override async search({ text, near }: AskedOf<LanceFacts>, k: number, end: AbortSignal): Promise<Results> {
    const { mode, textField, rrfK } = this.spec;
    if (mode === 'vector') return this.nearest(near!, k, end);
    await this.#requireWords(end);
    const words = { text, column: textField };
    const search = near ? { near: this.#near(near.vector), words, rrfK } : { words };
    const rows = await this.#rows({ ...search, limit: k }, end);
    return this.#scored(rows, near ? '_relevance_score' : '_score', (score) => score);
  }

  async nearest(
    { vector, facts: { distance } }: Near<LanceFacts>,
    k: number,
    end: AbortSignal,
  ): Promise<Results> {
    const rows = await this.#rows({ near: this.#near(vector), limit: k }, end);
    const measure = this.spec.distance ?? distance;
    // These two are returned as 1 minus the similarity.
    const isReversed = measure === 'cosine' || measure === 'dot';
    return this.#scored(rows, '_distance', (away) => (isReversed ? 1 - away : scoreOfDistance(away)));
  }

  async count(end: AbortSignal): Promise<number> {
    const answer = await this.client.ask({ asked: 'count', of: { where: this.spec.filter } }, end);
    return this.calls.checked(storedCount, answer);
  }

  override async first(limit: number, end: AbortSignal): Promise<readonly StoredRecord[]> {
    const rows = await this.#rows({ limit }, end);
    return rows.map((record) => this.#record(record));
  }

  async records(ids: readonly string[], end: AbortSignal): Promise<readonly StoredRecord[]> {
    const rows = await this.#rowsWith(ids, undefined, end);
    return rows.map((record) => this.#record(record));
  }

  async fetch(keys: readonly string[], end: AbortSignal): Promise<VectorsByKey> {
    const { vectorField, idField } = this.spec;
    const rows = await this.#rowsWith(keys, [vectorField], end);
    return vectorsByKey(
      rows.map((record) => {
        const vector = record[vectorField];
        return [String(record[idField]), ArrayBuffer.isView(vector) ? [...(vector as Float32Array)] : vector];
      }),
    );
  }

  wellness(store: string, count: number): string {
    const { table } = this.spec;
    return counted(l10n.t('{1} answers; the table "{2}" has {0} [0:row|rows].'), count, store, table);
  }

  override close(): Promise<void> {
    return this.client.close();
  }

  protected async readFacts(end: AbortSignal): Promise<LanceFacts> {
    const { vectorField, textField, idField, table } = this.spec;
    const answer = await this.client.ask({ asked: 'facts', of: { vectorField } }, end);
    const { columns, distance } = this.calls.checked(factsAnswer, answer);
    for (const name of [textField, idField])
      if (name !== LANCE_ROW && !columns.some((one) => one.name === name))
        throw this.calls.failure(
          name === textField
            ? l10n.t`${this.calls.name} has no column "${name}" in the table "${table}"; name the column of the texts as "textField".`
            : l10n.t`${this.calls.name} has no column "${name}" in the table "${table}"; name the column of the ids as "idField", or "${LANCE_ROW}" if there is none.`,
        );
    return { columns, distance, dimensions: columns.find(({ name }) => name === vectorField)?.size };
  }

  /**
   * Without an index on the words, or with one that was made before there were rows, versions before 0.39 find any
   * rows with the words, not the best ones.
   */
  async #requireWords(end: AbortSignal): Promise<void> {
    if (this.#hasWords) return;
    const { textField, table } = this.spec;
    const answer = await this.client.ask({ asked: 'words', of: { textField } }, end);
    const index = this.calls.checked(wordsAnswer, answer);
    this.#hasWords = index !== undefined && index.indexed > 0;
    if (!this.#hasWords && index?.unindexed !== 0)
      throw this.calls.failure(
        index
          ? l10n.t`${this.calls.name} has a full text index on the table "${table}" without any of its rows yet; bring it up to date: table.optimize().`
          : l10n.t`${this.calls.name} has no full text index on the column "${textField}" of the table "${table}"; make one: createIndex("${textField}", { config: Index.fts() }), in Python create_fts_index("${textField}").`,
      );
  }

  #near(vector: Float32Array): NonNullable<RowsQuestion['near']> {
    const { vectorField, distance, exact, nprobes, refineFactor, ef } = this.spec;
    return { vector, column: vectorField, distance, exact, nprobes, refineFactor, ef };
  }

  /** @param ids of passages; for a column of numbers, only those that are numbers */
  async #rowsWith(
    ids: readonly string[],
    columns: readonly string[] | undefined,
    end: AbortSignal,
  ): Promise<readonly Row[]> {
    const { idField } = this.spec;
    const type = (await this.facts(end)).columns.find(({ name }) => name === idField)?.type ?? 'Int64';
    const values = /utf8/iu.test(type) ? ids.map(literal) : wholeNumbers(ids).map(String);
    if (values.length === 0) return [];
    const where = `${idField === LANCE_ROW ? idField : `\`${idField}\``} IN (${values.join(', ')})`;
    return this.#rows({ where, ...(columns && { columns }) }, end);
  }

  async #rows(
    question: Omit<RowsQuestion, 'columns' | 'numbered'> & { readonly columns?: readonly string[] },
    end: AbortSignal,
  ): Promise<readonly Row[]> {
    const { filter, idField } = this.spec;
    const { columns = this.#plainColumns(await this.facts(end)), where, ...rest } = question;
    const numbered = idField === LANCE_ROW;
    const both = filter !== undefined && where !== undefined ? bothExpressions(filter, where) : undefined;
    const of: RowsQuestion = {
      ...rest,
      columns: numbered || columns.includes(idField) ? columns : [idField, ...columns],
      numbered,
      where: both ?? where ?? filter,
    };
    return this.calls.checked(rowsAnswer, await this.client.ask({ asked: 'rows', of }, end));
  }

  /** All columns but vectors, other lists and pictures, which say nothing about a passage. */
  #plainColumns({ columns }: LanceFacts): readonly string[] {
    return columns.filter(({ type }) => !/list|binary/iu.test(type)).map(({ name }) => name);
  }

  /** Rows with a number there. A vector of zeros has no cosine. */
  #scored(rows: readonly Row[], name: string, scoreOf: (value: number) => number): ExternalResult[] {
    return rows.flatMap((record) => {
      const score = record[name];
      return typeof score === 'number' && Number.isFinite(score)
        ? [{ ...this.#record(record), score: scoreOf(score) }]
        : [];
    });
  }

  #record(record: Row): StoredRecord {
    const { idField, textField } = this.spec;
    const { _distance, _score, _relevance_score, ...fields } = record;
    const id = record[idField];
    return storedRecord(String(id), id, record[textField], fields);
  }
}

/** A string literal of SQL. */
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function lanceTrouble(error: unknown, store: string, spec: LanceRetriever): StoreTrouble {
  const { client, uri, table } = spec;
  if (!(error instanceof ClientError)) return connectionTrouble(store, error);
  if (error.fault === 'no-place')
    return {
      sentence:
        isLanceFolder(uri) && error.message === uri
          ? l10n.t`${store} is not there: there is no such folder.`
          : l10n.t`${store} has no table "${table}".`,
    };
  return clientTrouble(error.fault, shortened(error.message), store, {
    name: 'LanceDB',
    client: '@lancedb/lancedb',
    folder: client,
  });
}

/** Removes what LanceDB adds to an error: the place in its own sources, and the cause. */
function shortened(message: string): string {
  const [first = ''] = message.split('Caused by:');
  const [sentence = ''] = first.split(', /');
  return sentence.replace(/\s+/gu, ' ').trim().replace(/\.$/u, '').slice(0, 300);
}
