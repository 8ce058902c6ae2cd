/**
 * The databases in which VS Code keeps the spans of its agents: of the agent host and of GitHub Copilot Chat. They have the
 * same tables, with the values of attributes as text.
 */
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isRecord, unpacked } from '../../../core/text/json.ts';
import { codeOf } from '../../../engine/files/file-reason.ts';
import { number, openDatabase, text, type Database, type Row } from '../../../engine/store/database.ts';
import {
  EVENT_OF_RESULT,
  resultOfEvent,
  serviceOf,
  type AttributeValue,
  type CapturedSpan,
  type SpanLimits,
} from '../core/spans.ts';

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
 * @throws ParallaxError `store-unusable` for a damaged one, `too-large`
 */
export async function spansOfDatabase(
  bytes: Buffer,
  file: string,
  limits: SpanLimits,
): Promise<CapturedSpan[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parallax-traces-'));
  try {
    const copy = path.join(folder, 'traces.db');
    await writeFile(copy, bytes);
    await copyFile(`${file}-wal`, `${copy}-wal`).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
    });
    const db = openDatabase(copy);
    try {
      return hasTables(db) ? spansIn(db, limits) : [];
    } finally {
      db.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
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

function spansIn(db: Database, limits: SpanLimits): CapturedSpan[] {
  const attributesOf = new Map<string, Map<string, AttributeValue>>();
  const rows: Row[] = [];
  for (const row of db.prepare('SELECT trace_id, span_id, name, start_time_ms FROM spans').iterate()) {
    limits.count('spans');
    rows.push(row);
    attributesOf.set(text(row, 'span_id'), new Map());
  }
  for (const row of db.prepare('SELECT span_id, key, value FROM span_attributes').iterate()) {
    limits.count('attributes');
    if (row['value'] !== null)
      attributesOf.get(text(row, 'span_id'))?.set(text(row, 'key'), text(row, 'value'));
  }
  const events = db.prepare('SELECT span_id, attributes FROM span_events WHERE name = ?');
  for (const row of events.iterate(EVENT_OF_RESULT)) {
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
      startedAt: number(row, 'start_time_ms'),
      attributes,
      // Attributes of resources are among those of their spans.
      service: serviceOf(attributes),
      scope: '',
    };
  });
}
