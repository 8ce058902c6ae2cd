/** The origin of a value, as far as it is known. */
import type { Node } from '../syntax/node.ts';
import type { Call } from '../syntax/expression.ts';
import type { RetrieverElsewhere } from '../workspace/exported.ts';

export interface Imported {
  readonly kind: 'imported';
  readonly module: string;
  /** Names, `()` for a call and `[]` for a subscript. */
  readonly path: readonly string[];
  /** The calls in the path, in the order of execution. */
  readonly calls: readonly Call[];
  /** Whether there are several possible values, of which this is one. */
  readonly ambiguous: boolean;
  /** Whether another possible value is of another or an unknown class. */
  readonly isOneOfSeveral?: boolean | undefined;
  /** Whether the path leads through another file of the workspace, for example through a subclass there. */
  readonly isThroughWorkspace?: boolean;
  /** Set if it is a retriever that another file of the workspace makes. */
  readonly retriever?: RetrieverElsewhere | undefined;
}

export interface Local {
  readonly kind: 'class' | 'instance' | 'function';
  readonly node: Node;
  /** The call that created the instance, if known. */
  readonly creation?: Call | undefined;
  /** Whether there are several possible values, of which this is one. */
  readonly ambiguous?: boolean;
}

export type Origin = Imported | Local;
