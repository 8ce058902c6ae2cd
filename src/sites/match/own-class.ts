/** Classes in the text, and what they inherit from a library's class. */
import type { Node } from '../syntax/node.ts';
import { subclasses } from '../resolve/callers.ts';
import { originOf, ownBindings } from '../resolve/origin.ts';
import { MAX_DEPTH, type Program } from '../resolve/program.ts';
import { enclosing, namedChildren } from '../syntax/dialect.ts';

const CLASSES = /^(?:class|class_definition|class_declaration|abstract_class_declaration)$/u;

/** Whether the class, or a base class in the text, defines a method of this name. */
export function definesMethod(program: Program, classNode: Node, name: string, depth = 0): boolean {
  if (depth > MAX_DEPTH) return false;
  if (program.functionsNamed(name).some((functionNode) => methodOwner(functionNode)?.id === classNode.id))
    return true;
  // `search = async () => …` in the body of a class.
  const fields = ownBindings(program, classNode, name, depth).filter(({ inMethod }) => !inMethod);
  if (fields.some(({ binding }) => binding.kind === 'function')) return true;
  return program.dialect.bases(classNode).some((base) => {
    const origin = originOf(program, base, depth);
    return origin?.kind === 'class' && definesMethod(program, origin.node, name, depth + 1);
  });
}

/** Whether a method of the class returns a new object of it: `return cls(…)`, `return new this(…)`. */
export function makesItself(program: Program, classNode: Node, method: string): boolean {
  const name = classNode.childForFieldName('name')?.text;
  return program.functionsNamed(method).some((functionNode) => {
    if (methodOwner(functionNode)?.id !== classNode.id) return false;
    const result = program.returned(functionNode)?.expression;
    if (result?.kind !== 'call') return false;
    const { text } = result.callee.node;
    return text === 'cls' || text === 'this' || text === name;
  });
}

/** The class whose body directly contains the function. */
function methodOwner(functionNode: Node): Node | undefined {
  const owner = enclosing(
    functionNode,
    ({ type }) => !/^(?:decorated_definition|block|class_body)$/u.test(type),
  );
  return owner && CLASSES.test(owner.type) ? owner : undefined;
}

/** Names of the text's classes that inherit from a class of this name, directly or indirectly. */
export function heirsOf(program: Program, name: string, depth = 0): readonly string[] {
  if (depth > MAX_DEPTH) return [];
  return subclasses(program, name).flatMap((each) => {
    const className = each.childForFieldName('name')?.text;
    return className === undefined || className === name
      ? []
      : [className, ...heirsOf(program, className, depth + 1)];
  });
}

/** Whether the class and its base classes in the text are empty, so that it behaves like the library's class. */
export function saysNothing(program: Program, classNode: Node, depth = 0): boolean {
  if (depth > MAX_DEPTH || classNode.parent?.type === 'decorated_definition') return false;
  const body = namedChildren(classNode.childForFieldName('body') ?? classNode);
  const isEmpty = body.every(
    ({ type, firstNamedChild }) =>
      /^(?:comment|pass_statement)$/u.test(type) ||
      (type === 'expression_statement' && /^(?:string|ellipsis)$/u.test(firstNamedChild?.type ?? '')),
  );
  return (
    isEmpty &&
    program.dialect.bases(classNode).every((base) => {
      const origin = originOf(program, base, depth);
      return origin?.kind !== 'class' || saysNothing(program, origin.node, depth + 1);
    })
  );
}
