/** Shared by the expression readers of both languages. */
import type { Node } from './node.ts';
import type { Expression } from './expression.ts';

export function opaque(node: Node): Expression {
  return { kind: 'opaque', node };
}

/** A string literal, or a template if expressions are interpolated. */
export function joined(parts: readonly (string | Expression)[], node: Node): Expression {
  if (parts.every((part) => typeof part === 'string'))
    return { kind: 'literal', value: parts.join(''), node };
  return { kind: 'template', parts, node };
}
