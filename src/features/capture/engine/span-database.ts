/**
 * The databases in which VS Code keeps the spans of its agents: of the agent host and of GitHub Copilot Chat. They have the
 * same tables, with the values of attributes as text.
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import { isRecord, unpacked } from '../../../core/text/json.ts';
import { codeOf } from '../../../engine/files/file-reason.ts';
import { readBytes } from '../../../engine/files/reading.ts';
import { number, openDatabase, text, type Database, type Row } from '../../../engine/store/database.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../../engine/store/temporary-folder.ts';
import {
  EVENT_OF_RESULT,
  momentOf,
  resultOfEvent,
  serviceOf,
  type AttributeValue,
  type CapturedSpan,
  type SpanLimits,
} from '../core/spans.ts';

/** The most bytes of the log beside it, and characters of all texts: rows of a crafted file may share their pages. */
const MAX_SIZE = 256 * 2 ** 20;
const HEADER = 'SQLite format 3\0';
const TABLES = ['spans', 'span_attributes', 'span_events'] as const;

export function isDatabase(bytes: Buffer): boolean {
  return bytes.subarray(0, HEADER.length).toString('latin1') === HEADER;
}

/**
 * Reads a copy, because SQLite writes beside a file that it opens.
 *
 * @param bytes of the file; what is only in the log beside it is read, too
 * @returns an empty list for another database
 * @param mostCharacters of all texts
 * @throws ParallaxError `store-unusable` for a damaged one, `too-large`
 */
export async function spansOfDatabase(
  bytes: Buffer,
  file: string,
  limits: SpanLimits,
  mostCharacters = MAX_SIZE,
): Promise<CapturedSpan[]> {
  const folder = await makeTemporaryFolder('traces');
  try {
    const copy = path.join(folder, 'traces.db');
    await writeFile(copy, bytes);
    const log = await readBytes(`${file}-wal`, { maxBytes: MAX_SIZE }).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
    });
    if (log) await writeFile(`${copy}-wal`, log);
    const db = openDatabase(copy);
    try {
      return hasTables(db) ? spansIn(db, limits, mostCharacters) : [];
    } finally {
      db.close();
    }
  } finally {
    await removeTemporaryFolder(folder);
  }
}

/** Views and computed columns of a file from elsewhere could run for any time. */
function hasTables(db: Database): boolean {
  db.exec('PRAGMA trusted_schema = OFF');
  const { tables } = db
    .prepare(
      `SELECT count(*) AS tables FROM sqlite_schema
       WHERE type = 'table' AND name IN (${TABLES.map(() => '?').join()})
         AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(sqlite_schema.name) WHERE hidden <> 0)`,
    )
    .get(...TABLES)!;
  return tables === TABLES.length;
}

function spansIn(db: Database, limits: SpanLimits, mostCharacters: number): CapturedSpan[] {
  let left = mostCharacters;
  function* rowsOf(sql: string, ...values: readonly string[]): Iterable<Row> {
    for (const row of db.prepare(sql).iterate(...values)) {
      for (const value of Object.values(row)) if (typeof value === 'string') left -= value.length;
      if (left < 0)
        throw new ParallaxError(
          'too-large',
          l10n.t`Its texts have more than ${mostCharacters >> 20} million characters.`,
        );
      yield row;
    }
  }
  const attributesOf = new Map<string, Map<string, AttributeValue>>();
  const rows: Row[] = [];
  for (const row of rowsOf('SELECT trace_id, span_id, name, start_time_ms FROM spans')) {
    limits.count('spans');
    rows.push(row);
    attributesOf.set(text(row, 'span_id'), new Map());
  }
  for (const row of rowsOf('SELECT span_id, key, value FROM span_attributes')) {
    limits.count('attributes');
    if (row['value'] !== null)
      attributesOf.get(text(row, 'span_id'))?.set(text(row, 'key'), text(row, 'value'));
  }
  const events = 'SELECT span_id, attributes FROM span_events WHERE name = ?';
  for (const row of rowsOf(events, EVENT_OF_RESULT)) {
    limits.count('attributes');
    const event = unpacked(text(row, 'attributes'));
    const attributes = attributesOf.get(text(row, 'span_id'));
    const output = isRecord(event) ? event['output'] : undefined;
    if (attributes && typeof output === 'string') resultOfEvent(new Map([['output', output]]), attributes);
  }
  return rows.map((row) => {
    const spanId = text(row, 'span_id');
    const attributes = attributesOf.get(spanId)!;
    limits.checkAttributes(attributes.size);
    return {
      traceId: text(row, 'trace_id'),
      spanId,
      name: text(row, 'name'),
      startedAt: momentOf(number(row, 'start_time_ms')),
      attributes,
      // Attributes of resources are among those of their spans.
      service: serviceOf(attributes),
      scope: '',
    };
  });
}
