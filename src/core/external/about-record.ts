/** What the metadata of a record says of where its text comes from, by the names that loaders and frameworks give it. */

/** Enough to name a record, and to lead back to its document. */
export interface AboutRecord {
  readonly title?: string | undefined;
  /** An address, or a path as whoever filled the store saw it. */
  readonly source?: string | undefined;
  readonly page?: string | undefined;
}

const TITLES = ['title', 'document_title', 'heading', 'name', 'file_name', 'filename'] as const;
const SOURCES = ['url', 'source_url', 'source', 'link', 'file_path', 'path', 'file', 'document_url'] as const;
const PAGES = ['page_label', 'page', 'page_number'] as const;
/** Under which the metadata of a record stands as one object. */
const NESTED = ['metadata', 'cmetadata', 'metadata_', 'langchain_metadata'] as const;

/** Fields that {@link aboutRecord} reads; others need not be fetched. */
export const ABOUT_FIELDS: readonly string[] = [...TITLES, ...SOURCES, ...PAGES, ...NESTED];

/**
 * @param fields of the record; what stands in an object of metadata counts where the record itself says nothing
 * @returns nothing where no field is known
 */
export function aboutRecord(fields: unknown): AboutRecord | undefined {
  const objects = [fields, ...NESTED.map((name) => parsed(fieldOf(fields, name)))];
  const title = firstWord(objects, TITLES);
  const source = firstWord(objects, SOURCES);
  const page = firstWord(objects, PAGES);
  if (title === undefined && source === undefined && page === undefined) return undefined;
  return {
    ...(title === undefined ? {} : { title }),
    ...(source === undefined ? {} : { source }),
    ...(page === undefined ? {} : { page }),
  };
}

function firstWord(objects: readonly unknown[], names: readonly string[]): string | undefined {
  for (const object of objects)
    for (const name of names) {
      const value = fieldOf(object, name);
      if (typeof value === 'number') return String(value);
      if (typeof value === 'string' && value.trim() !== '') return value.trim();
    }
  return undefined;
}

/** Some stores keep metadata as JSON in a text. */
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
