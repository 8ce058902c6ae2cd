/**
 * Rankings that a program writes by hand, recognised by what they do: each element of a list gets a score that compares
 * it with something from elsewhere, the list is ordered by the scores, and its beginning is kept.
 */
import type { Program } from '../resolve/program.ts';
import { ancestors, enclosing, isField } from '../syntax/dialect.ts';
import type { Call } from '../syntax/expression.ts';
import type { Node } from '../syntax/node.ts';

/** The beginning of an ordered list. */
export interface Slice {
  /** The number of elements. `undefined` for the best one alone. */
  readonly end: Node | undefined;
  /** The slice. */
  readonly whole: Node;
}

const FUNCTIONS =
  /^(?:function_definition|function_declaration|generator_function_declaration|method_definition|arrow_function|function_expression|lambda)$/u;
const ARGUMENTS = /^(?:argument_list|arguments)$/u;
const CALLS = ['call', 'call_expression'];
const LITERALS = /^(?:string|number|integer|float|true|false|none|null|undefined|regex)$/u;
const SORTS = /^(?:sort|toSorted|sorted)$/u;
const RATIO = /^(?:\w*_)?w?ratio$/iu;
const BEST = /^(?:nlargest|nsmallest|max)$/u;
/** Methods of JavaScript that hand each element to a function. */
const EACH = /^(?:map|filter|forEach|flatMap|reduce|sort|toSorted|some|every|find)$/u;
/** Methods that leave the order as it is. */
const KEEPS_ORDER = /^(?:map|filter|flatMap|sort|toSorted|reverse|toReversed)$/u;
const COMPARES =
  /(?:cosine|cos_?sim|similarity|dot_?product|inner_?product|overlap|jaccard|levenshtein|bm25|^w?ratio$|_ratio$|^dot$|^inner$)/iu;
const CONTAINS = /^(?:includes|has|count|intersection|indexOf|search|match|test)$/u;
/** What a program gets from outside when it has no parameters. */
const ASKED = /^(?:input|question|prompt|argv|ask|readline|text_input|chat_input)$/u;
const MAX_NODES = 4000;
const MAX_DEPTH = 7;
const MAX_STEPS = 500;

/** Whether the call orders a list by its likeness to something that the program is asked. */
export function ranksByHand(program: Program, call: Call): boolean {
  const scope = functionAround(call.node) ?? program.root;
  return (
    ordersByScore(call, scope) &&
    keptOf(program, call.node) !== undefined &&
    program.once(scope, 'compares by hand', () => comparesWithAsked(program, scope))
  );
}

/** The call after a score that orders the scored elements, in the same function. */
export function orderAfter(program: Program, scored: Node): Node | undefined {
  const scope = functionAround(scored);
  return scope
    ?.descendantsOfType(CALLS)
    .find((node) => node.endIndex >= scored.endIndex && ordersByScore(callAt(program, node), scope));
}

/** `undefined` if nothing is cut off, or several parts are kept. */
export function keptOf(program: Program, order: Node): Slice | undefined {
  const name = nameOf(order);
  if (name === 'max' || RATIO.test(name)) return { end: undefined, whole: order };
  if (/^n(?:largest|smallest)$/u.test(name)) return { end: argumentsOf(order)[0], whole: order };
  const all = [order, ...sameList(program, order)].flatMap((node) => cut(node) ?? []);
  const [first] = all;
  return first && all.every(({ end }) => end?.text === first.end?.text) ? first : undefined;
}

/** The function that runs the code at the node; callbacks run with it. */
export function functionAround(node: Node): Node | undefined {
  return enclosing(node, (up) => FUNCTIONS.test(up.type) && !isCallback(up));
}

function isCallback(functionNode: Node): boolean {
  const parent =
    functionNode.parent?.type === 'keyword_argument' ? functionNode.parent.parent : functionNode.parent;
  return ARGUMENTS.test(parent?.type ?? '');
}

function callAt(program: Program, node: Node): Call | undefined {
  const expression = program.expression(node);
  return expression.kind === 'call' ? expression : undefined;
}

/** The last name of what is called. */
export function nameOf(call: Node): string {
  const callee = call.childForFieldName('function');
  const name = callee?.childForFieldName('property') ?? callee?.childForFieldName('attribute') ?? callee;
  return name?.text ?? '';
}

function receiverOf(call: Node): Node | undefined {
  return call.childForFieldName('function')?.childForFieldName('object') ?? undefined;
}

function argumentsOf(call: Node): readonly Node[] {
  return call.childForFieldName('arguments')?.namedChildren ?? [];
}

