/** JSON that others wrote, of which nothing is known before it is looked at. */

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON of a list or an object within a string, as exports and spans have it; the value itself where it is none. */
export function unpacked(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/u.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    // A text that begins with a bracket is a text.
    return value;
  }
}
