/** A question to the other files of a workspace: whether callers there set a parameter to another value. */

/** A parameter of a function, or a field that a constructor sets. */
export interface ParameterQuestion {
  /** The function, the method or the class that is called. */
  readonly name: string;
  /** The class of a method. `undefined` for functions, and for constructor calls. */
  readonly owner: string | undefined;
  readonly parameter: string;
  /**
   * Position of the argument that sets it; Infinity if it is set only by name, `undefined` if any argument may set it.
   */
  readonly position: number | undefined;
}

/**
 * How a function or constructor is called: `set`, a caller may set the parameter; `left`, there are callers, and none
 * sets it; `unseen`, no caller is known, or a framework calls it; `unasked`, other files may contain callers, but were
 * not read.
 */
export type Callers = 'set' | 'unasked' | 'left' | 'unseen';

const BY_WEIGHT: readonly Callers[] = ['set', 'unasked', 'left', 'unseen'];

/** The combined result of several places. */
export function together(...callers: readonly Callers[]): Callers {
  return BY_WEIGHT.find((each) => callers.includes(each)) ?? 'unseen';
}

/** Equal for the same parameter of a file. */
export function keyOf({ name, owner = '', parameter, position }: ParameterQuestion): string {
  return [owner, name, parameter, position].join(' ');
}
