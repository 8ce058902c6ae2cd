import type * as z from 'zod';

/** The output of a schema, deeply readonly. */
export type Read<Schema extends z.ZodType> = Immutable<z.output<Schema>>;

/** The input of a schema, in which fields with a default are optional. */
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

/** Values that are kept as they are. */
type Whole =
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | ArrayBufferView
  | ((...args: never[]) => unknown);
