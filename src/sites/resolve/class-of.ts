/** The imported class of an object. */
import type { Expression } from '../syntax/expression.ts';
import { originOf } from './origin.ts';
import type { Program } from './program.ts';

/** A class by its name, and the module that it is imported from. */
export interface MadeBy {
  readonly name: string;
  readonly module: string;
}

/** `FAISS` for `FAISS.from_texts(…)`. `undefined` if several classes are possible, or one of the text. */
export function classOf(program: Program, expression: Expression): MadeBy | undefined {
  const origin = originOf(program, expression);
  if (origin?.kind !== 'imported' || origin.ambiguous) return undefined;
  const name = origin.path.findLast((each) => /^\p{Lu}/u.test(each));
  return name === undefined ? undefined : { name, module: origin.module };
}
