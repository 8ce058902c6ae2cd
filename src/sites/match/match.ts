/** From a call and the rules to a match. */
import type { Node } from '../syntax/node.ts';
import type { Rule } from '../rules/library.ts';
import type { Call, Expression } from '../syntax/expression.ts';

/** A call that a rule applies to. */
export interface Match {
  readonly rule: Rule;
  readonly call: Call;
  /** The callee's last name. */
  readonly token: Node;
  /** Several libraries could be meant, so that no library's defaults are assumed. */
  readonly ambiguous: boolean;
  /** The class is one of the text that inherits the rule's, and may read its arguments in another way. */
  readonly isOwnClass?: boolean | undefined;
  /** The dotted name of what is called in the library, where the text calls it otherwise. */
  readonly calledAs?: string | undefined;
  /** It is no call: a retriever from elsewhere stands in a chain here. */
  readonly isGiven?: boolean | undefined;
  /** The retriever within the chain that the call runs. */
  readonly part?: Expression | undefined;
}

/** By the nodes of their calls; of several, the last. */
export function byCall<M extends Match>(matches: readonly M[]): Map<number, M> {
  const found = new Map<number, M>();
  for (const match of matches) found.set(match.call.node.id, match);
  return found;
}
