/** Functions of a text that retrieve, such as a developer's own `search_docs`, and their calls. */
import type { Node } from '../syntax/node.ts';
import { originOf } from '../resolve/origin.ts';
import type { Program } from '../resolve/program.ts';
import { enclosing, isField } from '../syntax/dialect.ts';
import type { Call } from '../syntax/expression.ts';
import type { FoundThere, ImportedName } from '../workspace/exported.ts';
import { calledAt } from './call-of-token.ts';
import { aliases } from './candidates.ts';
import { RUNS } from './chain-runs.ts';
import type { Composed } from './compose.ts';
import { possibleClasses } from './possible-classes.ts';

/** A retrieval in this text or in another file of the workspace. */
export type Wrapped = { readonly here: Composed } | { readonly there: FoundThere };

/** A call of a function that retrieves. */
export interface WrapperCall {
  readonly call: Call;
  readonly token: Node;
  readonly wrapped: readonly Wrapped[];
}

const FUNCTIONS =
  /^(?:function_definition|function_declaration|generator_function_declaration|method_definition|arrow_function|function_expression|lambda)$/u;
const ARGUMENTS = /^(?:argument_list|arguments)$/u;
const CALLS = ['call', 'call_expression'];
/** A function without a result is run for its effects: `main()`. */
const GIVES = /=>[ \t]*(?!\{)\S|^lambda\b|\b(?:return|yield)\b[ \t]*[^\s;}]/u;
/** The most functions in a row that return each other's results and are linked. */
const MAX_HOPS = 3;
/** The most retrievals that a function is linked to. */
const MAX_WRAPPED = 3;
/** The most calls that are analysed among those whose results a function returns. */
const MAX_GIVEN = 4;

export class Wrappers {
  /** The calls in this text, in its order, except those at whose name a retrieval is shown. */
  readonly calls: readonly WrapperCall[];
  private readonly program: Program;
  /** By the node of the function. */
  private readonly held = new Map<
    number,
    { readonly functionNode: Node; readonly wrapped: readonly Wrapped[] }
  >();

  constructor(program: Program, composed: readonly Composed[]) {
    this.program = program;
    for (const here of composed) {
      const wrapped = [{ here }];
      for (const token of runsOf(here)) this.hold(token, wrapped);
    }
    const callsByToken = new Map<number, WrapperCall>();
    for (const call of this.callsElsewhere()) callsByToken.set(call.token.id, call);
    for (const { token, wrapped } of callsByToken.values()) this.handBack(token, wrapped);
    const nodeIds = new Set<number>();
    for (let hops = 0; hops < MAX_HOPS; hops++)
      for (const { functionNode, wrapped } of [...this.held.values()]) {
        if (nodeIds.has(functionNode.id)) continue;
        nodeIds.add(functionNode.id);
        for (const call of program.once(functionNode, 'calls', () => callsOf(program, functionNode))) {
          const before = callsByToken.get(call.token.id)?.wrapped ?? [];
          const all = [...new Set([...before, ...wrapped])].slice(0, MAX_WRAPPED);
          callsByToken.set(call.token.id, { ...call, wrapped: all });
          this.handBack(call.token, wrapped);
        }
      }
    this.calls = callsByToken.size === 0 ? [] : withoutRetrievals([...callsByToken.values()], composed);
  }

  /** Lines, from 1, at which a call of the function retrieves. */
  linesOf({ id }: Node): readonly number[] {
    const lines = (this.held.get(id)?.wrapped ?? []).flatMap((each) =>
      'here' in each ? [each.here.token.row + 1] : [],
    );
    return [...new Set(lines)];
  }

  /** Functions of other modules whose results the function returns. */
  throughOf(functionNode: Node, hops = 0): readonly ImportedName[] {
    if (hops >= MAX_HOPS) return [];
    const origins = givenCalls(this.program, functionNode).flatMap(
      ({ callee }) => originOf(this.program, callee) ?? [],
    );
    return origins
      .flatMap((origin): readonly ImportedName[] => {
        if (origin.kind === 'imported') return [{ module: origin.module, path: origin.path }];
        return origin.kind === 'function' && origin.node.id !== functionNode.id
          ? this.throughOf(origin.node, hops + 1)
          : [];
      })
      .slice(0, MAX_GIVEN);
  }

  private hold(node: Node, wrapped: readonly Wrapped[]): void {
    const functionNode = functionAround(node);
    if (!functionNode || !GIVES.test(functionNode.text)) return;
    const known = this.held.get(functionNode.id)?.wrapped;
    const all = known ? [...new Set([...known, ...wrapped])] : wrapped;
    this.held.set(functionNode.id, { functionNode, wrapped: all.slice(0, MAX_WRAPPED) });
  }

  /** A function that returns the result of a wrapper is a wrapper too. */
  private handBack(token: Node, wrapped: readonly Wrapped[]): void {
    const functionNode = functionAround(token);
    if (functionNode && !this.held.has(functionNode.id) && isGivenBack(this.program, token, functionNode))
      this.hold(token, wrapped);
  }

  private callsElsewhere(): readonly WrapperCall[] {
    const { program } = this;
    const { otherFiles } = program;
    if (!otherFiles) return [];
    return [...otherFiles.wrappers].flatMap((name) =>
      [name, ...aliases(program, name)]
        .flatMap((written) => program.tokens(written))
        .flatMap((token) => {
          const call = calledAt(program, token);
          const origin = call && originOf(program, call.callee);
          const named = origin?.kind === 'imported' ? otherFiles.foundBy(origin) : [];
          const retrievals = named.length > 0 ? named : this.foundByPossible(call, name);
          return call && retrievals.length > 0
            ? [{ call, token, wrapped: retrievals.slice(0, MAX_WRAPPED).map((there) => ({ there })) }]
            : [];
        }),
    );
  }

