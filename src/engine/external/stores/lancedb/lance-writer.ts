/** Fills a table of LanceDB. */
import * as l10n from '@vscode/l10n';
import { LANCE_ROW, type LanceRetriever } from '../../../../core/external/client-stores.ts';
import type { NewRecord } from '../remote-store.ts';
import { DialectWriter } from '../writers/dialect-writer.ts';
import type { StoreClient } from '../own-client/store-client.ts';
import type { LanceQuestions, LanceTable } from './messages.ts';

type LanceRow = Readonly<Record<string, unknown>>;

/** In which what is said of a passage stands as JSON. */
const METADATA = 'metadata';
const isText = (type: string): boolean => /utf8/iu.test(type);

export class LanceWriter extends DialectWriter<
  LanceRetriever,
  LanceTable,
  LanceRow,
  StoreClient<LanceQuestions>
> {
  /** @throws ParallaxError `retriever-failed` where its own numbers are to be the ids */
  async exists(end: AbortSignal): Promise<boolean> {
    const { spec, calls, client } = this.store;
    if (spec.idField === LANCE_ROW)
      throw calls.failure(
        l10n.t`${calls.name} numbers its rows by itself, so that "${LANCE_ROW}" cannot hold the ids of passages: name a column as "idField".`,
      );
    return (await client.ask({ asked: 'exists', of: {} }, end)) === true;
  }

  async create(dimensions: number, end: AbortSignal): Promise<void> {
    // A repetition finds what it made before.
    if (await this.exists(end)) return;
    const { idField, textField, vectorField } = this.store.spec;
    const texts = [textField, METADATA].filter((name) => name !== idField && name !== vectorField);
    const of = { texts: [...new Set(texts)], idField, vectorField, dimensions, searched: this.#searched };
    await this.store.client.ask({ asked: 'create', of }, end);
  }

  protected itemOf({ id, text, vector, metadata }: NewRecord, { columns }: LanceTable): LanceRow {
    const { idField, textField, vectorField, table } = this.store.spec;
    const idColumn = columns.find(({ name }) => name === idField);
    if (idColumn && !isText(idColumn.type))
      throw this.store.calls.failure(
        l10n.t`${this.store.calls.name} has ids of the type ${idColumn.type} in the column "${idField}" of the table ${table}; those of passages are texts.`,
      );
    const about: Readonly<Record<string, string>> = { ...metadata, [METADATA]: JSON.stringify(metadata) };
    const others = columns
      .filter(({ name, nullable, type }) => nullable || (isText(type) && Object.hasOwn(about, name)))
      .map(({ name, type }): [string, unknown] => [
        name,
        isText(type) && Object.hasOwn(about, name) ? about[name] : null,
      ]);
    return {
      ...Object.fromEntries(others),
      [idField]: id,
      [textField]: text,
      [vectorField]: [...vector],
    };
  }

  protected async send(rows: readonly LanceRow[], end: AbortSignal): Promise<void> {
    const { idField } = this.store.spec;
    await this.store.client.ask({ asked: 'add', of: { idField, textField: this.#searched, rows } }, end);
  }

  /** The column whose words are searched. */
  get #searched(): string | undefined {
    const { mode, textField } = this.store.spec;
    return mode === 'vector' ? undefined : textField;
  }
}
