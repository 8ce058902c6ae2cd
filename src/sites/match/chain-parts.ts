/** Finds retrievers in a chain: `RunnableParallel({"context": retriever}) | prompt | llm`. */
import type { Node } from '../syntax/node.ts';
import { calleeName } from '../resolve/chain.ts';
import { originOf, ownBindings } from '../resolve/origin.ts';
import { MAX_DEPTH, type Program } from '../resolve/program.ts';
import { patternOf } from '../rules/pattern.ts';
import type { Binding, Call, Expression } from '../syntax/expression.ts';

/** Parts of chains that contain others. */
export const HOLDS = /^(?:RunnableParallel|RunnableMap|assign)$/u;
/** Calls that make a chain of their receiver, their arguments, or both. */
const CHAINS = /^(?:RunnableParallel|RunnableMap|RunnableSequence|assign|from|pipe|with_config|withConfig)$/u;

/** Functions that make a chain of their arguments: `create_retrieval_chain`, `RetrievalQA.from_chain_type`. */
export const MAKES_CHAIN =
  /(?:[cC]hain|QA|^from_chain_type|^from_llm|^fromLLM|retriever_tool|RetrieverTool)$/u;
/** `CondensePlusContextChatEngine.from_defaults(retriever)` */
export const MAKES_ENGINE = /(?:Chat|Query)Engine(?:\.from_\w+)?$/u;
/** An argument of this name is a retriever. */
const RETRIEVER_KEY = /^(?:base_?)?retriever$/iu;
const RETRIEVER_CALL = /^as_?retriever$/iu;

/** The retriever among the arguments of a call that makes a chain. */
export function retrieverAmong(call: Call, written: string): Expression | undefined {
  const entries = call.arguments.flatMap((argument): readonly (readonly [string, Expression])[] => {
    if (argument.kind === 'named') return [[argument.name, argument.value]];
    const { value } = argument;
    if (argument.kind !== 'positional' || value.kind !== 'record') return [['', value]];
    return value.entries.map((each) => [each.kind === 'pair' ? each.key : '', each.value] as const);
  });
  for (const [key, value] of entries) {
    const isRetriever =
      (value.kind === 'call' && RETRIEVER_CALL.test(calleeName(value))) ||
      (RETRIEVER_KEY.test(key) && value.kind !== 'literal' && value.kind !== 'opaque');
    if (isRetriever || isWritten(value, written)) return value;
  }
  return undefined;
}

/**
 * The first part of the chain that is written like a retriever. `undefined` if there is none.
 *
 * @param written regular expression for the text of a retriever
 */
export function retrieverIn(program: Program, chain: Expression, written: string): Expression | undefined {
  const nodeIds = new Set<number>();
  const among = (parts: readonly Expression[], depth: number): Expression | undefined => {
    for (const part of parts) {
      const match = within(part, depth);
      if (match) return match;
    }
    return undefined;
  };
  const within = (part: Expression, depth: number): Expression | undefined => {
    if (depth > MAX_DEPTH || nodeIds.has(part.node.id)) return undefined;
    nodeIds.add(part.node.id);
    if (isWritten(part, written)) return part;
    return among(partsOf(program, part, written), depth + 1);
  };
  return within(chain, 0);
}

function isWritten(part: Expression, written: string): boolean {
  return (part.kind === 'name' || part.kind === 'member') && patternOf(written).test(part.node.text);
}

/** The parts of the expression, or of its possible values. */
function partsOf(program: Program, chain: Expression, written: string): readonly Expression[] {
  switch (chain.kind) {
    case 'name':
    case 'member':
      return valuesOf(program, chain);
    case 'binary':
      return chain.operator === '|' ? [chain.left, chain.right] : [];
    case 'record':
      return chain.entries.map(({ value }) => value);
    case 'list':
      return chain.items();
    case 'call': {
      const { callee } = chain;
      if (!CHAINS.test(calleeName(chain))) return [];
      const args = chain.arguments.map(({ value }) => value);
      if (callee.kind !== 'member') return args;
      // `retriever.pipe(…)` is a use in itself.
      return isWritten(callee.object, written) ? [] : [callee.object, ...args];
    }
    case 'literal':
    case 'subscript':
    case 'choice':
    case 'template':
    case 'opaque':
      return [];
  }
}

/**
 * All possible values of a name or attribute in the text. Of several consecutive assignments to a name only the last
 * counts.
 */
function valuesOf(
  program: Program,
  expression: Extract<Expression, { kind: 'name' | 'member' }>,
): readonly Expression[] {
  const bindings =
    expression.kind === 'name'
      ? bindingsAt(program, expression.name, expression.node)
      : ownedBindings(program, expression);
  return bindings.flatMap((binding) =>
    binding.kind === 'value' && binding.access.length === 0 ? [binding.value] : [],
  );
}

function bindingsAt(program: Program, name: string, at: Node): readonly Binding[] {
  const last = program.bindingJustBefore(name, at);
  return last ? [last] : program.bindings(name, at);
}

function ownedBindings(
  program: Program,
  { object, property }: Extract<Expression, { kind: 'member' }>,
): readonly Binding[] {
  const owner = originOf(program, object);
  if (owner?.kind !== 'instance' && owner?.kind !== 'class') return [];
  return ownBindings(program, owner.node, property, 0).map(({ binding }) => binding);
}
