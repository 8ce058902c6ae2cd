/** Finds where a retriever is passed on: to chains, tools, agents, other retrievers, `retriever | format_docs`. */
import type { Node } from '../syntax/node.ts';
import { dotted, originOf, ownBindings } from '../resolve/origin.ts';
import type { Program } from '../resolve/program.ts';
import { ownsModule, type Rule } from '../rules/library.ts';
import { patternOf } from '../rules/pattern.ts';
import type { Binding, Call, Expression } from '../syntax/expression.ts';
import { HOLDS, MAKES_CHAIN, MAKES_ENGINE } from './chain-parts.ts';
import { callsGiving, runsOf } from './chain-runs.ts';
import { isRebound, lastToken, methodCalled, references } from './retriever-variables.ts';
import type { Match } from './match.ts';

const ARGUMENTS = /^(?:argument_list|arguments)$/u;
/** Nodes between a retriever and the arguments that contain it: a name, an entry, a list. */
const BETWEEN =
  /^(?:keyword_argument|pair|object|dictionary|list|array|parenthesized_expression|await|await_expression)$/u;
/** Calls that only inspect their arguments. */
const LOOKS =
  /^(?:print|len|str|repr|type|isinstance|issubclass|id|hasattr|getattr|setattr|cast|log|debug|info|warn|warning|error)$/u;
/** Functions that wrap a retriever in another one: `create_history_aware_retriever`. */
const WRAPS = /retriever$/iu;
const MAX_WRAPS = 2;
/** The ending of retriever names; only there the beginning is searched. */
const NAMED_RETRIEVER = /[rR]etriever(?![\p{ID_Continue}$])/u;
const BEGINNING_OF_NAME = /[\p{ID_Continue}$]*$/u;
const MAX_NAME = 80;

/**
 * The names where the retriever made by the call is passed on: the callee that gets it, or its own name in a pipe; and
 * the calls that run the resulting chain.
 *
 * @param methods that run a retriever
 * @param isMatch whether a rule applies to a call, so that it is a retrieval itself
 */
export function consumersOf(
  program: Program,
  creation: Node,
  methods: readonly string[],
  isMatch: (call: Call) => boolean,
  wraps = 0,
): readonly Node[] {
  const givingCalls = callsGiving(program, creation);
  const spoken = [creation, ...givingCalls].flatMap((each) => references(program, each));
  // If the name of the retriever has two values, either may be in the chain.
  const isLost = [creation, ...givingCalls].some((each) => isRebound(each, spoken));
  const runs = (chain: Node, isCallable: boolean): readonly Node[] =>
    isLost ? [] : runsOf(program, chain, isCallable).map(({ token }) => token);
  return [creation, ...givingCalls, ...spoken].flatMap((node): readonly Node[] => {
    const consumer = consumerOf(program, node);
    if (consumer?.kind === 'pipe') return [lastToken(node), ...runs(chainAround(program, node), false)];
    const token = consumer && calleeToken(consumer);
    if (!consumer || !token || LOOKS.test(token.text) || isMatch(consumer)) return [];
    const isChain = MAKES_CHAIN.test(token.text);
    if (isChain || HOLDS.test(token.text) || MAKES_ENGINE.test(consumer.callee.node.text))
      return [token, ...runs(chainAround(program, consumer.node), isChain)];
    if (!WRAPS.test(token.text) || wraps >= MAX_WRAPS) return [token];
    const directRuns = references(program, consumer.node).flatMap((reference) => {
      const run = methodCalled(program, reference);
      return run && methods.includes(run.token.text) ? [run.token] : [];
    });
    return [token, ...directRuns, ...consumersOf(program, consumer.node, methods, isMatch, wraps + 1)];
  });
}

/** The call whose arguments contain the retriever, or the pipe that contains it. */
function consumerOf(program: Program, argument: Node): Call | { readonly kind: 'pipe' } | undefined {
  let node = argument;
  for (let parent = node.parent; parent; node = parent, parent = node.parent) {
    if (ARGUMENTS.test(parent.type)) {
      const call = parent.parent && program.expression(parent.parent);
      return call?.kind === 'call' ? call : undefined;
    }
    if (parent.type === 'binary_operator') return isPipe(parent) ? { kind: 'pipe' } : undefined;
    if (!BETWEEN.test(parent.type)) return undefined;
  }
  return undefined;
}

/** The whole pipe, including the dictionaries and parallel parts around its part. */
function chainAround(program: Program, part: Node): Node {
  let chain = part;
  let node = part;
  for (let parent = node.parent; parent; node = parent, parent = node.parent) {
    if (isPipe(parent)) chain = parent;
    else if (ARGUMENTS.test(parent.type)) {
      const call = parent.parent && program.expression(parent.parent);
      const name = call?.kind === 'call' ? calleeToken(call) : undefined;
      if (!name || !HOLDS.test(name.text)) break;
    } else if (!BETWEEN.test(parent.type) && !/^call(?:_expression)?$/u.test(parent.type)) break;
  }
  return chain;
}

function isPipe(node: Node): boolean {
  return node.type === 'binary_operator' && node.childForFieldName('operator')?.text === '|';
}

