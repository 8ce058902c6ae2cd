/**
 * The calls to observe in a running program: for each call site the whole expression, the arguments with the question
 * and k, and the enclosing functions. For their use by hooks see src/features/live/contract/protocol.ts.
 */
import type { Composed } from '../match/compose.ts';
import { keptOf, nameOf, orderAfter } from '../match/hand-rankings.ts';
import { callContextOf } from '../match/fields.ts';
import type { Place } from '../model.ts';
import { reach } from '../resolve/path.ts';
import type { Program } from '../resolve/program.ts';
import { ancestors } from '../syntax/dialect.ts';
import type { Argument, Call, Expression } from '../syntax/expression.ts';
import type { Node } from '../syntax/node.ts';
import { questionArgument, type ArgumentPlace } from './question-argument.ts';

/** An argument by offsets instead of lines. */
export interface PlacedArgument {
  readonly path: readonly (string | number)[];
  readonly chained?: string | undefined;
  readonly at?: Place | undefined;
  readonly isShorthand?: boolean | undefined;
  /** Where and how it can be added. */
  readonly missing?: { readonly at: Place; readonly as: 'positional' | 'entry' | 'options' } | undefined;
}

export interface PlacedFunction {
  readonly name: string | undefined;
  /** Empty range after the brace. */
  readonly body: Place;
  readonly start: Place;
  readonly parameters: readonly string[];
  readonly callee: string | undefined;
}

export interface PlacedCall {
  /** The range of its call site. */
  readonly site: Place;
  readonly whole: Place;
  readonly callee: Place;
  readonly returns: 'passages' | 'retriever';
  readonly methods: readonly string[];
  readonly question: PlacedArgument | undefined;
  readonly k: PlacedArgument | undefined;
  readonly awaited: boolean;
  readonly suspends: boolean;
  readonly ranks: boolean;
  readonly isOneOfSeveral: boolean;
  readonly enclosing: readonly PlacedFunction[];
}

const MEMBERS = /^(?:attribute|member_expression)$/u;
const CALLS = /^(?:call|call_expression)$/u;
const MADE_BY_NEW = 'new_expression';
const WRAPPERS = /^(?:parenthesized_expression|non_null_expression|as_expression|satisfies_expression)$/u;
/** Methods of lists, promises and strings, whose results are no longer those of the call. */
const LEAVES =
  /^(?:then|catch|finally|map|flatMap|filter|slice|reduce|forEach|sort|toSorted|reverse|toReversed|find|findIndex|join|at|pop|shift|concat|some|every|includes|push|flat|toString|split|strip|append|extend|mean|sum|head|iterrows|keys|values|items|pipe)$/u;
const RUNS_RETRIEVER = [
  'invoke',
  'retrieve',
  'getRelevantDocuments',
  'get_relevant_documents',
  'ainvoke',
  'aretrieve',
  'aget_relevant_documents',
  'query',
  'aquery',
];

/** @returns `undefined` for a site that is no call, but a retriever from elsewhere in a chain */
export function placedCall(program: Program, composed: Composed): PlacedCall | undefined {
  const { match, call, token } = composed;
  const rule = match.rule.call;
  const returnsRetriever = rule.role === 'retriever' || rule.role === 'wrapper';
  const isCall = CALLS.test(call.node.type) || (returnsRetriever && call.node.type === MADE_BY_NEW);
  if (match.isGiven === true || !isCall || isMadeReranker(composed)) return undefined;
  const isRun = composed.match.call.node.id !== call.node.id;
  const chain = returnsRetriever && !isRun ? [] : chainOf(program, call);
  const ranking = rule.beside === undefined && !rule.byHand ? [] : rankingOf(program, composed);
  const isRanking = ranking.length > 0;
  const whole = ranking.at(-1)?.node ?? chain.at(-1)?.call.node ?? call.node;
  const calls = [{ call, chained: undefined }, ...chain];
  const isWithoutQuestion = isRanking || (returnsRetriever && !isRun);
  const question = isWithoutQuestion ? undefined : questionArgument(calls, rule.callee === 'sql');
  const place = (node: Node): Place => program.place(node);
  return {
    site: place(token),
    whole: place(whole),
    callee: place(calledName(isRanking ? calledFirst(program, call, ranking) : call) ?? token),
    returns: returnsRetriever && !isRun ? 'retriever' : 'passages',
    methods: returnsRetriever && !isRun ? methodsOf(rule.uses?.methods ?? []) : [],
    question: question && placedQuestion(program, question),
    k: isRanking ? sliceEnd(program, ranking) : kArgument(program, composed, whole),
    awaited: isAwaited(whole),
    suspends: suspends(whole),
    ranks: isRanking,
    isOneOfSeveral: question?.isOneOfSeveral ?? false,
    enclosing: program.dialect.language === 'javascript' ? enclosingFunctions(program, whole) : [],
  };
}

/** `CohereRerank(top_n=5)` only makes a reranker. */
function isMadeReranker({ match, token }: Composed): boolean {
  return match.rule.call.role === 'reranker' && /^\p{Lu}/u.test(token.text);
}

