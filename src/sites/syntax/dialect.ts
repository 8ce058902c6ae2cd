/** The interface of languages to resolution: reads expressions, names and scopes off a syntax tree. */
import type { Node } from './node.ts';
import type { Binding, Expression, Occurrence } from './expression.ts';
import type { Language } from './language.ts';

/** A place where `object.attribute` is given a value. */
export interface AttributeBinding {
  /** `undefined` for an attribute declared in the class body itself. */
  readonly object: Expression | undefined;
  readonly binding: Binding;
}

/** The expression of a function's only `return`, or the type that the function declares. */
export interface Returned {
  readonly expression: Expression;
  readonly isType: boolean;
}

export interface Dialect {
  readonly language: Language;

  expression(node: Node): Expression;

  /** The type that an annotation names. */
  type(node: Node): Expression;

  /** Undefined where the identifier at this node is only read. */
  occurrence(identifier: Node): Occurrence | undefined;

  /** Binding of `object.attribute`, `self.attribute` or a class field at this attribute token. */
  attribute(token: Node): AttributeBinding | undefined;

  /** The scopes that a name used at this node is looked up in, innermost first. */
  scopes(node: Node): Node[];

  /** The class whose method this node stands in, if any. */
  enclosingClass(node: Node): Node | undefined;

  bases(classNode: Node): Expression[];

  /** One node for each parameter of a function, in order: its name, or the pattern that takes it apart. */
  parameterNames(functionNode: Node): Node[];

  returned(functionNode: Node): Returned | undefined;

  /** Names for the object a method belongs to: `self`, `cls`, `this`. */
  readonly self: readonly string[];

  /** Names of the enclosing classes and functions, outermost first. */
  within(node: Node): string[];

  statement(node: Node): Node;

  isComment(node: Node): boolean;
}

/** The nodes from this one's parent to the root. */
export function ancestors(node: Node): Node[] {
  const found: Node[] = [];
  for (let up = node.parent; up; up = up.parent) found.push(up);
  return found;
}

/** The nearest node around this one that fits. */
export function enclosing(node: Node, fits: (up: Node) => boolean): Node | undefined {
  for (let up = node.parent; up; up = up.parent) if (fits(up)) return up;
  return undefined;
}

export function namedChildren(node: Node): Node[] {
  return node.namedChildren.filter((child) => child !== null);
}

/** Whether the child is what the parent holds in the field. */
export function isField(parent: Node, field: string, child: Node): boolean {
  return parent.childForFieldName(field)?.id === child.id;
}
