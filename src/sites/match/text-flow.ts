/**
 * Follows a text to the calls that take it: through names and attributes, results of functions, and parameters of
 * functions that pass the text on, also in other files of the program.
 */
import type { Node } from '../syntax/node.ts';
import { calleeName } from '../resolve/chain.ts';
import { originOf } from '../resolve/origin.ts';
import type { Program } from '../resolve/program.ts';
import { patternOf } from '../rules/pattern.ts';
import type { CallRule } from '../../core/call-sites/schema.ts';
import type { Argument, Call } from '../syntax/expression.ts';
import { enclosing, namedChildren } from '../syntax/dialect.ts';
import type { Taking } from '../workspace/exported.ts';
import { calledAt } from './call-of-token.ts';

/** A SQL statement or an address. */
export type TextKind = Extract<CallRule['callee'], 'sql' | 'url'>;

/** A call that gets the text. */
export interface TextRecipient {
  readonly call: Call;
  /** Where the called function of the program passes the text on. */
  readonly runs: readonly Call[];
  /** Whether only a called function of another file is known, so that the meaning of its other arguments is unknown. */
  readonly isElsewhere: boolean;
}

/** Names of callees that take a text of a kind. */
export type TakesText = Pick<CallRule, 'names' | 'named'>;

const STRINGS = /^(?:string|concatenated_string|template_string)$/u;
const ARGUMENTS = /^(?:argument_list|arguments)$/u;
/** Nodes between a text and the call that takes it. */
const BETWEEN =
  /^(?:keyword_argument|pair|object|dictionary|list|array|parenthesized_expression|boolean_operator|binary_operator|binary_expression|member_expression|attribute|as_expression|expression_list|tuple|await|await_expression|conditional_expression|ternary_expression|interpolation|template_substitution|template_string|string|concatenated_string)$/u;
/** Assigns to a name, or adds to it. */
const GIVES =
  /^(?:assignment|augmented_assignment|assignment_expression|augmented_assignment_expression|variable_declarator|public_field_definition|default_parameter|typed_default_parameter|required_parameter|assignment_pattern)$/u;
/** `query, values = build(…)` */
const SEVERAL = /^(?:pattern_list|tuple_pattern|array_pattern)$/u;
const FUNCTIONS =
  /^(?:function_definition|function_declaration|method_definition|arrow_function|function_expression)$/u;
/** lodash's `_.get(found, 'hits')` reads an object instead of calling a service. */
const READS = /^(?:_|lodash)\./u;
const LOOPS = /^(?:for_statement|for_in_clause|for_in_statement)$/u;
/** Adds to a list, from which the statement is built later. */
const ADDS = /^(?:append|push|insert|unshift|extend|add)$/u;
const MAX_CLIMB = 12;
/** The most names and functions through which a text is followed. */
const MAX_HOPS = 4;

/** Finds the calls that take a text. */
export class TextFlow {
  private readonly program: Program;
  private readonly kind: TextKind;
  private readonly rules: readonly TakesText[];
  /** The calls that each parameter is passed on to, by its token. */
  private readonly handing = new Map<number, readonly Call[]>();
  /** Whether the text calls any of these callees by name. */
  private isAnyNamed: boolean | undefined;
  /** Functions found to return the followed text. */
  private readonly givers = new Set<number>();

  /** @param rules the names of callees that take a text of the kind */
  constructor(program: Program, kind: TextKind, rules: readonly TakesText[]) {
    this.program = program;
    this.kind = kind;
    this.rules = rules;
  }

  of(text: Node): readonly TextRecipient[] {
    return this.from(text, 0, new Set());
  }

  /** The calls to which a function passes its parameter on. */
  ofParameter(parameter: Node): readonly Call[] {
    this.isAnyNamed ??= this.program.calledNames.some((name) => this.isNamed(name));
    return this.isAnyNamed ? this.handedOn(parameter, 0) : [];
  }

  /** The node ids of the program's functions that return the text. */
  giversOf(text: Node): readonly number[] {
    this.givers.clear();
    this.of(text);
    return [...this.givers];
  }

