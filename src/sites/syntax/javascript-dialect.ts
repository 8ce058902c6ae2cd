/** Names, scopes and attributes of JavaScript and TypeScript. */
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
import type { Access, Binding, Expression, Occurrence } from './expression.ts';
import { hasHole, javascriptExpression, javascriptType } from './javascript.ts';

const FUNCTIONS = new Set([
  'function_declaration',
  'function_expression',
  'generator_function',
  'generator_function_declaration',
  'arrow_function',
  'method_definition',
]);
const BLOCKS = new Set([
  'statement_block',
  'for_statement',
  'for_in_statement',
  'switch_body',
  'catch_clause',
]);
const CLASSES = new Set(['class_declaration', 'class', 'abstract_class_declaration']);
const PARAMETERS = new Set(['required_parameter', 'optional_parameter']);
const OPAQUE: Binding = { kind: 'opaque' };

export const javascript: Dialect = {
  language: 'javascript',
  expression: javascriptExpression,
  type: javascriptType,
  self: ['this'],
  occurrence,
  attribute,
  scopes: (node) => ancestors(node).filter(isScope),
  parameterNames,
  enclosingClass: (node) => enclosing(node, ({ type }) => CLASSES.has(type)),
  bases,
  returned,
  within,
  statement: (node) =>
    [node, ...ancestors(node)].find(
      ({ parent }) => parent === null || parent.type === 'program' || parent.type === 'statement_block',
    ) ?? node,
  isComment: ({ type }) => type === 'comment',
};

function isScope({ type, parent }: Node): boolean {
  return FUNCTIONS.has(type) || BLOCKS.has(type) || parent === null;
}

function scopeOf(node: Node): Node {
  return enclosing(node, isScope) ?? node;
}

function occurrence(identifier: Node): Occurrence | undefined {
  const parent = identifier.parent;
  if (!parent) return undefined;
  const here = (binding: Binding, scope = scopeOf(identifier)): Occurrence => ({ binding, scope });
  switch (parent.type) {
    case 'import_specifier':
    case 'namespace_import':
    case 'import_clause':
      return imported(identifier, parent, here);
    case 'function_declaration':
    case 'generator_function_declaration':
      return isField(parent, 'name', identifier)
        ? here({ kind: 'function', node: parent }, scopeOf(parent))
        : undefined;
    case 'class_declaration':
    case 'abstract_class_declaration':
      return isField(parent, 'name', identifier)
        ? here({ kind: 'class', node: parent }, scopeOf(parent))
        : undefined;
    case 'arrow_function':
      return isField(parent, 'parameter', identifier) ? here({ kind: 'parameter' }, parent) : undefined;
    case 'augmented_assignment_expression':
      return isField(parent, 'left', identifier) ? { ...here(OPAQUE), assigns: true } : undefined;
    case 'update_expression':
      return { ...here(OPAQUE), assigns: true };
    case 'for_in_statement':
      return isField(parent, 'left', identifier) ? loopVariable(parent, here) : undefined;
    case 'catch_clause':
      return here(OPAQUE, parent);
    default:
      return target(identifier, here);
  }
}

type Here = (binding: Binding, scope?: Node) => Occurrence;

/** Without `const`, `let` or `var` it belongs to an enclosing scope. */
function loopVariable(loop: Node, here: Here): Occurrence {
  const kind = loop.childForFieldName('kind')?.text;
  if (kind === undefined) return { ...here(OPAQUE), assigns: true };
  return here(OPAQUE, kind === 'var' ? functionScope(loop) : loop);
}

/** The scope of a `var` declaration. */
function functionScope(node: Node): Node {
  return enclosing(node, ({ type, parent }) => FUNCTIONS.has(type) || parent === null) ?? node;
}

function imported(identifier: Node, parent: Node, here: Here): Occurrence | undefined {
  const statement = enclosing(parent, ({ type }) => type === 'import_statement');
  const source = statement?.childForFieldName('source')?.firstNamedChild?.text;
  if (source === undefined) return undefined;
  const module = packageOf(source);
  if (parent.type === 'import_specifier') {
    const alias = parent.childForFieldName('alias');
    if (alias && alias.id !== identifier.id) return undefined;
    return here({ kind: 'import', module, path: [parent.childForFieldName('name')?.text ?? ''] });
  }
  return here({ kind: 'import', module, path: [] });
}

