import type * as z from 'zod';

/** The output of a schema, for whoever only looks at it. */
export type Read<Schema extends z.ZodType> = Immutable<z.output<Schema>>;

/** The same as it is written: fields with a default may be left out. */
export type Written<Schema extends z.ZodType> = Immutable<z.input<Schema>>;

type Immutable<T> = T extends readonly (infer Item)[]
  ? number extends T['length']
    ? readonly Immutable<Item>[]
    : { readonly [Place in keyof T]: Immutable<T[Place]> }
  : T extends Whole
    ? T
    : T extends object
      ? { readonly [Key in keyof T]: Immutable<T[Key]> }
      : T;

/** Values that have no fields to look into. */
type Whole =
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | ArrayBufferView
  | ((...given: never[]) => unknown);
