/**
 * Records: objects of JSON, JSONL or CSV files in the shapes that retrieval tools write.
 */
import * as l10n from '@vscode/l10n';
import { messageOf } from '../../../core/errors.ts';
import { fieldsOf, type DocumentFields } from '../../../core/text/fields.ts';
import { requireShape } from '../../files/read-input.ts';
import { FileSkipped } from './reader.ts';
import type { DraftRecord, FileProblem, ReadContext, ReadItem, RecordFields } from './reader.ts';
import { requireNoVectors } from './vectors.ts';

export interface RecordContent {
  readonly id?: string | undefined;
  /** Empty if the record has none. */
  readonly title: string;
  readonly text: string;
  /** Its other values, if they are short. */
  readonly fields: DocumentFields | undefined;
}

type RecordContext = RecordFields & Pick<ReadContext, 'isNamed'>;

type Json = Readonly<Record<string, unknown>>;

/** Only files of passages have these fields: LangChain (Python, JavaScript), LlamaIndex (current form). */
export const DISTINCT_TEXT_FIELDS = ['page_content', 'pageContent', 'text_resource.text'] as const;
/** Common names of the text field, most specific first. */
export const COMMON_TEXT_FIELDS = [
  'text',
  'content',
  'body',
  'passage',
  'page_content',
  'answer',
  'description',
] as const;
const TEXT_FIELDS = [...DISTINCT_TEXT_FIELDS, ...COMMON_TEXT_FIELDS];
/** BEIR, plain, LlamaIndex. */
const ID_FIELDS = ['_id', 'id', 'id_'] as const;
const TITLE_FIELDS = ['title', 'metadata.title'] as const;

/**
 * The content of one record. `undefined` if it has no text under the configured or a usual name. A record with only a
 * title has it as its text, so that it keeps its place in the corpus.
 */
export function recordContent(value: unknown, fields: RecordFields): RecordContent | undefined {
  const record = unwrap(value);
  if (!record) return undefined;
  const text = firstText(record, fields.textField === undefined ? TEXT_FIELDS : [fields.textField]);
  if (text === undefined) return undefined;
  const title = firstText(record, TITLE_FIELDS)?.trim() ?? '';
  const id = firstText(
    record,
    fields.idField === undefined ? ID_FIELDS : [fields.idField, ...ID_FIELDS],
  )?.trim();
  return {
    id: id || undefined,
    title,
    text: text.trim() === '' ? title : text,
    fields: recordFields(record, [text, title, id ?? '']),
  };
}

/** The fields in which retrieval tools keep metadata. */
const METADATA_FIELDS = ['metadata', 'meta'] as const;

/**
 * Values of the record and of its metadata, whose names have priority.
 *
 * @param reservedValues the fields with its text, title and id
 */
function recordFields(record: Json, reservedValues: readonly string[]): DocumentFields | undefined {
  const within = METADATA_FIELDS.flatMap((name) => {
    const metadata = record[name];
    return isObject(metadata) ? Object.entries(metadata) : [];
  });
  const fields = [...within, ...Object.entries(record)].flatMap(([name, value]) => {
    const shown = typeof value === 'boolean' ? String(value) : textOf(value)?.trim();
    return shown === undefined || reservedValues.includes(shown) ? [] : [[name, shown] as const];
  });
  return fieldsOf(fields);
}

/**
 * Whether a single object is a record and not another JSON file that happens to have a description: it has the
 * configured field, a field that only records have, or both an id and a text.
 */
export function isUnmistakableRecord(value: unknown, fields: RecordFields): boolean {
  const record = unwrap(value);
  if (!record) return false;
  if (fields.textField !== undefined) return firstText(record, [fields.textField]) !== undefined;
  if (firstText(record, DISTINCT_TEXT_FIELDS) !== undefined) return true;
  return firstText(record, ['text']) !== undefined && firstText(record, ['_id', 'id_']) !== undefined;
}

/** LangChain's serialised form has the fields under `kwargs`, LlamaIndex's document store under `__data__`. */
function unwrap(value: unknown): Json | undefined {
  if (!isObject(value)) return undefined;
  if (isObject(value['kwargs']) && 'page_content' in value['kwargs']) return value['kwargs'];
  const data = value['__data__'];
  return isObject(data) ? data : value;
}

function firstText(record: Json, paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const text = textOf(valueAt(record, path));
    if (text !== undefined) return text;
  }
  return undefined;
}

/** A field named like the whole path has priority over a path through nested objects. */
function valueAt(record: Json, path: string): unknown {
  if (Object.hasOwn(record, path)) return record[path];
  if (!path.includes('.')) return undefined;
  return path
    .split('.')
    .reduce<unknown>(
      (value, key) => (isContainer(value) && Object.hasOwn(value, key) ? value[key] : undefined),
      record,
    );
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === 'string'))
    return value.join('\n');
  return undefined;
}

/** An object, or an array by its indexes. */
function isContainer(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}

export function isObject(value: unknown): value is Json {
  return isContainer(value) && !Array.isArray(value);
}

/**
 * A parsed record as a document, or as a problem if it has no text.
 *
 * @throws FileSkipped `vectors`
 */
export function recordItem(value: unknown, record: DraftRecord, fields: RecordContext): ReadItem {
  requireNoVectors(value, fields);
  const content = recordContent(value, fields);
  if (!content || content.text.trim() === '')
    return { problem: recordProblem(record, () => noTextMessage(content !== undefined, fields)) };
  const { id, ...document } = content;
  return { document: { ...document, verbatim: false, record: { ...record, id } } };
}

/** Shorter lines are not large in memory either, and there are millions of them. */
const LONG_LINE = 1_000_000;

/** One line of a JSONL file as a document or a problem. @throws FileSkipped `vectors` */
export function recordItemOfLine(line: string, record: DraftRecord, fields: RecordContext): ReadItem {
  try {
    if (line.length > LONG_LINE) requireShape(line);
    return recordItem(JSON.parse(line), record, fields);
  } catch (error) {
    if (error instanceof FileSkipped) throw error;
    return { problem: recordProblem(record, () => l10n.t`not valid JSON (${messageOf(error)}).`) };
  }
}

/**
 * Names the record by its line, or by its number if lines are unknown.
 *
 * @param what creates the message only when it is read: of a million bad records, a hundred are shown
 */
export function recordProblem({ line, number }: DraftRecord, what: () => string): FileProblem {
  return {
    line,
    get message() {
      return line === undefined ? l10n.t`Record ${number}: ${what()}` : l10n.t`Line ${line + 1}: ${what()}`;
    },
  };
}

function noTextMessage(fieldFound: boolean, { textField }: RecordFields): string {
  if (fieldFound) return l10n.t('the text is empty.');
  return textField === undefined
    ? l10n.t`no field with text (looked for ${COMMON_TEXT_FIELDS.join(', ')}); name it with textField.`
    : l10n.t`no text in the field "${textField}".`;
}
