/** Metadata fields of documents, such as an author or a date. */

/** Values by lower-case name. */
export type DocumentFields = Readonly<Record<string, string>>;

/** Longer values, in characters, are prose. */
export const LONGEST_VALUE = 200;
const LONGEST_NAME = 60;
/** The number of fields to keep per document. */
const MAX_FIELDS = 30;
/** Characters that would be ambiguous in measure names such as `Values(author)@5`. */
const UNUSABLE = /[()@]/u;

/** Keeps usable names with short values. For repeated names the last value counts. */
export function fieldsOf(
  entries: Iterable<readonly [name: string, value: string]>,
): DocumentFields | undefined {
  const fields = new Map<string, string>();
  for (const [rawName, value] of entries) {
    const [name, trimmed] = [rawName.trim().toLowerCase(), value.trim()];
    if (name === '' || name.length > LONGEST_NAME || UNUSABLE.test(name)) continue;
    if (trimmed === '' || trimmed.length > LONGEST_VALUE) continue;
    if (fields.has(name) || fields.size < MAX_FIELDS) fields.set(name, trimmed);
  }
  return fields.size === 0 ? undefined : Object.fromEntries(fields);
}

export function fieldValue(fields: DocumentFields | undefined, name: string): string | undefined {
  return fields && Object.hasOwn(fields, name) ? fields[name] : undefined;
}
