/**
 * Reads the metadata of a record: the source of its text, by the field names of loaders and frameworks, and other
 * countable fields.
 */
import * as z from 'zod';
import type { Read } from '../read.ts';
import { fieldsOf, type DocumentFields } from '../text/fields.ts';

/** The name of a record, and the way back to its document. */
export const aboutRecordSchema = z.object({
  title: z.string().optional(),
  /** A URL, or a path on the machine that filled the store. */
  source: z.string().optional(),
  page: z.string().optional(),
  /** Id of the corpus document that contains the text. */
  document: z.string().optional(),
  /** Short values beside the text, those in nested metadata first. */
  fields: z.record(z.string(), z.string()).readonly().optional(),
});
export type AboutRecord = Readonly<Read<typeof aboutRecordSchema>>;

const TITLES = ['title', 'document_title', 'heading', 'name', 'file_name', 'filename'] as const;
const SOURCES = ['url', 'source_url', 'source', 'link', 'file_path', 'path', 'file', 'document_url'] as const;
const PAGES = ['page_label', 'page', 'page_number'] as const;
/** Fields that contain a record's metadata as an object. */
const NESTED = ['metadata', 'cmetadata', 'metadata_', 'langchain_metadata'] as const;

/** Fields that describe the source of a text. Objects among them are read as well. */
export const ABOUT_FIELDS: readonly string[] = [...TITLES, ...SOURCES, ...PAGES, ...NESTED];

/**
 * @param fields of the record; nested metadata is used for what the record itself lacks
 * @param reservedValues its text and id, which do not count as fields
 * @returns `undefined` without known fields
 */
export function aboutRecord(
  fields: unknown,
  reservedValues: readonly unknown[] = [],
): AboutRecord | undefined {
  const objects = [fields, ...NESTED.map((name) => parsed(fieldOf(fields, name)))];
  const title = firstWord(objects, TITLES);
  const source = firstWord(objects, SOURCES);
  const page = firstWord(objects, PAGES);
  const counted = countedOf(objects, reservedValues);
  if ([title, source, page, counted].every((part) => part === undefined)) return undefined;
  return {
    ...(title === undefined ? {} : { title }),
    ...(source === undefined ? {} : { source }),
    ...(page === undefined ? {} : { page }),
    ...(counted === undefined ? {} : { fields: counted }),
  };
}

/** @param objects the record, and its nested objects */
function countedOf(
  [record, ...nested]: readonly unknown[],
  reservedValues: readonly unknown[],
): DocumentFields | undefined {
  const entries = [...nested, record].flatMap((object) =>
    typeof object === 'object' && object !== null ? Object.entries(object) : [],
  );
  return fieldsOf(
    entries.flatMap(([name, value]) =>
      isWord(value) && !reservedValues.includes(value) ? [[name, String(value)] as const] : [],
    ),
  );
}

const isWord = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

function firstWord(objects: readonly unknown[], names: readonly string[]): string | undefined {
  for (const object of objects)
    for (const name of names) {
      const value = fieldOf(object, name);
      if (typeof value === 'number') return String(value);
      if (typeof value === 'string' && value.trim() !== '') return value.trim();
    }
  return undefined;
}

/** Some stores keep metadata as JSON text. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

function fieldOf(object: unknown, name: string): unknown {
  return typeof object === 'object' && object !== null && Object.hasOwn(object, name)
    ? (object as Record<string, unknown>)[name]
    : undefined;
}
