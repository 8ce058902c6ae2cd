/** Names, scopes and attributes of Python. */
import type { Node } from './node.ts';
import {
  ancestors,
  enclosing,
  isField,
  namedChildren,
  type AttributeBinding,
  type Dialect,
  type Returned,
} from './dialect.ts';
import type { Access, Binding, Occurrence } from './expression.ts';
import { isAssigned, pythonExpression, pythonType } from './python.ts';

const FUNCTIONS = new Set(['function_definition', 'lambda']);
const COMPREHENSIONS = new Set([
  'list_comprehension',
  'set_comprehension',
  'dictionary_comprehension',
  'generator_expression',
]);
const PATTERNS = new Set(['pattern_list', 'tuple_pattern', 'list_pattern']);
const OPAQUE: Binding = { kind: 'opaque' };

export const python: Dialect = {
  language: 'python',
  expression: pythonExpression,
  type: pythonType,
  self: ['self', 'cls'],
  occurrence,
  attribute,
  scopes,
  parameterNames,
  enclosingClass: (node) => enclosing(node, ({ type }) => type === 'class_definition'),
  bases: (node) =>
    namedChildren(node.childForFieldName('superclasses') ?? node)
      .filter(({ type }) => type === 'identifier' || type === 'attribute')
      .map(pythonExpression),
  returned,
  within: (node) =>
    ancestors(node)
      .filter(({ type }) => type === 'function_definition' || type === 'class_definition')
      .map((scope) => scope.childForFieldName('name')?.text ?? '')
      .reverse(),
  statement: (node) =>
    [node, ...ancestors(node)].find(
      ({ parent }) => parent === null || parent.type === 'module' || parent.type === 'block',
    ) ?? node,
  isComment: ({ type }) => type === 'comment',
};

/** The scope of a name that is bound at this node. */
function scopeOf(node: Node): Node {
  return (
    enclosing(
      node,
      ({ type, parent }) => FUNCTIONS.has(type) || type === 'class_definition' || parent === null,
    ) ?? node
  );
}

function occurrence(identifier: Node): Occurrence | undefined {
  const parent = identifier.parent;
  if (!parent) return undefined;
  const here = (binding: Binding, scope = scopeOf(identifier)): Occurrence => ({ binding, scope });
  switch (parent.type) {
    case 'assignment':
    case 'augmented_assignment':
      return isField(parent, 'left', identifier) ? here(assigned(parent, [])) : undefined;
    case 'pattern_list':
    case 'tuple_pattern':
    case 'list_pattern':
    case 'list_splat_pattern':
    case 'dictionary_splat_pattern':
      return pattern(identifier, parent, here);
    case 'named_expression':
      return isField(parent, 'name', identifier)
        ? here({ kind: 'value', value: pythonExpression(parent), access: [] })
        : undefined;
    case 'parameters':
    case 'lambda_parameters':
    case 'typed_parameter':
    case 'default_parameter':
    case 'typed_default_parameter':
      return parameter(identifier, parent, here);
    case 'for_statement':
      return isField(parent, 'left', identifier) ? here(OPAQUE) : undefined;
    case 'for_in_clause':
      return isField(parent, 'left', identifier) ? here(OPAQUE, parent.parent ?? parent) : undefined;
    case 'as_pattern_target':
      return here(asTarget(parent));
    case 'dotted_name':
    case 'aliased_import':
      return parent.parent?.type === 'case_pattern' ? here(OPAQUE) : imported(identifier, parent, here);
    case 'splat_pattern':
    case 'as_pattern':
      return isInCase(parent) ? here(OPAQUE) : undefined;
    case 'function_definition':
    case 'class_definition':
      return isField(parent, 'name', identifier)
        ? here(
            { kind: parent.type === 'class_definition' ? 'class' : 'function', node: parent },
            scopeOf(parent),
          )
        : undefined;
    case 'delete_statement':
      return here(OPAQUE);
    default:
      return undefined;
  }
}

type Here = (binding: Binding, scope?: Node) => Occurrence;

function isInCase(pattern: Node): boolean {
  return (
    enclosing(pattern, ({ type }) => !/pattern$/u.test(type) || type === 'case_pattern')?.type ===
    'case_pattern'
  );
}

/** The binding by an assignment whose target contains the name at `access`. */
function assigned(assignment: Node, access: readonly Access[]): Binding {
  if (assignment.type === 'augmented_assignment') return OPAQUE;
  const right = assignment.childForFieldName('right');
  const type = assignment.childForFieldName('type');
  const annotation = type ? pythonType(type) : undefined;
  return right
    ? { kind: 'value', value: pythonExpression(right), access, annotation }
    : { kind: 'declared', annotation };
}

function pattern(identifier: Node, parent: Node, here: Here): Occurrence | undefined {
  const outer = parent.parent;
  if (outer?.type === 'assignment' && isField(outer, 'left', parent) && PATTERNS.has(parent.type))
    return here(isAfterStar(parent, identifier) ? OPAQUE : assigned(outer, [position(parent, identifier)]));
  const clause = enclosing(identifier, ({ type }) => !/pattern/u.test(type));
  if (clause?.type === 'for_in_clause') return here(OPAQUE, clause.parent ?? clause);
  return isReadTuple(identifier) ? undefined : here(OPAQUE);
}