  /** The retrievals of a method of the classes that the receiver may be of. */
  private foundByPossible(call: Call | undefined, name: string): readonly FoundThere[] {
    const { program } = this;
    if (call?.callee.kind !== 'member') return [];
    const { otherFiles } = program;
    if (!otherFiles) return [];
    const { elsewhere, types } = possibleClasses(program, call.callee.object.node);
    return [
      ...elsewhere.flatMap(({ module, path }) => otherFiles.foundBy({ module, path: [...path, '()', name] })),
      ...[...types].flatMap((type) => otherFiles.foundByImplementers(type, name)),
    ];
  }
}

/** In the order of the text, without calls at whose name a retrieval is shown already. */
function withoutRetrievals(
  calls: readonly WrapperCall[],
  composed: readonly Composed[],
): readonly WrapperCall[] {
  const known = new Set(
    composed.flatMap(({ token, uses, consumers = [] }) =>
      [token, ...uses.map((use) => use.token), ...consumers].map(({ id }) => id),
    ),
  );
  return calls
    .filter(({ token }) => !known.has(token.id))
    .toSorted((a, b) => a.token.startIndex - b.token.startIndex);
}

function callsOf(program: Program, functionNode: Node): readonly Omit<WrapperCall, 'wrapped'>[] {
  const name = nameOf(functionNode);
  if (!name) return [];
  return program.tokens(name.text).flatMap((token) => {
    const call = token.id === name.id ? undefined : calledAt(program, token);
    const isWithin = functionNode.startIndex <= token.startIndex && token.endIndex <= functionNode.endIndex;
    if (!call || isWithin) return [];
    const origin = originOf(program, call.callee);
    if (origin?.kind === 'imported') return [];
    const isMade = origin?.kind === 'function' && origin.node.id === functionNode.id;
    return isMade || mayCall(program, call, functionNode) ? [{ call, token }] : [];
  });
}

/** Whether the receiver of the call may be of the class with this method. */
function mayCall(program: Program, { callee }: Call, functionNode: Node): boolean {
  const owner = callee.kind === 'member' ? program.dialect.enclosingClass(functionNode) : undefined;
  return (
    owner !== undefined &&
    callee.kind === 'member' &&
    !program.dialect.self.includes(callee.object.node.text) &&
    possibleClasses(program, callee.object.node).here.has(owner.id)
  );
}

/** Where a retrieval runs: at its own name, or where the retriever made there runs. */
function runsOf({ match: { rule }, token, uses, consumers = [] }: Composed): readonly Node[] {
  const { role } = rule.call;
  if (role !== 'search' && role !== 'use')
    return [...uses.map((use) => use.token), ...consumers.filter(({ text }) => RUNS.test(text))];
  return [token];
}

/** The function that runs the code at the node; arguments of a call run with the call. */
function functionAround(node: Node): Node | undefined {
  return enclosing(node, (up) => FUNCTIONS.test(up.type) && !ARGUMENTS.test(up.parent?.type ?? ''));
}

/** The name of a function, or of its variable or property. */
function nameOf(functionNode: Node): Node | undefined {
  const nameOwner = functionNode.childForFieldName('name') ? functionNode : functionNode.parent;
  const name = nameOwner?.childForFieldName('name') ?? nameOwner?.childForFieldName('property');
  return name && /identifier$/u.test(name.type) ? name : undefined;
}

/** Whether the result of the call at the token, or a name for it, is part of the function's result. */
function isGivenBack(program: Program, token: Node, functionNode: Node): boolean {
  for (let node = token, up = node.parent; up && up.id !== functionNode.id; node = up, up = up.parent) {
    if (up.type === 'return_statement') return true;
    if (!/^(?:assignment|variable_declarator)$/u.test(up.type)) continue;
    const name = up.childForFieldName('left') ?? up.childForFieldName('name');
    return (
      name?.type === 'identifier' &&
      program
        .sameVariable(name.text, name)
        .some((each) => enclosing(each, ({ type }) => type === 'return_statement') !== undefined)
    );
  }
  // `(q) => search(q)` returns its body.
  const body = functionNode.childForFieldName('body');
  return functionNode.type === 'arrow_function' && body !== null && body.type !== 'statement_block';
}

/** Calls whose results the function returns, directly or through a name. */
function givenCalls(program: Program, functionNode: Node): readonly Call[] {
  const body = functionNode.childForFieldName('body');
  if (!body) return [];
  const isShort = functionNode.type === 'arrow_function' && body.type !== 'statement_block';
  const returned = isShort
    ? [body]
    : body
        .descendantsOfType('return_statement')
        .filter((each) => each && functionAround(each)?.id === functionNode.id);
  return returned
    .flatMap((each) => (each ? [each, ...namedIn(program, each)] : []))
    .flatMap((each) => [...(CALLS.includes(each.type) ? [each] : []), ...each.descendantsOfType(CALLS)])
    .slice(0, MAX_GIVEN)
    .flatMap((node) => {
      const expression = node && program.expression(node);
      return expression?.kind === 'call' ? [expression] : [];
    });
}

/** The values of the names in a returned expression. */
function namedIn(program: Program, returned: Node): readonly Node[] {
  return returned
    .descendantsOfType('identifier')
    .slice(0, MAX_GIVEN)
    .flatMap((name) => {
      const parent = name && name.parent;
      if (!name || (parent && isField(parent, 'attribute', name))) return [];
      return program
        .bindings(name.text, name)
        .flatMap((binding) => (binding.kind === 'value' ? [binding.value.node] : []))
        .slice(0, MAX_GIVEN);
    });
}
