/** The call whose callee ends with a name. */
import type { Node } from '../syntax/node.ts';
import { calleeName } from '../resolve/chain.ts';
import { dotted, originOf } from '../resolve/origin.ts';
import type { Program } from '../resolve/program.ts';
import { isField } from '../syntax/dialect.ts';
import type { Argument, Call } from '../syntax/expression.ts';

const CALLS = /^(?:call|call_expression|new_expression)$/u;
const ARGUMENTS = /^(?:argument_list|arguments)$/u;

/** The call whose callee ends with this token. */
export function calledAt(program: Program, token: Node): Call | undefined {
  const parent = token.parent;
  if (!parent) return undefined;
  const isProperty = ['attribute', 'property'].some(
    (name) => parent.childForFieldName(name)?.id === token.id,
  );
  const callee = isProperty ? parent : token;
  const node = callee.parent;
  if (!node) return undefined;
  if (!CALLS.test(node.type)) return calledBy(program, callee);
  const called = node.childForFieldName('function') ?? node.childForFieldName('constructor');
  if (called?.id !== callee.id) return undefined;
  const expression = program.expression(node);
  return expression.kind === 'call' ? expression : undefined;
}

/** The call of a method of the class that the token names. */
export function factoryAt(program: Program, token: Node): Call | undefined {
  const member = token.parent;
  if (member?.childForFieldName('object')?.id !== token.id) return undefined;
  const method = member.childForFieldName('attribute') ?? member.childForFieldName('property');
  return method ? calledAt(program, method) : undefined;
}

/** Whether the function is passed to another call, as in `asyncio.to_thread(search, …)`. */
export function isHandedOn({ callee }: Call): boolean {
  return ARGUMENTS.test(callee.node.parent?.type ?? '');
}

/** A function that calls its argument with the arguments after it. */
interface Caller {
  readonly origin: RegExp;
  /** Position of the function among the arguments. */
  readonly position: number;
}

const CALLERS: readonly Caller[] = [
  { origin: /^asyncio(?:\.threads)?\.to_thread$/u, position: 0 },
  { origin: /^(?:starlette|fastapi)\.concurrency\.run_in_threadpool$/u, position: 0 },
  {
    origin: /^concurrent\.futures(?:\.\w+)?\.(?:Thread|Process)PoolExecutor\(\)\.submit$/u,
    position: 0,
  },
  { origin: /^concurrent\.futures(?:\._base)?\.Executor\(\)\.submit$/u, position: 0 },
  { origin: /^anyio\.to_thread\.run_sync$/u, position: 0 },
  { origin: /^asyncio(?:\.\w+)?\.\w+\(\)\.run_in_executor$/u, position: 1 },
];
const PARTIAL = /^functools\.partial$/u;
/** Its result is called like its argument. */
const ADAPTS = /^asgiref\.sync\.sync_to_async$/u;
/** Their last names, because most calls with a name as an argument are of other functions. */
const CALLING: ReadonlySet<string> = new Set([
  'to_thread',
  'run_in_threadpool',
  'submit',
  'run_sync',
  'run_in_executor',
  'partial',
  'sync_to_async',
]);

/** Whether the text may pass functions to others that call them. */
export function mayHandOn(program: Program): boolean {
  if (program.dialect.language !== 'python') return false;
  return program.onceInText('hands functions on', () =>
    [...CALLING].some((name) => program.positionsOf(name).length > 0),
  );
}

/** `asyncio.to_thread(store.similarity_search, query, k=5)` as a call of `store.similarity_search`. */
function calledBy(program: Program, callee: Node): Call | undefined {
  const handing = handedIn(program, callee);
  if (!handing) return undefined;
  const { call, name, at } = handing;
  const callWith = (by: Call, args: readonly Argument[]): Call => ({
    ...by,
    callee: program.expression(callee),
    arguments: args,
  });
  if (ADAPTS.test(name) && at === 0) {
    const outer = call.node.parent;
    const by = outer && isField(outer, 'function', call.node) ? program.expression(outer) : undefined;
    return by?.kind === 'call' ? callWith(by, by.arguments) : undefined;
  }
  if (!PARTIAL.test(name) || at !== 0) {
    const args = handedArguments(handing);
    return args && callWith(call, args);
  }
  const outer = handedIn(program, call.node);
  const rest = outer && handedArguments(outer);
  return rest && callWith(outer.call, [...call.arguments.slice(1), ...rest]);
}

interface Handing {
  readonly call: Call;
  /** The dotted name of the callee. */
  readonly name: string;
  readonly at: number;
}

/** The call that a function is passed to as a positional argument. */
function handedIn(program: Program, argument: Node): Handing | undefined {
  const list = argument.parent;
  if (program.dialect.language !== 'python' || !ARGUMENTS.test(list?.type ?? '')) return undefined;
  const call = list?.parent && program.expression(list.parent);
  if (call?.kind !== 'call' || !CALLING.has(calleeName(call))) return undefined;
  const at = call.arguments.findIndex(({ value }) => value.node.id === argument.id);
  if (at < 0 || call.arguments.slice(0, at + 1).some(({ kind }) => kind !== 'positional')) return undefined;
  const origin = originOf(program, call.callee);
  return origin?.kind === 'imported' ? { call, name: dotted(origin), at } : undefined;
}

/** The arguments with which the function is called. */
function handedArguments({ call, name, at }: Handing): readonly Argument[] | undefined {
  const caller = CALLERS.find(({ origin, position }) => position === at && origin.test(name));
  return caller && call.arguments.slice(at + 1);
}
