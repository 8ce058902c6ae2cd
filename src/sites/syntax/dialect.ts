/** The interface between languages and resolution: reads expressions, names and scopes from a syntax tree. */
import type { Node } from './node.ts';
import type { Binding, Expression, Occurrence } from './expression.ts';
import type { Language } from './language.ts';

/** A place that sets `object.attribute`. */
export interface AttributeBinding {
  /** `undefined` for an attribute declared in the class body itself. */
  readonly object: Expression | undefined;
  readonly binding: Binding;
}

/** The expression of a function's only `return`, or its declared return type. */
export interface Returned {
  readonly expression: Expression;
  readonly isType: boolean;
}

export interface Dialect {
  readonly language: Language;

  expression(node: Node): Expression;

  /** The type of an annotation. */
  type(node: Node): Expression;

  /** `undefined` if the identifier at this node is only read. */
  occurrence(identifier: Node): Occurrence | undefined;

  /** Binding of `object.attribute`, `self.attribute` or a class field at this attribute token. */
  attribute(token: Node): AttributeBinding | undefined;

  /** The scopes in which a name used at this node is looked up, innermost first. */
  scopes(node: Node): Node[];

  /** The class whose method contains this node, if any. */
  enclosingClass(node: Node): Node | undefined;

  bases(classNode: Node): Expression[];

  /** One node for each parameter of a function, in order: its name or its destructuring pattern. */
  parameterNames(functionNode: Node): Node[];

  returned(functionNode: Node): Returned | undefined;

  /** Names for the receiver of a method: `self`, `cls`, `this`. */
  readonly self: readonly string[];

  /** Names of the enclosing classes and functions, outermost first. */
  within(node: Node): string[];

  statement(node: Node): Node;

  isComment(node: Node): boolean;
}

/** The nodes from this one's parent to the root. */
export function ancestors(node: Node): Node[] {
  const nodes: Node[] = [];
  for (let up = node.parent; up; up = up.parent) nodes.push(up);
  return nodes;
}

/** The nearest node around this one that matches. */
export function enclosing(node: Node, fits: (up: Node) => boolean): Node | undefined {
  for (let up = node.parent; up; up = up.parent) if (fits(up)) return up;
  return undefined;
}

export function namedChildren(node: Node): Node[] {
  return node.namedChildren.filter((child) => child !== null);
}

/** Whether the child is the value of the parent's field. */
export function isField(parent: Node, field: string, child: Node): boolean {
  return parent.childForFieldName(field)?.id === child.id;
}