function methodsOf(written: readonly string[]): readonly string[] {
  return [...new Set([...written.filter((name) => name !== ''), ...RUNS_RETRIEVER])];
}

/** The chained method calls in the same expression, until one converts the result. */
function chainOf(program: Program, call: Call): { call: Call; chained: string }[] {
  const chain: { call: Call; chained: string }[] = [];
  let node = unwrapped(call.node);
  for (;;) {
    const member = node.parent;
    if (!member || !MEMBERS.test(member.type) || member.childForFieldName('object')?.id !== node.id) break;
    const next = member.parent;
    if (!next || !CALLS.test(next.type) || next.childForFieldName('function')?.id !== member.id) break;
    const name = (member.childForFieldName('property') ?? member.childForFieldName('attribute'))?.text ?? '';
    const expression = program.expression(next);
    if (LEAVES.test(name) || expression.kind !== 'call') break;
    chain.push({ call: expression, chained: name });
    node = unwrapped(next);
  }
  return chain;
}

const RANKS = /^(?:sort|toSorted|orderBy|sortBy)$/u;
const ENDS_RANKING = /^(?:then|catch|join|forEach|reduce)$/u;

/** The calls that order what is scored one by one, and keep the beginning. */
function rankingOf(program: Program, { match, call }: Composed): readonly ChainedCall[] {
  const around = rankingAround(call.node);
  if (around.length > 0) return around;
  const order = match.rule.call.byHand ? call.node : orderAfter(program, call.node);
  if (!order) return [];
  // In Python the slice is no call: what the function returns is taken instead.
  const isJavaScript = program.dialect.language === 'javascript';
  const first = (isJavaScript ? keptOf(program, order)?.whole : undefined) ?? order;
  const start = CALLS.test(first.type) && !contains(first, order) ? first : order;
  return [{ name: nameOf(start), node: start }, ...methodsAfter(start)];
}

/** The call in a ranking by which compiled code is searched for it. */
function calledFirst(program: Program, call: Call, [first]: readonly ChainedCall[]): Call {
  if (!first || contains(first.node, call.node)) return call;
  const expression = program.expression(first.node);
  return expression.kind === 'call' ? expression : call;
}

function contains(outer: Node, { startIndex, endIndex }: Node): boolean {
  return outer.startIndex <= startIndex && endIndex <= outer.endIndex;
}

/** If scores are computed one by one, the passages result from an enclosing `documents.map(…).sort(…).slice(0, 5)`. */
function rankingAround(scored: Node): readonly ChainedCall[] {
  for (const functionNode of ancestors(scored).filter(({ type }) => FUNCTIONS.has(type))) {
    const callNode = functionNode.parent?.type === 'arguments' ? functionNode.parent.parent : undefined;
    if (!callNode || !CALLS.test(callNode.type)) return [];
    const chained = methodsAfter(callNode);
    if (chained.some(({ name }) => RANKS.test(name))) return chained;
  }
  return [];
}

/** `.slice(0, n)` of a ranking sets how many passages remain. */
function sliceEnd(program: Program, ranking: readonly ChainedCall[]): PlacedArgument | undefined {
  const slice = ranking.find(({ name }) => name === 'slice')?.node;
  const [from, end, more] = slice?.childForFieldName('arguments')?.namedChildren ?? [];
  if (from?.text !== '0' || !end || more) return undefined;
  return { path: [1], chained: 'slice', at: program.place(end) };
}

interface ChainedCall {
  readonly name: string;
  readonly node: Node;
}

/** All chained method calls after a call, in order. */
function methodsAfter(call: Node): ChainedCall[] {
  const member = unwrapped(call).parent;
  const next = member && MEMBERS.test(member.type) ? member.parent : undefined;
  if (!member || !next || next.childForFieldName('function')?.id !== member.id) return [];
  const name = member.childForFieldName('property')?.text ?? '';
  return ENDS_RANKING.test(name) ? [] : [{ name, node: next }, ...methodsAfter(next)];
}

function unwrapped(node: Node): Node {
  let outer = node;
  while (outer.parent && WRAPPERS.test(outer.parent.type)) outer = outer.parent;
  return outer;
}

function calledName({ callee }: Call): Node | undefined {
  if (callee.kind === 'member') return callee.token;
  return callee.kind === 'name' ? callee.node : undefined;
}

function placedQuestion(program: Program, { path, chained, node }: ArgumentPlace): PlacedArgument {
  return {
    path,
    ...(chained === undefined ? {} : { chained }),
    at: program.place(node),
    ...(isShorthand(node) ? { isShorthand: true } : {}),
  };
}

function isShorthand(node: Node): boolean {
  return node.type === 'shorthand_property_identifier';
}

