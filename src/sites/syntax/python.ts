/** Reads Python expressions from tree-sitter's syntax tree. */
import type { Node } from './node.ts';
import { isField, namedChildren } from './dialect.ts';
import type { Argument, Call, Entry, Expression } from './expression.ts';
import { joined, opaque } from './strings.ts';

const LISTS = new Set(['list', 'tuple', 'expression_list', 'set']);
/** Nodes that are replaced by their only expression. */
const TRANSPARENT = new Set([
  'parenthesized_expression',
  'await',
  'type',
  'expression_statement',
  'keyword_separator',
]);

export function pythonExpression(node: Node): Expression {
  switch (node.type) {
    case 'identifier':
      return { kind: 'name', name: node.text, node };
    case 'attribute':
      return member(node);
    case 'call':
      return call(node);
    case 'string':
      return joined(stringParts(node), node);
    case 'concatenated_string':
      return joined(namedChildren(node).flatMap(stringParts), node);
    case 'integer':
    case 'float':
      return number(node);
    case 'true':
    case 'false':
      return { kind: 'literal', value: node.type === 'true', node };
    case 'none':
      return { kind: 'literal', value: null, node };
    case 'dictionary':
      return dictionary(node);
    case 'subscript':
      return subscript(node);
    case 'binary_operator':
    case 'boolean_operator':
      return binary(node);
    case 'unary_operator':
      return negated(node);
    case 'conditional_expression':
      return choice(node);
    case 'named_expression':
      return field(node, 'value');
    case 'assignment':
      return field(node, 'right');
    default:
      if (LISTS.has(node.type)) return list(node);
      return TRANSPARENT.has(node.type) ? only(node) : opaque(node);
  }
}

/** The type of an annotation; `Optional[X]`, `Annotated[X, …]` and `X | None` are read as X. */
export function pythonType(node: Node): Expression {
  const inner = node.type === 'type' ? (node.firstNamedChild ?? node) : node;
  switch (inner.type) {
    case 'generic_type':
    case 'subscript': {
      const [outer, ...parameters] = namedChildren(inner);
      const wraps = /(?:^|\.)(?:Optional|Annotated|Union|Final|ClassVar)$/u.test(outer?.text ?? '');
      const first = parameters[0]?.type === 'type_parameter' ? parameters[0].firstNamedChild : parameters[0];
      return wraps && first ? pythonType(first) : opaque(inner);
    }
    case 'union_type':
    case 'binary_operator': {
      const part = namedChildren(inner).find(({ text }) => text !== 'None');
      return part ? pythonType(part) : opaque(inner);
    }
    case 'string': {
      const name = namedChildren(inner).find(({ type }) => type === 'string_content')?.text ?? '';
      return /^\w+$/u.test(name) ? { kind: 'name', name, node: inner } : opaque(inner);
    }
    default:
      return pythonExpression(inner);
  }
}

function list(node: Node): Expression {
  const items = (): Node[] => namedChildren(node).filter(({ type }) => type !== 'comment');
  return {
    kind: 'list',
    items: () => items().map(pythonExpression),
    certain: () => {
      const spread = items().findIndex(({ type }) => type === 'list_splat');
      return spread < 0 ? Infinity : spread;
    },
    ordered: node.type !== 'set',
    node,
  };
}

function only(node: Node): Expression {
  const inner = namedChildren(node).find(({ type }) => type !== 'comment');
  return inner ? pythonExpression(inner) : opaque(node);
}

function field(node: Node, name: string): Expression {
  const child = node.childForFieldName(name);
  return child ? pythonExpression(child) : opaque(node);
}

function member(node: Node): Expression {
  const token = node.childForFieldName('attribute');
  if (!token) return opaque(node);
  return { kind: 'member', object: field(node, 'object'), property: token.text, token, node };
}

function call(node: Node): Call {
  const list = node.childForFieldName('arguments');
  return {
    kind: 'call',
    callee: field(node, 'function'),
    arguments: list?.type === 'argument_list' ? namedChildren(list).flatMap(argument) : [],
    node,
  };
}

function argument(node: Node): Argument[] {
  switch (node.type) {
    case 'comment':
      return [];
    case 'keyword_argument': {
      const token = node.childForFieldName('name');
      return token ? [{ kind: 'named', name: token.text, token, value: field(node, 'value'), node }] : [];
    }
    case 'list_splat':
    case 'dictionary_splat':
      return [
        {
          kind: 'spread',
          fills: node.type === 'list_splat' ? 'positions' : 'names',
          value: only(node),
          node,
        },
      ];
    default:
      return [{ kind: 'positional', value: pythonExpression(node), node }];
  }
}

function stringParts(node: Node): (string | Expression)[] {
  return namedChildren(node).flatMap((child): (string | Expression)[] => {
    if (child.type === 'string_content') return [child.text];
    return child.type === 'interpolation' ? [field(child, 'expression')] : [];
  });
}

function number(node: Node): Expression {
  const value = Number(node.text.replaceAll('_', ''));
  // Old octal numbers begin with a zero.
  return Number.isNaN(value) || /^0\d/u.test(node.text) ? opaque(node) : { kind: 'literal', value, node };
}

function dictionary(node: Node): Expression {
  const entries: Entry[] = [];
  for (const child of namedChildren(node)) {
    if (child.type === 'dictionary_splat') entries.push({ kind: 'spread', value: only(child), node: child });
    const token = child.type === 'pair' ? child.childForFieldName('key') : undefined;
    if (!token) continue;
    const key = pythonExpression(token);
    if (key.kind === 'literal' && typeof key.value === 'string' && !key.value.includes('\\'))
      entries.push({ kind: 'pair', key: key.value, token, value: field(child, 'value'), node: child });
    else entries.push({ kind: 'spread', value: opaque(child), node: child });
  }
  return { kind: 'record', entries, node };
}

function subscript(node: Node): Expression {
  return { kind: 'subscript', object: field(node, 'value'), key: field(node, 'subscript'), node };
}

function binary(node: Node): Expression {
  const operator = node.childForFieldName('operator')?.text ?? '';
  return { kind: 'binary', operator, left: field(node, 'left'), right: field(node, 'right'), node };
}

function negated(node: Node): Expression {
  const argument = field(node, 'argument');
  return node.firstChild?.text === '-' && argument.kind === 'literal' && typeof argument.value === 'number'
    ? { kind: 'literal', value: -argument.value, node }
    : opaque(node);
}

function choice(node: Node): Expression {
  const [consequence, , alternative] = namedChildren(node);
  return consequence && alternative
    ? { kind: 'choice', options: [pythonExpression(consequence), pythonExpression(alternative)], node }
    : opaque(node);
}

/** Whether the node is the target of an assignment. */
export function isAssigned(node: Node): boolean {
  const parent = node.parent;
  return (
    (parent?.type === 'assignment' || parent?.type === 'augmented_assignment') &&
    isField(parent, 'left', node)
  );
}