  /** @param nodeIds prevents following a name that is added to itself more than once */
  private from(text: Node, hops: number, nodeIds: Set<number>): readonly TextRecipient[] {
    if (hops > MAX_HOPS || nodeIds.has(text.id)) return [];
    nodeIds.add(text.id);
    let node = text;
    /** The keys of the objects that contain the text, innermost first. */
    const keys: string[] = [];
    /** Whether the text was passed to a call, whose result is a different text. */
    let isGiven = false;
    for (let climbed = 0; climbed < MAX_CLIMB && node.parent; climbed++) {
      const parent = node.parent;
      const key = keyOf(parent, node);
      if (key !== undefined) keys.push(key);
      const call =
        ARGUMENTS.test(parent.type) || isTag(parent, node) ? callOf(this.program, parent, node) : undefined;
      const recipient = call && this.taking(call, node, hops);
      if (recipient) return [recipient];
      const looped = loopVariable(node);
      if (looped) return this.readsOf(looped).flatMap((read) => this.from(read, hops + 1, nodeIds));
      if (GIVES.test(parent.type)) return this.throughNames(parent, keys.toReversed(), hops, nodeIds);
      const list = call && this.kind === 'sql' && !isGiven ? addedTo(call) : undefined;
      if (list) return this.readsOf(list).flatMap((read) => this.from(read, hops + 1, nodeIds));
      if (parent.type === 'return_statement' || isBodyOf(parent, node))
        return this.throughFunction(node, hops, nodeIds);
      if (!call && !ARGUMENTS.test(parent.type) && !BETWEEN.test(parent.type) && !/^call/u.test(parent.type))
        return [];
      isGiven ||= call !== undefined;
      node = call ? call.node : parent;
    }
    return [];
  }

  private taking(call: Call, argument: Node, hops: number): TextRecipient | undefined {
    const runs = this.throughParameter(call, argument, hops);
    const isNamed = this.isNamed(calleeName(call)) && !READS.test(call.callee.node.text);
    if (runs.length > 0 || isNamed) return { call, runs, isElsewhere: false };
    return this.isHelperElsewhere(call, argument) ? { call, runs, isElsewhere: true } : undefined;
  }

  private isNamed(name: string): boolean {
    return this.rules.some(
      ({ names, named }) =>
        // `sql.SQL(…)` only wraps the text.
        names.includes(name) || (named !== undefined && name !== 'SQL' && patternOf(named).test(name)),
    );
  }

  /** Whether the callee is a function of another file of the workspace that passes the argument on. */
  private isHelperElsewhere(call: Call, argument: Node): boolean {
    const { otherFiles } = this.program;
    const origin = otherFiles && originOf(this.program, call.callee);
    const entry = origin?.kind === 'imported' ? otherFiles?.find(origin.module, origin.path) : undefined;
    return (
      entry?.kind === 'function' &&
      entry.takes.some((each) => each.kind === this.kind && isArgument(call, argument, each))
    );
  }

  /** @param keys of the objects that contain the text in the name's value, outermost first */
  private throughNames(
    giving: Node,
    keys: readonly string[],
    hops: number,
    nodeIds: Set<number>,
  ): readonly TextRecipient[] {
    const pattern = ['left', 'name', 'pattern', 'property']
      .map((field) => giving.childForFieldName(field))
      .find((each) => each !== null);
    const target = pattern ?? giving.firstNamedChild;
    if (!target) return [];
    const names = SEVERAL.test(target.type) ? namedChildren(target) : [target];
    return names
      .flatMap((name) => this.readsOf(name))
      .flatMap((token) => heldBy(token, keys) ?? [])
      .flatMap((read) => this.from(read, hops + 1, nodeIds));
  }

  /** Where the variable, or the attribute of `self` or `this`, is read. */
  private readsOf(name: Node): readonly Node[] {
    const { program } = this;
    if (name.type === 'identifier') {
      const same = program.sameVariable(name.text, name).filter((each) => !isGivenValue(each));
      // Names in the body of a class are read as attributes.
      return same.length > 0 ? same : ownReads(program, name);
    }
    const property = name.type === 'property_identifier' ? name : attributeOf(name);
    return property ? ownReads(program, property) : [];
  }