/** Descending by a number that the function assigns, or by a computed score. */
function ordersByScore(call: Call | undefined, scope: Node): boolean {
  if (!call) return false;
  const name = nameOf(call.node);
  const text = call.node.childForFieldName('arguments')?.text ?? '';
  if (RATIO.test(name)) return scope.descendantsOfType('if_statement').some(keepsBest);
  if (BEST.test(name)) return name !== 'max' || /\bkey\s*=\s*(?:lambda\b|\w+\.get\b)/u.test(text);
  if (!SORTS.test(name)) return false;
  const [comparator] = argumentsOf(call.node);
  if (comparator && /^(?:arrow_function|function_expression)$/u.test(comparator.type))
    return comparesScores(comparator.text, scope.text);
  return /\breverse\s{0,9}=\s{0,9}True\b|\bkey\s{0,9}=\s{0,9}lambda\b[^:]{0,200}:\s{0,9}\(?-/u.test(text);
}

/** `if score > best, answer = score, each` */
function keepsBest(branch: Node): boolean {
  const condition = branch.childForFieldName('condition')?.text ?? '';
  const [, one, other] = /^(\w+)\s*>=?\s*(\w+)/u.exec(condition) ?? [];
  if (one === undefined || other === undefined) return false;
  const [left, right] = [other, one].map((name) => String.raw`[^=\n]{0,200}\b${name}\b[^=\n]{0,200}`);
  return new RegExp(`^${left}=${right}$`, 'mu').test(branch.childForFieldName('consequence')?.text ?? '');
}

const DIFFERENCE =
  /(?<![\w$.])(\w{1,80})((?:\.\w{1,80}|\[\w{1,80}\]){0,9})\s{0,9}-\s{0,9}(\w{1,80})((?:\.\w{1,80}|\[\w{1,80}\]){0,9})(?![\w$.])/u;

/** `(a, b) => b.score - a.score`, if the function sets `score`. */
function comparesScores(comparator: string, scope: string): boolean {
  const [, first = '', one = '', second = '', other] = DIFFERENCE.exec(comparator) ?? [];
  if (first === '' || one !== other || first === second) return false;
  const property = /\.(\w+)$/u.exec(one)?.[1];
  return (
    property === undefined ||
    new RegExp(String.raw`\b${property}\s*[:=,}]|\b${property}\s*[+*]?=`, 'u').test(scope)
  );
}

/** The uses of the variable that names the ordered list. */
function sameList(program: Program, order: Node): readonly Node[] {
  let outer = order;
  for (let up = order.parent; up; up = outer.parent) {
    if (up.type === 'parenthesized_expression' || up.type === 'await') outer = up;
    else {
      const next = followed(up, outer);
      if (!next) break;
      outer = next;
    }
  }
  const statement = outer.parent;
  const target = statement?.childForFieldName('left') ?? statement?.childForFieldName('name');
  const named =
    statement && /^(?:assignment|variable_declarator|assignment_expression)$/u.test(statement.type)
      ? target
      : undefined;
  const name = named ?? (nameOf(order) === 'sort' ? receiverOf(order) : undefined);
  if (name?.type !== 'identifier') return [];
  return program.sameVariable(name.text, name).filter(({ startIndex }) => startIndex >= order.endIndex);
}

/** The call around a list that leaves its order as it is: `ranked.filter(…)`. */
function followed(up: Node, list: Node): Node | undefined {
  if (/^(?:member_expression|attribute)$/u.test(up.type) && isField(up, 'object', list)) {
    const call = up.parent;
    return call && CALLS.includes(call.type) && KEEPS_ORDER.test(nameOf(call)) ? call : undefined;
  }
  return undefined;
}

/** The part that is kept of a list at this node. */
function cut(list: Node): Slice | undefined {
  let node = list;
  for (let up = node.parent; up; up = node.parent) {
    if (up.type === 'parenthesized_expression') {
      node = up;
      continue;
    }
    const sliced = sliceOf(up, node);
    if (sliced) return sliced;
    const next = followed(up, node);
    if (!next) return undefined;
    node = next;
  }
  return undefined;
}

function sliceOf(up: Node, list: Node): Slice | undefined {
  const index = up.childForFieldName('subscript') ?? up.childForFieldName('index');
  const isSubscript = /^subscript(?:_expression)?$/u.test(up.type);
  if (isSubscript && (isField(up, 'value', list) || isField(up, 'object', list))) {
    if (index?.type !== 'slice') return index?.text === '0' ? { end: undefined, whole: up } : undefined;
    const [end, more] = index.namedChildren;
    return index.text.startsWith(':') && end && !more ? { end, whole: up } : undefined;
  }
  const call = up.type === 'member_expression' && isField(up, 'object', list) ? up.parent : undefined;
  if (call?.type !== 'call_expression' || nameOf(call) !== 'slice') return undefined;
  const [from, end, more] = argumentsOf(call);
  return from?.text === '0' && end && !more ? { end, whole: call } : undefined;
}

/** Whether something in the function compares an element of a loop with something that is not of the loop. */
function comparesWithAsked(program: Program, scope: Node): boolean {
  const waiting = [scope];
  for (let visits = 0; waiting.length > 0 && visits < MAX_NODES; visits++) {
    const node = waiting.pop()!;
    for (const [one, other] of comparedIn(program, node)) if (isAskedOf(program, one, other)) return true;
    waiting.push(...node.children);
  }
  return false;
}

/** The two sides of what the node compares. */
function comparedIn(program: Program, node: Node): readonly (readonly [Node, Node])[] {
  const { type } = node;
  if (CALLS.includes(type)) return comparedByCall(program, node);
  const [left, right] = [node.childForFieldName('left'), node.childForFieldName('right')];
  if (/^binary_(?:operator|expression)$/u.test(type) && left && right) {
    const operator = node.childForFieldName('operator')?.text ?? '';
    if (operator === '@' || operator === '&') return [[left, right]];
    return operator === '*' && isSameIndex(left, right) ? [[left, right]] : [];
  }
  if (type === 'comparison_operator' && node.children[1]?.type === 'in') {
    const [part, text] = node.namedChildren;
    return part && text && hasCountAround(node) ? [[part, text]] : [];
  }
  return [];
}

function comparedByCall(program: Program, node: Node): readonly (readonly [Node, Node])[] {
  const [name, object, args] = [nameOf(node), receiverOf(node), argumentsOf(node)];
  const [first, second, third] = args;
  if (CONTAINS.test(name) && object && first && !second) return [[object, first]];
  if (name === 'ratio' && object) {
    const matcher = argumentsOf(object).slice(-2);
    return matcher.length === 2 ? [[matcher[0]!, matcher[1]!]] : [];
  }
  if (name === 'zip' && first && second && !third && enclosing(node, isSum)) return [[first, second]];
  if (!first) return [];
  const isNamed = COMPARES.test(name);
  if (isNamed && !second && object) return [[object, first]];
  return second && (isNamed || isProduct(program, node)) ? [[first, second]] : [];
}

function isSum(node: Node): boolean {
  return CALLS.includes(node.type) && /^f?sum$/u.test(nameOf(node));
}

/** `a[i] * b[i]` */
function isSameIndex(left: Node, right: Node): boolean {
  const index = ({ type, text }: Node): string | undefined =>
    /^subscript/u.test(type) ? /\[[^[\]]+\]$/u.exec(text)?.[0] : undefined;
  return index(left) !== undefined && index(left) === index(right);
}

/** Whether occurrences are counted: `sum(1 for word in words if word in text)`, or `score += 1` below the condition. */
function hasCountAround(node: Node): boolean {
  const above = ancestors(node).find(({ type }) =>
    /^(?:if_statement|generator_expression|list_comprehension)$/u.test(type),
  );
  return above !== undefined && (above.type !== 'if_statement' || /\+=/u.test(above.text));
}

/** Whether the called function of the text multiplies two lists element by element: by `zip`, or by index. */
function isProduct(program: Program, call: Node): boolean {
  const callee = call.childForFieldName('function');
  if (callee?.type !== 'identifier') return false;
  return program.functionsNamed(callee.text).some((functionNode) =>
    program.once(functionNode, 'is a product', () =>
      functionNode.descendantsOfType(['binary_operator', 'binary_expression']).some((each) => {
        const [left, right] = [each.childForFieldName('left'), each.childForFieldName('right')];
        if (!left || !right || each.childForFieldName('operator')?.text !== '*') return false;
        return isSameIndex(left, right) || (left.text !== right.text && /\bzip\(/u.test(functionNode.text));
      }),
    ),
  );
}

/** Whether one side is an element of a loop, and the other comes from what the function is asked. */
function isAskedOf(program: Program, one: Node, other: Node): boolean {
  const last = ({ text }: Node): string | undefined => /(?:\.|\[['"])(\w+)(?:['"]\])?$/u.exec(text)?.[1];
  if (last(one) !== undefined && last(one) === last(other)) return false;
  const [a, b] = [sourcesOf(program, one), sourcesOf(program, other)];
  const isDisjoint = [...a.names].every((name) => !b.names.has(name));
  const isOf = (question: Sources, element: Sources): boolean =>
    question.isAsked && element.isOfLoop && element.names.size > 0;
  return isDisjoint && (isOf(a, b) || isOf(b, a));
}

interface Sources {
  /** Parameters and variables outside of the function that a value is computed from. */
  readonly names: ReadonlySet<string>;
  /** Whether one of them is a parameter, or what is typed. */
  readonly isAsked: boolean;
  /** Whether it differs between the elements of a loop. */
  readonly isOfLoop: boolean;
}

function sourcesOf(program: Program, node: Node): Sources {
  const sources = { names: new Set<string>(), isAsked: false, isOfLoop: false, steps: 0 };
  gather(program, node, sources, 0);
  return sources;
}

interface SourceSearch extends Sources {
  readonly names: Set<string>;
  isAsked: boolean;
  isOfLoop: boolean;
  steps: number;
}

function gather(program: Program, node: Node, sources: SourceSearch, depth: number): void {
  if (depth > MAX_DEPTH || LITERALS.test(node.type) || ++sources.steps > MAX_STEPS) return;
  if (CALLS.includes(node.type)) {
    if (ASKED.test(nameOf(node))) sources.isAsked = true;
    const object = receiverOf(node);
    for (const each of [...(object ? [object] : []), ...argumentsOf(node)])
      gather(program, each, sources, depth);
    return;
  }
  if (/^(?:member_expression|attribute)$/u.test(node.type)) {
    const object = node.childForFieldName('object');
    if (object && /^(?:this|self)$/u.test(object.text)) sources.names.add(node.text);
    else if (object) gather(program, object, sources, depth);
    return;
  }
  if (/^subscript/u.test(node.type)) {
    const [list, ...index] = node.namedChildren;
    if (index.some(countsLoop)) sources.isOfLoop = true;
    if (list) gather(program, list, sources, depth);
    return;
  }
  if (node.type === 'identifier' || node.type === 'shorthand_property_identifier') {
    gatherName(program, node, sources, depth);
    return;
  }
  for (const child of node.namedChildren) if (!isLabel(node, child)) gather(program, child, sources, depth);
}

function isLabel(node: Node, child: Node): boolean {
  return (
    /^(?:keyword_argument|pair)$/u.test(node.type) &&
    (isField(node, 'name', child) || isField(node, 'key', child))
  );
}

function gatherName(program: Program, name: Node, sources: SourceSearch, depth: number): void {
  const looped = iterableOf(name);
  if (looped) {
    sources.isOfLoop = true;
    gather(program, looped, sources, depth + 1);
    return;
  }
  const bindings = program.bindings(name.text, name);
  const values = bindings.flatMap((each) => (each.kind === 'value' ? [each.value.node] : []));
  if (bindings.some(({ kind }) => kind === 'parameter')) {
    sources.isAsked = true;
    sources.names.add(name.text);
  } else if (values.length === 0) sources.names.add(name.text);
  const before = sources.names.size;
  for (const value of values) gather(program, value, sources, depth + 1);
  if (sources.names.size === before && values.length > 0) sources.names.add(name.text);
}

/** Whether a loop around the index counts it. */
function countsLoop(index: Node): boolean {
  if (index.type !== 'identifier') return false;
  const counter = new RegExp(String.raw`^for\s*\(\s*(?:let|var)\s+${index.text}\b`, 'u');
  return (
    iterableOf(index) !== undefined ||
    ancestors(index).some(({ type, text }) => type === 'for_statement' && counter.test(text))
  );
}

/** What a loop, comprehension or callback around the name takes it from. */
function iterableOf(name: Node): Node | undefined {
  const binds = (target: Node | null): boolean =>
    target !== null &&
    [target, ...target.descendantsOfType(['identifier', 'shorthand_property_identifier_pattern'])].some(
      ({ text, type }) => text === name.text && type !== 'property_identifier',
    );
  for (const up of ancestors(name)) {
    if (/^for_(?:in_)?statement$/u.test(up.type) && binds(up.childForFieldName('left')))
      return up.childForFieldName('right') ?? undefined;
    const clause = up.namedChildren.find(
      (each) => each.type === 'for_in_clause' && binds(each.childForFieldName('left')),
    );
    if (clause) return clause.childForFieldName('right') ?? undefined;
    if (/^(?:arrow_function|function_expression|lambda)$/u.test(up.type)) {
      const parameters = up.childForFieldName('parameters') ?? up.childForFieldName('parameter');
      if (binds(parameters)) return elementsOfCallback(up);
    } else if (FUNCTIONS.test(up.type)) return undefined;
  }
  return undefined;
}

/** The list whose elements a callback gets. */
function elementsOfCallback(functionNode: Node): Node | undefined {
  if (!isCallback(functionNode)) return undefined;
  const list =
    functionNode.parent?.type === 'keyword_argument' ? functionNode.parent.parent : functionNode.parent;
  const call = list?.parent;
  if (!call) return undefined;
  const name = nameOf(call);
  if (functionNode.type === 'lambda') {
    const [first, second] = argumentsOf(call);
    return name === 'sort' ? receiverOf(call) : /^n(?:largest|smallest)$/u.test(name) ? second : first;
  }
  return EACH.test(name) ? receiverOf(call) : undefined;
}
