/** What a retriever is handed to: chains, tools, agents, other retrievers, `retriever | format_docs`. */
import type { Node } from '@vscode/tree-sitter-wasm';
import type { Program } from '../resolve/program.ts';
import type { Call } from '../syntax/expression.ts';
import { HOLDS } from './chain-parts.ts';
import { lastToken, methodCalled, references } from './holders.ts';

const ARGUMENTS = /^(?:argument_list|arguments)$/u;
/** May stand between a retriever and the arguments that it is among: a name, an entry, a list. */
const BETWEEN =
  /^(?:keyword_argument|pair|object|dictionary|list|array|parenthesized_expression|await|await_expression)$/u;
/** Calls that only look at what they are handed. */
const LOOKS =
  /^(?:print|len|str|repr|type|isinstance|issubclass|id|hasattr|getattr|setattr|cast|log|debug|info|warn|warning|error)$/u;
/** What makes another retriever of the one that it is handed: `create_history_aware_retriever`. */
const WRAPS = /retriever$/iu;
const MAX_WRAPS = 2;
/** What makes a chain of what it is handed: `create_retrieval_chain`, `RetrievalQA.from_chain_type`. */
const MAKES_CHAIN = /(?:[cC]hain|QA|^from_chain_type|^from_llm|^fromLLM|retriever_tool|RetrieverTool)$/u;
/** Runs a chain, and with it what is inside. */
const RUNS_CHAIN = /^(?:a?(?:invoke|stream|batch|run)|call)$/u;

/**
 * The names at which the retriever that the call makes is handed on: of the call that takes it, or its own in a pipe;
 * and the calls that run the chain made so.
 *
 * @param methods that run a retriever
 * @param isMatch whether a rule speaks of a call, so that it is a retrieval itself
 */
export function handedTo(
  program: Program,
  made: Node,
  methods: readonly string[],
  isMatch: (call: Call) => boolean,
  wraps = 0,
): readonly Node[] {
  const spoken = references(program, made);
  // Of two retrievers of one name, either may be in the chain.
  const runs = (chain: Node): readonly Node[] => (isRebound(spoken) ? [] : runsOf(program, chain));
  return [made, ...spoken].flatMap((node): readonly Node[] => {
    const taker = takerOf(program, node);
    if (taker?.kind === 'pipe') return [lastToken(node), ...runs(chainAround(program, node))];
    const token = taker && calleeToken(taker);
    if (!taker || !token || LOOKS.test(token.text) || isMatch(taker)) return [];
    if (MAKES_CHAIN.test(token.text) || HOLDS.test(token.text))
      return [token, ...runs(chainAround(program, taker.node))];
    if (!WRAPS.test(token.text) || wraps >= MAX_WRAPS) return [token];
    const own = references(program, taker.node).flatMap((reference) => {
      const run = methodCalled(program, reference);
      return run && methods.includes(run.token.text) ? [run.token] : [];
    });
    return [token, ...own, ...handedTo(program, taker.node, methods, isMatch, wraps + 1)];
  });
}

/** The call whose arguments hold the retriever, or the pipe that it begins or is part of. */
function takerOf(program: Program, handed: Node): Call | { readonly kind: 'pipe' } | undefined {
  let node = handed;
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

/** The whole pipe, with the dictionaries and parallel parts that its part stands in. */
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

/** Whether the name is given to something else, too. */
function isRebound(spoken: readonly Node[]): boolean {
  return spoken.some(
    ({ id, parent }) =>
      /assignment/u.test(parent?.type ?? '') && parent?.childForFieldName('left')?.id === id,
  );
}

/** Calls that run the chain; none where its name is given to something else, too. */
function runsOf(program: Program, chain: Node): readonly Node[] {
  const spoken = references(program, chain);
  if (isRebound(spoken)) return [];
  return [chain, ...spoken].flatMap((each) => {
    const run = methodCalled(program, each);
    return run && RUNS_CHAIN.test(run.token.text) ? [run.token] : [];
  });
}

function calleeToken({ callee }: Call): Node | undefined {
  const token = callee.kind === 'member' ? callee.token : callee.node;
  return /identifier$/u.test(token.type) ? token : undefined;
}