const ELSEWHERE = /^(?:npm:|jsr:|https?:\/\/[^/]+\/(?:v\d+\/|stable\/)?)/u;

/** The package name without the `npm:` prefix or URL, and without a version. */
export function packageOf(source: string): string {
  if (!ELSEWHERE.test(source)) return source;
  return source
    .replace(ELSEWHERE, '')
    .replace(/^(@?[^@?]+)@[^/?]*/u, '$1')
    .split('?', 1)[0]!;
}

interface Destructured {
  /** The outermost pattern. */
  readonly pattern: Node;
  readonly access: readonly Access[];
  /** `{ k = 5 }` */
  readonly default: Node | undefined;
  readonly followed: boolean;
}

/** Climbs from a name in a destructuring pattern to the whole pattern. */
function destructured(identifier: Node): Destructured {
  let pattern = identifier;
  let fallback: Node | undefined;
  let followed = true;
  const access: Access[] = [];
  for (let up = identifier.parent; up && /pattern$/u.test(up.type); up = up.parent) {
    if (up.type === 'object_pattern' && pattern.type === 'shorthand_property_identifier_pattern')
      access.unshift(pattern.text);
    else if (up.type === 'pair_pattern') access.unshift(up.childForFieldName('key')?.text ?? '');
    else if (up.type === 'array_pattern') {
      access.unshift(namedChildren(up).findIndex(({ id }) => id === pattern.id));
      followed &&= !hasHole(up);
    } else if (up.type === 'object_assignment_pattern' || up.type === 'assignment_pattern') {
      const right = up.childForFieldName('right');
      if (right && right.id !== pattern.id) fallback = right;
      if (up.type === 'object_assignment_pattern') access.unshift(pattern.text);
    } else if (up.type === 'rest_pattern') followed = false;
    pattern = up;
  }
  return { pattern, access, default: fallback, followed };
}

/** A name bound by a declaration, a parameter or an assignment, possibly through a pattern. */
function target(identifier: Node, here: Here): Occurrence | undefined {
  const part = destructured(identifier);
  const owner = part.pattern.parent;
  if (!owner) return undefined;
  if (PARAMETERS.has(owner.type) && isField(owner, 'pattern', part.pattern))
    return parameter(part, owner, here);
  if (owner.type === 'variable_declarator' && isField(owner, 'name', part.pattern))
    return here(
      declared(part, owner),
      owner.parent?.type === 'variable_declaration' ? functionScope(owner) : undefined,
    );
  if (owner.type === 'for_in_statement' && isField(owner, 'left', part.pattern))
    return loopVariable(owner, here);
  if (owner.type === 'catch_clause') return here(OPAQUE, owner);
  if (owner.type === 'assignment_expression' && isField(owner, 'left', part.pattern)) {
    const right = owner.childForFieldName('right');
    return { ...here(right ? value(part, right) : OPAQUE), assigns: true };
  }
  return undefined;
}

function parameter(part: Destructured, owner: Node, here: Here): Occurrence {
  const scope = enclosing(owner, ({ type }) => FUNCTIONS.has(type)) ?? owner;
  if (!part.followed) return here(OPAQUE, scope);
  const isWhole = part.access.length === 0;
  const fallback = isWhole ? owner.childForFieldName('value') : part.default;
  const type = owner.childForFieldName('type');
  return here(
    {
      kind: 'parameter',
      default: fallback ? javascriptExpression(fallback) : undefined,
      annotation: type && isWhole ? javascriptType(type) : undefined,
    },
    scope,
  );
}

function parameterNames(functionNode: Node): Node[] {
  const single = functionNode.childForFieldName('parameter');
  if (single) return [single];
  const list = functionNode.childForFieldName('parameters');
  return (list ? namedChildren(list) : [])
    .filter(({ type }) => PARAMETERS.has(type))
    .map((each) => each.childForFieldName('pattern') ?? each);
}