  /** The calls that get the result of a function in the text. */
  private throughFunction(returned: Node, hops: number, nodeIds: Set<number>): readonly TextRecipient[] {
    const { program } = this;
    const functionNode = enclosing(returned, ({ type }) => FUNCTIONS.test(type));
    const name = functionNode && nameOf(functionNode);
    if (functionNode) this.givers.add(functionNode.id);
    if (name === undefined) return [];
    return program.tokens(name).flatMap((token) => {
      const call = calledAt(program, token);
      return call ? this.from(call.node, hops + 1, nodeIds) : [];
    });
  }

  /** Calls to which a function of this text passes the argument on. */
  private throughParameter(call: Call, argument: Node, hops: number): readonly Call[] {
    // Most callees are not defined in the text, so their origin need not be resolved.
    if (hops >= MAX_HOPS || this.program.functionsNamed(calleeName(call)).length === 0) return [];
    const origin = originOf(this.program, call.callee);
    if (origin?.kind !== 'function') return [];
    const parameter = parametersOf(this.program, origin.node).find((each) =>
      isArgument(call, argument, each),
    );
    return parameter ? this.handedOn(parameter.token, hops + 1) : [];
  }

  private handedOn(parameter: Node, hops: number): readonly Call[] {
    let known = this.handing.get(parameter.id);
    if (!known) {
      // A recursive call passes nothing on.
      this.handing.set(parameter.id, []);
      const nodeIds = new Set<number>();
      known = this.readsOf(parameter)
        .filter(({ id }) => id !== parameter.id)
        .flatMap((read) => this.from(read, hops, nodeIds))
        .flatMap(({ call, runs }) => (runs.length > 0 ? runs : [call]));
      this.handing.set(parameter.id, known);
    }
    return known;
  }
}

/** A parameter that callers set by name or position. */
export type Parameter = Pick<Taking, 'parameter' | 'position'> & { readonly token: Node };

/** Parameters of a function that are plain names, without the receiver of a method. */
export function parametersOf(program: Program, functionNode: Node): readonly Parameter[] {
  const tokens = program.dialect.parameterNames(functionNode);
  const self = program.dialect.self.includes(tokens[0]?.text ?? '') ? 1 : 0;
  return tokens
    .slice(self)
    .flatMap((token, position) =>
      token.type === 'identifier' ? [{ parameter: token.text, position, token }] : [],
    );
}

/** Whether the call sets the parameter to the argument at the node. */
function isArgument(
  { arguments: args }: Call,
  node: Node,
  { parameter, position }: Pick<Taking, 'parameter' | 'position'>,
): boolean {
  const at = args.findIndex((each) => holds(each, node));
  const argument = args[at];
  if (argument?.kind === 'named') return argument.name === parameter;
  return (
    argument?.kind === 'positional' &&
    at === position &&
    args.slice(0, at).every(({ kind }) => kind === 'positional')
  );
}

function holds({ value: { node } }: Argument, { startIndex, endIndex }: Node): boolean {
  return startIndex <= node.startIndex && node.endIndex <= endIndex;
}

/** `(q) => …` returns its body. */
function isBodyOf(parent: Node, node: Node): boolean {
  return parent.type === 'arrow_function' && parent.childForFieldName('body')?.id === node.id;
}

/** sql`…` */
function isTag(parent: Node, node: Node): boolean {
  return parent.type === 'call_expression' && parent.childForFieldName('arguments')?.id === node.id;
}

function callOf(program: Program, parent: Node, node: Node): Call | undefined {
  const owner = isTag(parent, node) ? parent : parent.parent;
  const expression = owner && program.expression(owner);
  return expression?.kind === 'call' ? expression : undefined;
}

/** The name of a function, or of its variable. */
function nameOf(functionNode: Node): string | undefined {
  const named = functionNode.parent?.type === 'variable_declarator' ? functionNode.parent : functionNode;
  return named.childForFieldName('name')?.text;
}

/** Whether the name, alone or in a pattern, gets a value here. */
function isGivenValue(name: Node): boolean {
  const target = SEVERAL.test(name.parent?.type ?? '') ? name.parent : name;
  const giving = target?.parent;
  if (!target || !giving || !GIVES.test(giving.type)) return false;
  return ['left', 'name', 'pattern'].some((field) => giving.childForFieldName(field)?.id === target.id);
}