function calleeToken({ callee }: Call): Node | undefined {
  const token = callee.kind === 'member' ? callee.token : callee.node;
  return /identifier$/u.test(token.type) ? token : undefined;
}

/**
 * Where a function puts a retriever, passed to it or from another file, into a chain or an engine:
 * `retriever | format_docs`. The retriever is made elsewhere, so the text shows nothing else of the retrieval.
 *
 * @param known matched calls; a chain that the text runs is shown at its run
 */
export function givenRetrievers(program: Program, rule: Rule, known: readonly Match[]): readonly Match[] {
  const { role, receiverText } = rule.call;
  if (role !== 'use' || receiverText === undefined) return [];
  const called = new Set(known.map(({ call }) => call.node.id));
  const run = new Set(known.map(({ part }) => part?.node.id));
  return namesOfRetrievers(program).flatMap((name) =>
    program.tokens(name).flatMap((token): readonly Match[] => {
      const isLast = ['attribute', 'property'].some(
        (field) => token.parent?.childForFieldName(field)?.id === token.id,
      );
      const node = isLast && token.parent ? token.parent : token;
      const isKey = ['name', 'key'].some((field) => node.parent?.childForFieldName(field)?.id === node.id);
      if (isKey || run.has(node.id) || !patternOf(receiverText).test(node.text)) return [];
      if (!isInChain(program, node, rule, (each) => called.has(each.node.id))) return [];
      const expression = program.expression(node);
      if (!isGiven(program, expression)) return [];
      const call: Call = { kind: 'call', callee: expression, arguments: [], node };
      return [{ rule, call, token, ambiguous: false, isGiven: true }];
    }),
  );
}

function namesOfRetrievers(program: Program): readonly string[] {
  return program.onceInText('names of retrievers', () => {
    const names = program
      .matchesOf(NAMED_RETRIEVER)
      .map(
        ({ 0: end, index, input }) =>
          (BEGINNING_OF_NAME.exec(input.slice(Math.max(0, index - MAX_NAME), index))?.[0] ?? '') + end,
      );
    return [...new Set(names)];
  });
}

function isInChain(
  program: Program,
  node: Node,
  { library, call: { chains } }: Rule,
  isMatch: (call: Call) => boolean,
): boolean {
  const consumer = consumerOf(program, node);
  if (consumer?.kind !== 'call') return chains && consumer !== undefined;
  if (isMatch(consumer) || isOwnFunction(program, consumer)) return false;
  const name = calleeToken(consumer)?.text ?? '';
  if (chains && (MAKES_CHAIN.test(name) || HOLDS.test(name) || WRAPS.test(name))) return true;
  if (!MAKES_ENGINE.test(consumer.callee.node.text)) return false;
  const origin = originOf(program, consumer.callee);
  return origin?.kind === 'imported' && ownsModule(library, dotted(origin));
}

/** The program's own function shows itself how it uses the retriever. */
function isOwnFunction(program: Program, { callee }: Call): boolean {
  const origin = originOf(program, callee);
  return origin?.kind === 'imported' ? program.isOfWorkspace(origin.module) : origin !== undefined;
}

/** Whether the value comes from outside of a function or an object, possibly from another file. */
function isGiven(program: Program, expression: Expression): boolean {
  const isParameter = (bindings: readonly Binding[]): boolean =>
    bindings.length > 0 &&
    bindings.every((each) => each.kind === 'parameter' || isFromElsewhere(program, each));
  if (expression.kind === 'name') return isParameter(program.bindings(expression.name, expression.node));
  if (expression.kind !== 'member') return false;
  const owner = originOf(program, expression.object);
  if (owner?.kind !== 'instance') return false;
  const values = ownBindings(program, owner.node, expression.property, 0)
    .map(({ binding }) => binding)
    .filter(({ kind }) => kind !== 'declared');
  return (
    values.length > 0 &&
    values.every(
      (each) =>
        isFromElsewhere(program, each) ||
        (each.kind === 'value' &&
          each.value.kind === 'name' &&
          isParameter(program.bindings(each.value.name, each.value.node))),
    )
  );
}

/** A value of another file of the workspace, or the result of a function there. */
function isFromElsewhere(program: Program, binding: Binding): boolean {
  if (binding.kind === 'import') return program.isOfWorkspace(binding.module);
  const call = binding.kind === 'value' && binding.access.length === 0 ? binding.value : undefined;
  return call?.kind === 'call' && isOfElsewhere(program, call.callee);
}

/** Whether `make` is imported from another file, or the object in `store.make` is of a class from there. */
function isOfElsewhere(program: Program, callee: Expression): boolean {
  if (callee.kind === 'name') {
    const [only, second] = program.bindings(callee.name, callee.node);
    return only?.kind === 'import' && !second && program.isOfWorkspace(only.module);
  }
  const origin = callee.kind === 'member' ? originOf(program, callee.object) : undefined;
  return (
    origin?.kind === 'imported' &&
    (origin.isThroughWorkspace === true || program.isOfWorkspace(origin.module))
  );
}
