/** What a text asks of the other files of its workspace: whether anybody there gives a parameter another value. */

/** A parameter of a function, or a field that a constructor sets. */
export interface AskedParameter {
  /** What is called: the function, the method or the class. */
  readonly name: string;
  /** The class of a method; undefined for a function, and for a class that is called itself. */
  readonly owner: string | undefined;
  readonly parameter: string;
  /** Of the argument that sets it; Infinity where it is set by name only, undefined where any argument may be the one. */
  readonly position: number | undefined;
}

/**
 * What is seen of those who call a function or make an object: `set`, one of them may hand the parameter over;
 * `left`, there are callers, and none of them does; `unseen`, nobody is known to call it, or a framework does;
 * `unasked`, other files may hold callers, and were not looked at.
 */
export type Callers = 'set' | 'unasked' | 'left' | 'unseen';

const BY_WEIGHT: readonly Callers[] = ['set', 'unasked', 'left', 'unseen'];

/** What several places show together. */
export function together(...seen: readonly Callers[]): Callers {
  return BY_WEIGHT.find((each) => seen.includes(each)) ?? 'unseen';
}

/** The same for the same parameter of one file. */
export function keyOf({ name, owner = '', parameter, position }: AskedParameter): string {
  return [owner, name, parameter, position].join(' ');
}
