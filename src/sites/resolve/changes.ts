/**
 * Whether the object of a name or attribute may be mutated after its creation: directly, through an alias, or by a
 * function of the text that it is passed to.
 */
import type { Node } from '../syntax/node.ts';
import { isField, namedChildren } from '../syntax/dialect.ts';
import { MAX_DEPTH, type Program } from './program.ts';

const MEMBERS = /^(?:attribute|member_expression|subscript|subscript_expression)$/u;
const CALLS = /^(?:call|call_expression|new_expression)$/u;
/** Methods that mutate their object. */
const MUTATORS =
  /^(?:update|setdefault|pop|popitem|clear|append|appendleft|extend|insert|remove|sort|reverse|add|discard|push|shift|unshift|splice|set|delete|fill|copyWithin|__setitem__|__delitem__|__setattr__|__ior__)$/u;
/** Functions that mutate their first argument. */
const CHANGES_FIRST =
  /(?:^|\.)(?:setattr|delattr|setitem|delitem|__setattr__|assign|assignIn|defineProperty|defineProperties|set|merge|update|extend|defaults|shuffle|setPrototypeOf|ior)$/u;
/** Functions that return their argument, or a copy that shares its parts. */
const GIVES_BACK =
  /^(?:dict|list|tuple|set|sorted|reversed|iter|enumerate|zip|Object\.(?:entries|values)|Array\.from)$/u;
/** Nodes around a value that keep it, or make it a part of something. */
const FLOWS =
  /^(?:parenthesized_expression|conditional_expression|ternary_expression|boolean_operator|binary_operator|binary_expression|as_expression|satisfies_expression|non_null_expression|await|await_expression|pair|dictionary|object|list|array|tuple|expression_list|set|dictionary_splat|list_splat|spread_element)$/u;
const DECLARES =
  /^(?:assignment|assignment_expression|variable_declarator|named_expression|public_field_definition)$/u;

/** Whether the object of the name, as used at the node, is mutated anywhere. */
export function isChanged(program: Program, name: string, at: Node): boolean {
  const scope = program.scopeNode(name, at);
  if (!scope) return false;
  return program.once(scope, `changes of ${name}`, () => new Changes(program).ofVariable(name, scope, 0));
}

/** The same for the values of `anything.attribute`, for any object. */
export function isAttributeChanged(program: Program, attribute: string): boolean {
  return program.onceInText(`changes of ${attribute}`, () => new Changes(program).ofAttribute(attribute, 0));
}

class Changes {
  private readonly program: Program;
  private readonly nodeIds = new Set<number>();

  constructor(program: Program) {
    this.program = program;
  }

  ofVariable(name: string, scope: Node | undefined, depth: number): boolean {
    return scope !== undefined && this.program.variable(name, scope).some((token) => this.at(token, depth));
  }

  /** The variable of the name at the node. */
  private ofName(node: Node, depth: number): boolean {
    return this.ofVariable(node.text, this.program.scopeNode(node.text, node), depth);
  }

  ofAttribute(name: string, depth: number): boolean {
    return this.program.tokens(name).some((token) => {
      const parent = token.parent;
      const isMember = parent !== null && MEMBERS.test(parent.type) && !isField(parent, 'object', token);
      return this.at(isMember ? parent : token, depth);
    });
  }

  /** Whether a reference may mutate the object. */
  private at(start: Node, depth: number): boolean {
    if (this.nodeIds.has(start.id)) return false;
    if (depth > MAX_DEPTH) return true;
    this.nodeIds.add(start.id);
    let node = start;
    for (;;) {
      const parent = node.parent;
      if (!parent) return false;
      if (MEMBERS.test(parent.type) && holds(parent, node)) {
        const call = parent.parent;
        if (!call || !CALLS.test(call.type) || !isField(call, 'function', parent)) {
          node = parent;
          continue;
        }
        if (MUTATORS.test(lastName(parent))) return true;
        // `copy()`, `get()` and similar methods return parts of the object.
        node = call;
        continue;
      }
      if (isTarget(parent, node)) return node.id !== start.id || /^augmented/u.test(parent.type);
      if (DECLARES.test(parent.type)) return this.bound(parent, node, depth);
      if (FLOWS.test(parent.type)) {
        node = parent;
        continue;
      }
      return this.handedOn(parent, node, depth);
    }
  }

