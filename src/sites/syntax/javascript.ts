/** Reads JavaScript and TypeScript expressions from tree-sitter's syntax tree. */
import type { Node } from './node.ts';
import { namedChildren } from './dialect.ts';
import type { Argument, Call, Entry, Expression } from './expression.ts';
import { joined, opaque } from './strings.ts';

/** Nodes that are replaced by their first expression. */
const TRANSPARENT = new Set([
  'parenthesized_expression',
  'await_expression',
  'as_expression',
  'satisfies_expression',
  'non_null_expression',
]);

export function javascriptExpression(node: Node): Expression {
  switch (node.type) {
    case 'identifier':
    case 'shorthand_property_identifier':
    case 'type_identifier':
    case 'this':
    case 'import':
      return { kind: 'name', name: node.text, node };
    case 'member_expression':
      return member(node, 'object', 'property');
    case 'nested_type_identifier':
      return member(node, 'module', 'name');
    case 'subscript_expression':
      return { kind: 'subscript', object: field(node, 'object'), key: field(node, 'index'), node };
    case 'call_expression':
      return call(node, 'function');
    case 'new_expression':
      return call(node, 'constructor');
    case 'string':
      return joined(
        namedChildren(node).map(({ text }) => text),
        node,
      );
    case 'template_string':
      return joined(templateParts(node), node);
    case 'number': {
      const value = Number(node.text.replaceAll('_', ''));
      return Number.isNaN(value) || /^0\d/u.test(node.text) ? opaque(node) : { kind: 'literal', value, node };
    }
    case 'true':
    case 'false':
      return { kind: 'literal', value: node.type === 'true', node };
    case 'null':
    case 'undefined':
      return { kind: 'literal', value: null, node };
    case 'object':
      return record(node);
    case 'array':
      return list(node);
    case 'binary_expression':
      return {
        kind: 'binary',
        operator: node.childForFieldName('operator')?.text ?? '',
        left: field(node, 'left'),
        right: field(node, 'right'),
        node,
      };
    case 'unary_expression':
      return negated(node);
    case 'ternary_expression':
      return { kind: 'choice', options: [field(node, 'consequence'), field(node, 'alternative')], node };
    default:
      return TRANSPARENT.has(node.type) && node.firstNamedChild
        ? javascriptExpression(node.firstNamedChild)
        : opaque(node);
  }
}

function list(node: Node): Expression {
  const items = (): Node[] => namedChildren(node).filter(({ type }) => type !== 'comment');
  return {
    kind: 'list',
    items: () => items().map(javascriptExpression),
    certain: () => {
      const spread = items().findIndex(({ type }) => type === 'spread_element');
      const at = hasHole(node) ? 0 : spread;
      return at < 0 ? Infinity : at;
    },
    ordered: true,
    node,
  };
}

/** `[, a]`: positions differ from those of the written items. */
export function hasHole(node: Node): boolean {
  return node.children.some(
    (child, i) => child?.type === ',' && /^[[,]$/u.test(node.children[i - 1]?.type ?? ''),
  );
}

/** The type of an annotation; `Promise<X>` and `X | undefined` are read as X. */
export function javascriptType(node: Node): Expression {
  switch (node.type) {
    case 'type_annotation':
    case 'readonly_type':
    case 'parenthesized_type':
      return node.firstNamedChild ? javascriptType(node.firstNamedChild) : opaque(node);
    case 'union_type': {
      const part = namedChildren(node).find(({ text }) => !/^(?:undefined|null)$/u.test(text));
      return part ? javascriptType(part) : opaque(node);
    }
    case 'generic_type': {
      const name = node.childForFieldName('name');
      const first = node.childForFieldName('type_arguments')?.firstNamedChild;
      if (first && /^(?:Promise|Readonly|Partial|Awaited|NonNullable)$/u.test(name?.text ?? ''))
        return javascriptType(first);
      return name ? javascriptExpression(name) : opaque(node);
    }
    default:
      return javascriptExpression(node);
  }
}

function field(node: Node, name: string): Expression {
  const child = node.childForFieldName(name);
  return child ? javascriptExpression(child) : opaque(node);
}

function member(node: Node, objectField: string, propertyField: string): Expression {
  const token = node.childForFieldName(propertyField);
  if (!token) return opaque(node);
  return { kind: 'member', object: field(node, objectField), property: token.text, token, node };
}

function call(node: Node, calleeField: string): Call {
  const list = node.childForFieldName('arguments');
  return { kind: 'call', callee: field(node, calleeField), arguments: list ? argumentsIn(list) : [], node };
}

function argumentsIn(list: Node): readonly Argument[] {
  // sql`…` passes the template as one argument.
  if (list.type === 'template_string')
    return [{ kind: 'positional', value: javascriptExpression(list), node: list }];
  return namedChildren(list).flatMap(argument);
}

function argument(node: Node): Argument[] {
  if (node.type === 'comment') return [];
  if (node.type === 'spread_element')
    return [{ kind: 'spread', fills: 'positions', value: inner(node), node }];
  return [{ kind: 'positional', value: javascriptExpression(node), node }];
}

function inner(node: Node): Expression {
  return node.firstNamedChild ? javascriptExpression(node.firstNamedChild) : opaque(node);
}

function templateParts(node: Node): (string | Expression)[] {
  return namedChildren(node).map((child) =>
    child.type === 'template_substitution' ? inner(child) : child.text,
  );
}

function record(node: Node): Expression {
  const entries = namedChildren(node)
    .filter(({ type }) => type !== 'comment')
    .map(entryOf);
  return { kind: 'record', entries, node };
}

function entryOf(child: Node): Entry {
  if (child.type === 'spread_element') return { kind: 'spread', value: inner(child), node: child };
  if (child.type === 'shorthand_property_identifier')
    return { kind: 'pair', key: child.text, token: child, value: javascriptExpression(child), node: child };
  const token = child.childForFieldName(child.type === 'method_definition' ? 'name' : 'key');
  if (!token || token.type === 'computed_property_name' || token.text.includes('\\'))
    return { kind: 'spread', value: opaque(child), node: child };
  const key = token.type === 'string' ? (token.firstNamedChild?.text ?? '') : token.text;
  const value = child.type === 'pair' ? field(child, 'value') : opaque(child);
  return { kind: 'pair', key, token, value, node: child };
}

function negated(node: Node): Expression {
  const argument = field(node, 'argument');
  return node.childForFieldName('operator')?.text === '-' &&
    argument.kind === 'literal' &&
    typeof argument.value === 'number'
    ? { kind: 'literal', value: -argument.value, node }
    : opaque(node);
}
