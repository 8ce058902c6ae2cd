/**
 * Checks of what arrives from the extension host, before a view relies on it.
 *
 * The schemas of src/shared would add 95 to 450 kB to a panel of 180 kB. Both ends ship in one package, so what
 * can go wrong is a panel that outlived an update of the extension: a field that is missing or of another kind.
 * That is what is checked here; tests hold these checks against the schemas.
 */

export type Kind = 'array' | 'boolean' | 'number' | 'object' | 'string';
export type Fields = Readonly<Record<string, Kind>>;

/** A record with all of these fields, each of its kind. Other fields do not matter. */
export function has(value: unknown, fields: Fields): value is Record<string, unknown> {
  return isRecord(value) && Object.entries(fields).every(([name, kind]) => kindOf(value[name]) === kind);
}

/** A list of records that all have these fields. */
export function all(values: unknown, fields: Fields): values is Record<string, unknown>[] {
  return Array.isArray(values) && values.every((value) => has(value, fields));
}

/** A list of this length whose items are all of one of these kinds; `null` counts as `null`. */
export function list(values: unknown, kinds: readonly (Kind | 'null')[], length?: number): boolean {
  if (!Array.isArray(values) || (length !== undefined && values.length !== length)) return false;
  return values.every((value) => kinds.some((kind) => kindOf(value) === kind));
}

/** Whether a state says nothing of a failure, or in the words of `src/shared/failure.ts`. */
export function isFailureOrAbsent(value: unknown): boolean {
  return (
    value === undefined ||
    (has(value, { message: 'string', remedies: 'array' }) && list(value['remedies'], ['string']))
  );
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return kindOf(value) === 'object';
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
