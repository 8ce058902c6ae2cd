/** Expressions that a query builder combines to a statement: parts of a search, not searches themselves. */
import type { Node } from '../syntax/node.ts';
import type { Program } from '../resolve/program.ts';
import type { TextMatch } from './sql-and-url-calls.ts';

const ORDERS = /^(?:order_?by|addOrderBy|orderByRaw)$/iu;

/**
 * Removes `sql` expressions in a function that orders a query by similarity, because the ordering call is the search.
 */
export function withoutParts(program: Program, matches: readonly TextMatch[]): readonly TextMatch[] {
  const ordering = new Set(
    matches.filter(({ token }) => ORDERS.test(token.text)).map(({ call }) => functionOf(program, call.node)),
  );
  if (ordering.size === 0) return matches;
  return matches.filter(
    (match) => !isExpression(match) || !ordering.has(functionOf(program, match.call.node)),
  );
}

/** A tagged template that is not a whole statement. */
function isExpression({ call: { node }, textFields }: TextMatch): boolean {
  return textFields?.isWhole === false && node.childForFieldName('arguments')?.type === 'template_string';
}

/** The id of the innermost function around the node. */
function functionOf({ dialect }: Program, node: Node): number | undefined {
  return dialect.scopes(node).find(({ type }) => /function|method|lambda/u.test(type))?.id;
}