function kArgument(program: Program, composed: Composed, whole: Node): PlacedArgument | undefined {
  const { match, call } = composed;
  const paths = match.rule.call.k.from;
  const callContext = { ...callContextOf(program, match), call };
  const inside = ({ startIndex, endIndex }: Node): boolean =>
    whole.startIndex <= startIndex && endIndex <= whole.endIndex;
  for (const path of paths) {
    const reached = reach(callContext, path);
    const [only, second] = reached.state === 'found' ? reached.located : [];
    const steps = stepsOf(program, path, match.rule.call.options);
    if (!only || second || !steps) continue;
    const { node } = only.expression;
    const held = only.container;
    const isHere = inside(node) || (held !== undefined && inside(held.node));
    if (!isHere) return steps;
    const at = inside(node) ? node : heldValue(held);
    return at
      ? { ...steps, at: program.place(at), ...(isShorthand(at) ? { isShorthand: true } : {}) }
      : steps;
  }
  const usual = paths
    .filter((path) => !/^[<>]/u.test(path))
    .map((path) => stepsOf(program, path, match.rule.call.options))
    .find((steps) => steps?.path.length === 1 || program.dialect.language === 'javascript');
  return usual && { ...usual, missing: missingPlace(program, call, usual.path) };
}

function heldValue(
  container: Argument | { readonly kind: string; readonly node: Node } | undefined,
): Node | undefined {
  return container && 'value' in container ? (container.value as Expression).node : undefined;
}

/** The path of a rule in the protocol's format. `undefined` for one that leads out of the call. */
function stepsOf(program: Program, path: string, options: number): PlacedArgument | undefined {
  const [first = '', ...rest] = path.split('.');
  const steps = rest.map(stepOf);
  if (steps.includes(undefined)) return undefined;
  const further = steps as (string | number)[];
  if (/^[<>]/u.test(first))
    return further.length === 0 ? undefined : { path: further, chained: first.slice(1) };
  if (first.startsWith('#')) return { path: [Number(first.slice(1)), ...further] };
  const names = [first, ...further];
  return { path: program.dialect.language === 'python' ? names : [options, ...names] };
}

function stepOf(segment: string): string | number | undefined {
  if (segment.startsWith('#')) return Number(segment.slice(1));
  return /^[\p{ID_Start}_$]/u.test(segment) ? segment : undefined;
}

/** The place to add k: after the last argument, or as an entry of the options. */
function missingPlace(
  program: Program,
  call: Call,
  path: readonly (string | number)[],
): PlacedArgument['missing'] {
  const [first, second, third] = path;
  if (program.dialect.language === 'python' || typeof first !== 'number' || third !== undefined)
    return undefined;
  const { arguments: args } = call;
  if (args.some(({ kind }) => kind === 'spread')) return undefined;
  const point = (offset: number): Place => program.source.place(offset, offset);
  const last = args.at(-1)?.node;
  if (args.length === first && last)
    return { at: point(last.endIndex), as: second === undefined ? 'positional' : 'options' };
  const options = second === undefined ? undefined : args[first]?.value;
  if (options?.kind !== 'record') return undefined;
  return { at: point(options.node.startIndex + 1), as: 'entry' };
}

function isAwaited(whole: Node): boolean {
  return /^await(?:_expression)?$/u.test(unwrapped(whole).parent?.type ?? '');
}

const FUNCTIONS = new Set([
  'function_declaration',
  'function_expression',
  'generator_function',
  'generator_function_declaration',
  'arrow_function',
  'method_definition',
  'function_definition',
  'lambda',
]);

/** Whether it contains `await` or `yield`, outside of nested functions. */
function suspends(node: Node): boolean {
  if (/^(?:await|await_expression|yield|yield_expression)$/u.test(node.type)) return true;
  if (FUNCTIONS.has(node.type)) return false;
  return node.namedChildren.some((child) => suspends(child));
}

function enclosingFunctions(program: Program, node: Node): PlacedFunction[] {
  return ancestors(node)
    .filter(({ type }) => FUNCTIONS.has(type))
    .flatMap((functionNode) => {
      const body = functionNode.childForFieldName('body');
      if (body?.type !== 'statement_block') return [];
      const names = program.dialect.parameterNames(functionNode);
      const isPlain = names.every(({ type }) => type === 'identifier');
      const callee = isPlain ? calleeOf(functionNode) : undefined;
      return [
        {
          name: callee?.name,
          body: program.source.place(body.startIndex + 1, body.startIndex + 1),
          start: program.source.place(functionNode.startIndex, functionNode.startIndex),
          parameters: names.map(({ text, type }) => (type === 'identifier' ? text : '')),
          callee: callee?.written,
        },
      ];
    });
}

/** The expression that calls a function from within itself. */
function calleeOf(functionNode: Node): { readonly name: string; readonly written: string } | undefined {
  const name = functionNode.childForFieldName('name')?.text;
  if (functionNode.type === 'method_definition') {
    if (name === undefined || name === 'constructor' || name.startsWith('[')) return undefined;
    if (functionNode.parent?.type !== 'class_body') return undefined;
    return { name, written: `this.${name}` };
  }
  if (name !== undefined) return { name, written: name };
  const owner = functionNode.parent;
  const held = owner?.type === 'variable_declarator' ? owner.childForFieldName('name') : undefined;
  return held?.type === 'identifier' ? { name: held.text, written: held.text } : undefined;
}
