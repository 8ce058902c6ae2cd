/**
 * Checks of what arrives from the extension host, before a view relies on it.
 *
 * The schemas of src/shared would add 95 to 450 kB to a panel of 180 kB. Both ends ship in one package, so what
 * can go wrong is a panel that outlived an update of the extension: a field that is missing or of another kind.
 * That is what is checked here, by guards that scripts/guards.ts writes from the schemas.
 */

export type Guard = (value: unknown) => boolean;

/** Gives a guard the type that it stands for. */
export function guardOf<T>(guard: Guard): (value: unknown) => value is T {
  return guard as (value: unknown) => value is T;
}

export const anything: Guard = () => true;
export const text: Guard = (value) => typeof value === 'string';
export const number: Guard = (value) => typeof value === 'number';
export const flag: Guard = (value) => typeof value === 'boolean';
export const nothing: Guard = (value) => value === null;

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A record with all of the required fields, and of the optional ones those that it has. Other fields do not matter. */
export function fields(
  required: Readonly<Record<string, Guard>>,
  optional: Readonly<Record<string, Guard>> = {},
): Guard {
  const [must, may] = [Object.entries(required), Object.entries(optional)];
  return (value) =>
    isRecord(value) &&
    must.every(([name, guard]) => guard(value[name])) &&
    may.every(([name, guard]) => value[name] === undefined || guard(value[name]));
}

/** A record with values of one kind, under any names. */
export function dictionary(item: Guard): Guard {
  return (value) => isRecord(value) && Object.values(value).every(item);
}

/** A list of at least so many items, all of one kind. */
export function list(item: Guard, least = 0): Guard {
  return (value) => Array.isArray(value) && value.length >= least && value.every(item);
}

export const isTexts = guardOf<readonly string[]>(list(text));

/** A list with as many items as there are guards, one for each. */
export function tuple(...items: readonly Guard[]): Guard {
  return (value) =>
    Array.isArray(value) &&
    value.length === items.length &&
    items.every((guard, index) => guard(value[index]));
}

export function oneOf(...guards: readonly Guard[]): Guard {
  return (value) => guards.some((guard) => guard(value));
}

/** A record whose field `tag` says which of the cases it is. */
export function tagged(tag: string, cases: Readonly<Record<string, Guard>>): Guard {
  const guards = new Map(Object.entries(cases));
  return (value) => {
    if (!isRecord(value)) return false;
    const found = value[tag];
    return typeof found === 'string' && (guards.get(found)?.(value) ?? false);
  };
}
