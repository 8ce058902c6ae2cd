/** What a retriever is handed to: chains, tools, agents, other retrievers, `retriever | format_docs`. */
import type { Node } from '@vscode/tree-sitter-wasm';
import type { Program } from '../resolve/program.ts';
import type { Call } from '../syntax/expression.ts';
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

/**
 * The names at which the retriever that the call makes is handed on: of the call that takes it, or its own in a pipe.
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
  return [made, ...references(program, made)].flatMap((node): readonly Node[] => {
    const taker = takerOf(program, node);
    if (taker?.kind === 'pipe') return [lastToken(node)];
    const token = taker && calleeToken(taker);
    if (!taker || !token || LOOKS.test(token.text) || isMatch(taker)) return [];
    if (!WRAPS.test(token.text) || wraps >= MAX_WRAPS) return [token];
    const runs = references(program, taker.node).flatMap((reference) => {
      const run = methodCalled(program, reference);
      return run && methods.includes(run.token.text) ? [run.token] : [];
    });
    return [token, ...runs, ...handedTo(program, taker.node, methods, isMatch, wraps + 1)];
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
    if (parent.type === 'binary_operator')
      return parent.childForFieldName('operator')?.text === '|' ? { kind: 'pipe' } : undefined;
    if (!BETWEEN.test(parent.type)) return undefined;
  }
  return undefined;
}

function calleeToken({ callee }: Call): Node | undefined {
  const token = callee.kind === 'member' ? callee.token : callee.node;
  return /identifier$/u.test(token.type) ? token : undefined;
}
