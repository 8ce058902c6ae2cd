/** A question to the other files of a workspace: whether anybody there gives a parameter another value. */

/** A parameter of a function, or a field that a constructor sets. */
export interface AskedParameter {
  /** The function, the method or the class that is called. */
  readonly name: string;
  /** The class of a method; undefined for a function, and for a class that is called itself. */
  readonly owner: string | undefined;
  readonly parameter: string;
  /** The place of the argument that sets it; Infinity where it is set by name only, undefined where any argument may be the one. */
  readonly position: number | undefined;
}

/**
 * How a function is called, or an object made: `set`, a caller may hand the parameter over; `left`, there are
 * callers, and none of them does; `unseen`, nobody is known to call it, or a framework does; `unasked`, other files
 * may hold callers, and were not looked at.
 */
export type Callers = 'set' | 'unasked' | 'left' | 'unseen';

const BY_WEIGHT: readonly Callers[] = ['set', 'unasked', 'left', 'unseen'];

/** The result of several places together. */
export function together(...seen: readonly Callers[]): Callers {
  return BY_WEIGHT.find((each) => seen.includes(each)) ?? 'unseen';
}

/** The same for the same parameter of one file. */
export function keyOf({ name, owner = '', parameter, position }: AskedParameter): string {
  return [owner, name, parameter, position].join(' ');
}
