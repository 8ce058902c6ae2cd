/** Where a value comes from, as far as that is known. */
import type { Node } from '../syntax/node.ts';
import type { Call } from '../syntax/expression.ts';
import type { RetrieverElsewhere } from '../workspace/exported.ts';

export interface Imported {
  readonly kind: 'imported';
  readonly module: string;
  /** Names, `()` for a call and `[]` for a subscript. */
  readonly path: readonly string[];
  /** The calls on the way, first made first. */
  readonly calls: readonly Call[];
  /** Several values are possible; this is one of them. */
  readonly ambiguous: boolean;
  /** Another of the possible values is of another class, or of none that is known. */
  readonly isOneOfSeveral?: boolean | undefined;
  /** Another file of the workspace leads there, be it by a class that inherits from it. */
  readonly isThroughWorkspace?: boolean;
  /** It is a retriever that another file of the workspace makes. */
  readonly made?: RetrieverElsewhere | undefined;
}

export interface Local {
  readonly kind: 'class' | 'instance' | 'function';
  readonly node: Node;
  /** The call that made the instance, where it is known. */
  readonly made?: Call | undefined;
  /** Several values are possible; this is one of them. */
  readonly ambiguous?: boolean;
}

export type Origin = Imported | Local;