  /** An alias of the object or of a part of it. */
  private bound(declaration: Node, value: Node, depth: number): boolean {
    const left = declaration.childForFieldName('left') ?? declaration.childForFieldName('name');
    if (!left || left.id === value.id) return false;
    const isChain = declaration.parent;
    const beyond = isChain && (DECLARES.test(isChain.type) || FLOWS.test(isChain.type));
    return this.anyOf(left, depth + 1) || (beyond === true && this.at(declaration, depth + 1));
  }

  private anyOf(target: Node, depth: number): boolean {
    const property = target.childForFieldName('attribute') ?? target.childForFieldName('property');
    if (property) return this.ofAttribute(property.text, depth);
    if (/identifier/u.test(target.type)) return this.ofName(target, depth);
    // Stored in a container, whose uses are not followed.
    if (MEMBERS.test(target.type)) return true;
    return namedChildren(target).some((child) => this.anyOf(child, depth));
  }

  private handedOn(parent: Node, node: Node, depth: number): boolean {
    if (parent.type === 'return_statement') return this.returned(parent, depth);
    if (/^for(?:_in)?_statement$|^for_in_clause$/u.test(parent.type) && isField(parent, 'right', node)) {
      const left = parent.childForFieldName('left');
      return left !== null && this.anyOf(left, depth + 1);
    }
    const argument = parent.type === 'keyword_argument' ? parent : node;
    const list = argument.id === node.id ? parent : parent.parent;
    const call = list && /^(?:argument_list|arguments)$/u.test(list.type) ? list.parent : null;
    return call !== null && list !== null && this.mayMutate(call, list, argument, depth);
  }

  /** Whether a call may mutate its argument. */
  private mayMutate(call: Node, list: Node, argument: Node, depth: number): boolean {
    const callee = call.childForFieldName('function') ?? call.childForFieldName('constructor');
    if (!callee) return false;
    const position = namedChildren(list)
      .filter(({ type }) => type !== 'comment')
      .findIndex(({ id }) => id === argument.id);
    if (CHANGES_FIRST.test(callee.text) && position === 0) return true;
    if (GIVES_BACK.test(callee.text) || CHANGES_FIRST.test(callee.text)) return this.at(call, depth + 1);
    const name = argument.type === 'keyword_argument' ? argument.childForFieldName('name')?.text : undefined;
    return this.program.functionsNamed(lastName(callee)).some((functionNode) =>
      this.program.dialect.parameterNames(functionNode).some((parameter, i) => {
        const isMeant = name === undefined ? i === position || i === position + 1 : parameter.text === name;
        return isMeant && this.ofName(parameter, depth + 1);
      }),
    );
  }

  /** Whether a caller of the function around a `return` may mutate its result. */
  private returned(statement: Node, depth: number): boolean {
    const name = this.program.dialect.within(statement).at(-1);
    if (name === undefined) return false;
    return this.program.tokens(name).some((token) => {
      const parent = token.parent;
      const callee = parent && MEMBERS.test(parent.type) ? parent : token;
      const call = callee.parent;
      return (
        call !== null &&
        CALLS.test(call.type) &&
        isField(call, 'function', callee) &&
        this.at(call, depth + 1)
      );
    });
  }
}

function holds(member: Node, object: Node): boolean {
  return isField(member, 'object', object) || isField(member, 'value', object);
}

function lastName(callee: Node): string {
  return (callee.childForFieldName('attribute') ?? callee.childForFieldName('property') ?? callee).text;
}

/** Whether the node is assigned to, alone or in a pattern. */
function isTarget(parent: Node, node: Node): boolean {
  if (/assignment/u.test(parent.type)) {
    if (/pattern$/u.test(parent.type)) return isField(parent, 'left', node);
    return isField(parent, 'left', node);
  }
  if (
    /^(?:pattern_list|tuple_pattern|list_pattern|array_pattern|object_pattern|rest_pattern|list_splat_pattern|update_expression|delete_statement|as_pattern_target)$/u.test(
      parent.type,
    )
  )
    return true;
  if (parent.type === 'pair_pattern') return isField(parent, 'value', node);
  if (parent.type === 'unary_expression') return parent.firstChild?.text === 'delete';
  if (parent.type === 'expression_list') return parent.parent?.type === 'delete_statement';
  return /^for(?:_in)?_statement$/u.test(parent.type) && isField(parent, 'left', node);
}