function declared(part: Destructured, declarator: Node): Binding {
  const right = declarator.childForFieldName('value');
  const type = declarator.childForFieldName('type');
  const annotation = type ? javascriptType(type) : undefined;
  if (!right) return { kind: 'declared', annotation, empty: true };
  if (/function/u.test(right.type)) return { kind: 'function', node: right };
  return value(part, right, annotation);
}

function value(part: Destructured, right: Node, annotation?: Expression): Binding {
  // With a default in the pattern there are two possible values.
  if (part.default) return { kind: 'opaque', default: javascriptExpression(part.default) };
  if (!part.followed) return OPAQUE;
  return { kind: 'value', value: javascriptExpression(right), access: part.access, annotation };
}

function attribute(token: Node): AttributeBinding | undefined {
  const parent = token.parent;
  if (!parent) return undefined;
  if (parent.type === 'public_field_definition' && isField(parent, 'name', token))
    return { object: undefined, binding: fieldBinding(parent) };
  if (PARAMETERS.has(parent.type))
    return namedChildren(parent).some(({ type }) => type === 'accessibility_modifier')
      ? {
          object: undefined,
          binding: parameter(
            { pattern: token, access: [], default: undefined, followed: true },
            parent,
            (binding) => ({
              binding,
              scope: parent,
            }),
          ).binding,
        }
      : undefined;
  if (parent.type !== 'member_expression' || !isField(parent, 'property', token)) return undefined;
  const object = parent.childForFieldName('object');
  const owner = parent.parent;
  if (!object || !owner) return undefined;
  const bind = (binding: Binding): AttributeBinding => ({ object: javascriptExpression(object), binding });
  if (owner.type === 'update_expression') return bind(OPAQUE);
  if (!isField(owner, 'left', parent)) return undefined;
  if (owner.type === 'augmented_assignment_expression') return bind(OPAQUE);
  const right = owner.type === 'assignment_expression' ? owner.childForFieldName('right') : undefined;
  return right ? bind({ kind: 'value', value: javascriptExpression(right), access: [] }) : undefined;
}

function fieldBinding(definition: Node): Binding {
  const right = definition.childForFieldName('value');
  const type = definition.childForFieldName('type');
  const annotation = type ? javascriptType(type) : undefined;
  if (!right) return { kind: 'declared', annotation, empty: true };
  if (/function/u.test(right.type)) return { kind: 'function', node: right };
  return { kind: 'value', value: javascriptExpression(right), access: [], annotation };
}

function bases(classNode: Node): Expression[] {
  const heritage = namedChildren(classNode).find(({ type }) => type === 'class_heritage');
  const clause = heritage?.firstNamedChild;
  const base = clause?.type === 'extends_clause' ? clause.childForFieldName('value') : clause;
  return base ? [javascriptExpression(base)] : [];
}

function returned(node: Node): Returned | undefined {
  const body = node.childForFieldName('body');
  if (body && body.type !== 'statement_block')
    return { expression: javascriptExpression(body), isType: false };
  const returns = (body?.descendantsOfType('return_statement') ?? []).filter(
    (statement) => statement && enclosing(statement, ({ type }) => FUNCTIONS.has(type))?.id === node.id,
  );
  const value = returns.length === 1 ? returns[0]?.firstNamedChild : undefined;
  if (value) return { expression: javascriptExpression(value), isType: false };
  const type = node.childForFieldName('return_type');
  return type ? { expression: javascriptType(type), isType: true } : undefined;
}

function within(node: Node): string[] {
  return ancestors(node)
    .flatMap((scope) => {
      if (CLASSES.has(scope.type) || FUNCTIONS.has(scope.type))
        return scope.childForFieldName('name')?.text ?? ownerName(scope) ?? [];
      return [];
    })
    .reverse();
}

/** `const f = () => …`, `{ execute: () => … }` */
function ownerName({ parent }: Node): string | undefined {
  if (parent?.type === 'variable_declarator') return parent.childForFieldName('name')?.text;
  return parent?.type === 'pair' ? parent.childForFieldName('key')?.text : undefined;
}
