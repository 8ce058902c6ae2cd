/** Fields of documents: what they say of themselves beside their text, such as an author or a date. */

/** Values by name in lower case. */
export type DocumentFields = Readonly<Record<string, string>>;

/** Longer values, in characters, are prose. */
export const LONGEST_VALUE = 200;
const LONGEST_NAME = 60;
/** How many of the first fields of a document are kept. */
const MOST_FIELDS = 30;
/** Characters that names in figures, such as `Values(author)@5`, cannot have. */
const UNUSABLE = /[()@]/u;

/**
 * Keeps those names and values that can serve as fields: short values, usable names; a name that comes twice has its
 * last value.
 */
export function fieldsOf(
  found: Iterable<readonly [name: string, value: string]>,
): DocumentFields | undefined {
  const fields = new Map<string, string>();
  for (const [given, value] of found) {
    const [name, trimmed] = [given.trim().toLowerCase(), value.trim()];
    if (name === '' || name.length > LONGEST_NAME || UNUSABLE.test(name)) continue;
    if (trimmed === '' || trimmed.length > LONGEST_VALUE) continue;
    if (fields.has(name) || fields.size < MOST_FIELDS) fields.set(name, trimmed);
  }
  return fields.size === 0 ? undefined : Object.fromEntries(fields);
}

/** A value of a document's field. */
export function fieldValue(fields: DocumentFields | undefined, name: string): string | undefined {
  return fields && Object.hasOwn(fields, name) ? fields[name] : undefined;
}
