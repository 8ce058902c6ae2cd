/** Untrusted JSON. */

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Deeper JSON is not read, as it can overflow the stack where it is read or sent. */
const MAX_DEPTH = 100;

/**
 * Parses JSON of a list or an object within a string, as in exports and spans. Other values are returned unchanged.
 *
 * @returns `null` for JSON that is nested too deep
 */
export function unpacked(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/u.test(value)) return value;
  try {
    if (isTooDeep(value)) return null;
    return JSON.parse(value);
  } catch {
    // The text only looks like JSON.
    return value;
  }
}

/** Whether it is nested too deep. Ignores brackets within texts. */
export function isTooDeep(json: string): boolean {
  let levels = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const sign = json[at];
    if (isText && sign === '\\') at++;
    else if (sign === '"') isText = !isText;
    else if (isText) continue;
    else if (sign === '[' || sign === '{') levels++;
    else if (sign === ']' || sign === '}') levels--;
    if (levels > MAX_DEPTH) return true;
  }
  return false;
}