/** `*rest, last = …`: the index after the star is unknown. */
function isAfterStar(parent: Node, child: Node): boolean {
  return namedChildren(parent).some(
    ({ type, startIndex }) => type === 'list_splat_pattern' && startIndex < child.startIndex,
  );
}

/** A `pattern_list` may also be read; only assignment targets bind. */
function isReadTuple(identifier: Node): boolean {
  const clause = enclosing(identifier, ({ type }) => !/pattern|parameter/u.test(type));
  return clause?.type === 'assignment' && !isInLeft(clause, identifier);
}

function isInLeft(assignment: Node, node: Node): boolean {
  const left = assignment.childForFieldName('left');
  return left !== null && node.startIndex >= left.startIndex && node.endIndex <= left.endIndex;
}

function position(parent: Node, child: Node): number {
  return namedChildren(parent).findIndex(({ id }) => id === child.id);
}

function parameter(identifier: Node, parent: Node, here: Here): Occurrence | undefined {
  const owner = enclosing(identifier, ({ type }) => FUNCTIONS.has(type));
  if (!owner) return undefined;
  const named = parent.childForFieldName('name') ?? parent.firstNamedChild;
  if (!/parameters$/u.test(parent.type) && named?.id !== identifier.id) return undefined;
  const value = parent.childForFieldName('value');
  const type = parent.childForFieldName('type');
  return here(
    {
      kind: 'parameter',
      default: value ? pythonExpression(value) : undefined,
      annotation: type ? pythonType(type) : undefined,
    },
    owner,
  );
}

function parameterNames(functionNode: Node): Node[] {
  const list = functionNode.childForFieldName('parameters');
  return (list ? namedChildren(list) : [])
    .filter(({ type }) => type !== 'comment')
    .map(
      (each) =>
        each.childForFieldName('name') ??
        (each.type === 'identifier' ? each : (each.firstNamedChild ?? each)),
    );
}

function asTarget(target: Node): Binding {
  const value = target.parent?.firstNamedChild;
  const inExcept = target.parent?.parent?.type === 'except_clause';
  return value && !inExcept ? { kind: 'value', value: pythonExpression(value), access: [] } : OPAQUE;
}

function imported(identifier: Node, parent: Node, here: Here): Occurrence | undefined {
  const aliased =
    parent.type === 'aliased_import'
      ? parent
      : parent.parent?.type === 'aliased_import'
        ? parent.parent
        : undefined;
  if (aliased && (parent !== aliased || !isField(aliased, 'alias', identifier))) return undefined;
  const dotted = aliased?.childForFieldName('name') ?? parent;
  const statement = (aliased ?? dotted).parent;
  if (statement?.type === 'import_from_statement') {
    const module = statement.childForFieldName('module_name');
    if (!module || module.id === dotted.id) return undefined;
    return here({ kind: 'import', module: module.text, path: dotted.text.split('.') });
  }
  if (statement?.type !== 'import_statement') return undefined;
  if (aliased) return here({ kind: 'import', module: dotted.text, path: [] });
  if (dotted.firstNamedChild?.id !== identifier.id) return undefined;
  return here({ kind: 'import', module: identifier.text, path: [] });
}

function attribute(token: Node): AttributeBinding | undefined {
  const member = token.parent;
  const target = member?.parent;
  if (member?.type !== 'attribute' || !target || !isField(member, 'attribute', token)) return undefined;
  const object = member.childForFieldName('object');
  if (!object) return undefined;
  const bind = (binding: Binding): AttributeBinding => ({ object: pythonExpression(object), binding });
  if (isAssigned(member)) return bind(assigned(target, []));
  const outer = target.parent;
  if (PATTERNS.has(target.type) && outer?.type === 'assignment' && isField(outer, 'left', target))
    return bind(isAfterStar(target, member) ? OPAQUE : assigned(outer, [position(target, member)]));
  return undefined;
}

function scopes(node: Node): Node[] {
  const nodes: Node[] = [];
  let child = node;
  let inFunction = false;
  for (const up of ancestors(node)) {
    const isOwn = FUNCTIONS.has(up.type) && isField(up, 'body', child);
    if (isOwn || COMPREHENSIONS.has(up.type) || up.parent === null) nodes.push(up);
    // Methods do not see the names of their class body.
    if (up.type === 'class_definition' && !inFunction && isField(up, 'body', child)) nodes.push(up);
    inFunction ||= isOwn;
    child = up;
  }
  return nodes;
}

function returned(node: Node): Returned | undefined {
  const type = node.childForFieldName('return_type');
  const body = node.childForFieldName('body');
  const returns = (body?.descendantsOfType('return_statement') ?? []).filter(
    (statement) => statement && enclosing(statement, ({ type }) => FUNCTIONS.has(type))?.id === node.id,
  );
  const value = returns.length === 1 ? returns[0]?.firstNamedChild : undefined;
  if (value) return { expression: pythonExpression(value), isType: false };
  return type ? { expression: pythonType(type), isType: true } : undefined;
}
