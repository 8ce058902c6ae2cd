/** Calls chained after a call, `search(q).where(…).limit(5)`, also through a variable. */
import type { Node } from '../syntax/node.ts';
import type { Call } from '../syntax/expression.ts';
import type { Program } from './program.ts';

const WRAPPERS = /^(?:parenthesized_expression|await|await_expression|non_null_expression)$/u;
const MEMBERS = /^(?:attribute|member_expression)$/u;
const CALLS = /^(?:call|call_expression)$/u;

export interface Chained {
  readonly call: Call;
  /** False if it may be skipped: in a branch, a loop or another function than the call before. */
  readonly certain: boolean;
}

/** The calls chained after this one, in order. */
export function chainedCalls(program: Program, call: Call): readonly Chained[] {
  const direct = chainFrom(program, call.node);
  const last = unwrapped(direct.at(-1)?.node ?? call.node);
  const block = program.dialect.statement(call.node).parent?.id;
  return [
    ...direct.map((each) => ({ call: each, certain: true })),
    ...throughVariable(program, last).map((each) => ({
      call: each,
      certain: program.dialect.statement(each.node).parent?.id === block,
    })),
  ];
}

function chainFrom(program: Program, start: Node): Call[] {
  const calls: Call[] = [];
  let node = start;
  for (;;) {
    const next = nextCall(unwrapped(node));
    if (!next) return calls;
    const expression = program.expression(next);
    if (expression.kind === 'call') calls.push(expression);
    node = next;
  }
}

/** The call of a method on this expression itself. */
function nextCall(node: Node): Node | undefined {
  const member = node.parent;
  if (!member || !MEMBERS.test(member.type) || member.childForFieldName('object')?.id !== node.id)
    return undefined;
  const call = member.parent;
  if (!call || !CALLS.test(call.type) || call.childForFieldName('function')?.id !== member.id)
    return undefined;
  return call;
}

function unwrapped(node: Node): Node {
  let outer = node;
  while (outer.parent && WRAPPERS.test(outer.parent.type)) outer = outer.parent;
  return outer;
}

function throughVariable(program: Program, node: Node): Call[] {
  const name = variableHolding(node);
  if (!name) return [];
  return program
    .sameVariable(name.text, name)
    .filter(({ id }) => id !== name.id)
    .flatMap((token) => chainFrom(program, token));
}

/** The name token in `name = <node>`. */
export function variableHolding(node: Node): Node | undefined {
  const outer = unwrapped(node);
  const target = outer.parent;
  if (target?.type === 'assignment' && target.childForFieldName('right')?.id === outer.id) {
    const left = target.childForFieldName('left');
    return left?.type === 'identifier' ? left : undefined;
  }
  if (target?.type === 'variable_declarator' && target.childForFieldName('value')?.id === outer.id) {
    const left = target.childForFieldName('name');
    return left?.type === 'identifier' ? left : undefined;
  }
  return undefined;
}

/** The attribute token in `self.name = <node>`. */
export function attributeHolding(node: Node): Node | undefined {
  const outer = unwrapped(node);
  const target = outer.parent;
  if (!target || !/^assignment(?:_expression)?$/u.test(target.type)) return undefined;
  if (target.childForFieldName('right')?.id !== outer.id) return undefined;
  const left = target.childForFieldName('left');
  return left?.childForFieldName('attribute') ?? left?.childForFieldName('property') ?? undefined;
}

/** The last name of the callee. */
export function calleeName({ callee }: Call): string {
  if (callee.kind === 'member') return callee.property;
  return callee.kind === 'name' ? callee.name : '';
}