/** The last name of `self.url` or `this.url`. */
function attributeOf(node: Node): Node | undefined {
  const object = node.childForFieldName('object');
  if (!object || !/^(?:self|cls|this)$/u.test(object.text)) return undefined;
  return node.childForFieldName('attribute') ?? node.childForFieldName('property') ?? undefined;
}

/** Reads of the attribute on `self` or `this` in the same class, and on the class by name. */
function ownReads(program: Program, name: Node): readonly Node[] {
  const owner = program.dialect.enclosingClass(name);
  const ownerName = owner?.childForFieldName('name')?.text;
  return program.tokens(name.text).flatMap((token) => {
    const whole = token.parent;
    if (token.id === name.id || !whole) return [];
    const isOwn =
      attributeOf(whole)?.id === token.id && program.dialect.enclosingClass(token)?.id === owner?.id;
    const isOfClass = ownerName !== undefined && whole.childForFieldName('object')?.text === ownerName;
    return isOwn || isOfClass ? [whole] : [];
  });
}

/** The key of the value in an object or dict. `undefined` if the parent is no entry. */
export function keyOf(parent: Node, value: Node): string | undefined {
  if (parent.type !== 'pair' || parent.childForFieldName('value')?.id !== value.id) return undefined;
  return unquoted(parent.childForFieldName('key')?.text ?? '');
}

function unquoted(text: string): string {
  return text.replaceAll(/^["'`]|["'`]$/gu, '');
}

/** Where the object or its entry with the text is read. `undefined` if another entry is read. */
function heldBy(token: Node, keys: readonly string[]): Node | undefined {
  let node = token;
  for (const key of keys) {
    const read = entryRead(node);
    // The whole object is passed on.
    if (!read) return node;
    if (read.key !== key) return undefined;
    node = read.node;
  }
  return node;
}

interface EntryRead {
  readonly node: Node;
  /** `undefined` if it is computed. */
  readonly key: string | undefined;
}

/** `queries.near`, `queries["near"]`, `queries.get("near")` */
export function entryRead(object: Node): EntryRead | undefined {
  const parent = object.parent;
  if (!parent) return undefined;
  if (/^subscript(?:_expression)?$/u.test(parent.type)) {
    const index = parent.childForFieldName('subscript') ?? parent.childForFieldName('index');
    if (index?.id === object.id) return undefined;
    return { node: parent, key: index?.type === 'string' ? unquoted(index.text) : undefined };
  }
  if (parent.childForFieldName('object')?.id !== object.id) return undefined;
  const property = parent.childForFieldName('attribute') ?? parent.childForFieldName('property');
  const call = parent.parent;
  if (property?.text !== 'get' || call?.childForFieldName('function')?.id !== parent.id)
    return { node: parent, key: property?.text };
  const keyNode = call.childForFieldName('arguments')?.firstNamedChild;
  return { node: call, key: keyNode?.type === 'string' ? unquoted(keyNode.text) : undefined };
}

/** `for url in urls`, where the node is the iterated value. */
export function loopVariable(over: Node): Node | undefined {
  const loop = over.parent;
  if (!loop || !LOOPS.test(loop.type) || loop.childForFieldName('right')?.id !== over.id) return undefined;
  const left = loop.childForFieldName('left');
  // The value in `for key, value in held.items()`.
  const last = left && SEVERAL.test(left.type) ? left.lastNamedChild : left;
  return last?.type === 'identifier' ? last : undefined;
}

/** The list that a call adds its argument to: `parts.append('LIMIT 5')`. */
function addedTo({ callee }: Call): Node | undefined {
  if (callee.kind !== 'member' || !ADDS.test(callee.property)) return undefined;
  const { node } = callee.object;
  return node.type === 'identifier' || attributeOf(node) ? node : undefined;
}

/** The whole string that contains a node. */
export function textAround(node: Node | null): Node | undefined {
  let text: Node | undefined;
  for (let up = node; up; up = up.parent) {
    if (STRINGS.test(up.type)) text = up;
    else if (text && !/^(?:interpolation|template_substitution)$/u.test(up.type)) break;
  }
  return text;
}
