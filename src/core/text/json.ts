/** Untrusted JSON. */

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON of a list or an object within a string, as in exports and spans. Other values are returned unchanged. */
export function unpacked(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/u.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    // The text only looks like JSON.
    return value;
  }
}
