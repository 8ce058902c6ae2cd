/** What an attribute of an instance holds: class fields, `self.x = …`, and assignments from outside. */
import * as l10n from '@vscode/l10n';
import type { Node } from '@vscode/tree-sitter-wasm';
import type { Binding, Expression } from '../syntax/expression.ts';
import { originOf, type Local } from './origin.ts';
import { MAX_DEPTH, type Program } from './program.ts';

export type Attribute =
  | { readonly kind: 'bound'; readonly binding: Binding; readonly inMethod: boolean }
  | { readonly kind: 'unknown'; readonly why: string };

interface Owned {
  readonly binding: Binding;
  readonly inMethod: boolean;
}

/**
 * The one binding of the attribute. Two values that both may apply make it unknown, except that what a
 * method assigns replaces what the class body declares without a value.
 */
export function attributeOf(program: Program, owner: Local, name: string, depth: number): Attribute {
  if (depth > MAX_DEPTH) return { kind: 'unknown', why: l10n.t('it is passed on too many times') };
  const own = ownBindings(program, owner.node, name, depth);
  const valued = own.filter(({ binding }) => binding.kind !== 'declared');
  const [only, second] = valued.length > 0 ? valued : own;
  if (second) return { kind: 'unknown', why: l10n.t`${name} is set in several places` };
  if (only) return { kind: 'bound', ...only };
  for (const base of program.dialect.bases(owner.node)) {
    const origin = originOf(program, base, depth);
    if (origin?.kind === 'class') return attributeOf(program, origin, name, depth + 1);
  }
  return { kind: 'unknown', why: l10n.t`${name} is not set in this file` };
}

function ownBindings(program: Program, classNode: Node, name: string, depth: number): Owned[] {
  const inBody = program.classBindings(classNode, name).map((binding) => ({ binding, inMethod: false }));
  const assigned = program.attributes(name).flatMap(({ object, binding, node }): Owned[] => {
    const owner = program.dialect.enclosingClass(node);
    if (object === undefined) return owner?.id === classNode.id ? [{ binding, inMethod: false }] : [];
    return isOf(program, object, classNode, depth) ? [{ binding, inMethod: true }] : [];
  });
  return [...inBody, ...assigned];
}

/** Whether the object may be an instance of the class (or the class itself). */
function isOf(program: Program, object: Expression, classNode: Node, depth: number): boolean {
  if (object.kind === 'name' && program.dialect.self.includes(object.name))
    return program.dialect.enclosingClass(object.node)?.id === classNode.id;
  const origin = originOf(program, object, depth + 1);
  return origin === undefined || (origin.kind !== 'imported' && origin.node.id === classNode.id);
}
