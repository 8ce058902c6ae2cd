/** A call with the rule that applies to it. */
import type { Node } from '../syntax/node.ts';
import type { Rule } from '../rules/library.ts';
import type { Call, Expression } from '../syntax/expression.ts';

export interface Match {
  readonly rule: Rule;
  readonly call: Call;
  /** The callee's last name. */
  readonly token: Node;
  /** Several libraries may be meant, so no library's defaults are assumed. */
  readonly ambiguous: boolean;
  /** Whether the class is one in the text that inherits from the rule's, and may read its arguments differently. */
  readonly isOwnClass?: boolean | undefined;
  /** The dotted name in the library, if the text uses an alias. */
  readonly calledAs?: string | undefined;
  /** Whether it is no call, but a retriever from elsewhere in a chain. */
  readonly isGiven?: boolean | undefined;
  /** The retriever in the chain that the call runs. */
  readonly part?: Expression | undefined;
}

/** By the nodes of their calls; of several matches the last. */
export function byCall<M extends Match>(matches: readonly M[]): Map<number, M> {
  const matchesByNode = new Map<number, M>();
  for (const match of matches) matchesByNode.set(match.call.node.id, match);
  return matchesByNode;
}
