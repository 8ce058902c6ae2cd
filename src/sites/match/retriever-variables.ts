/** The variable or attribute that holds a retriever, and its uses. */
import * as l10n from '@vscode/l10n';
import type { Node } from '../syntax/node.ts';
import type { Field } from '../model.ts';
import { attributeHolding, variableHolding } from '../resolve/chain.ts';
import { numberAt } from '../resolve/parameters.ts';
import { reach } from '../resolve/path.ts';
import type { Program } from '../resolve/program.ts';
import { evaluate, isKnown, unknown } from '../resolve/value.ts';
import type { Call } from '../syntax/expression.ts';
import { calledAt } from './call-of-token.ts';
import type { Match } from './match.ts';
import { entryRead, keyOf, loopVariable } from './text-flow.ts';

const SUBSCRIPT = /^subscript(?:_expression)?$/u;
const LIST = /^(?:list|tuple|array)$/u;

/** A call that runs the retriever, such as `retriever.invoke(q)`. */
export interface Use {
  readonly call: Call;
  readonly token: Node;
  /** Set if the call itself sets k. */
  readonly k: Field<number> | undefined;
}

export function usesOf(program: Program, match: Match): Use[] {
  const rule = match.rule.call.uses;
  if (!rule) return [];
  const used = [...references(program, match.call.node), match.call.node];
  const directUses = used.flatMap((reference): Use[] => {
    const { token, call } = methodCalled(program, reference) ?? {};
    const direct = rule.methods.includes('') && reference !== match.call.node;
    const atOnce = rule.methods.includes('') && reference === match.call.node && calledOn(program, reference);
    if (atOnce)
      return [
        useOf(program, atOnce, lastToken(reference.childForFieldName('function') ?? reference), rule.k),
      ];
    if (call && token && rule.methods.includes(token.text)) return [useOf(program, call, token, rule.k)];
    const called = direct ? calledAt(program, lastToken(reference)) : undefined;
    return called ? [useOf(program, called, lastToken(reference), rule.k)] : [];
  });
  return [...directUses, ...runsNaming(program, match)];
}

/** Runs of a pipeline with inputs for this component. */
function runsNaming(program: Program, match: Match): readonly Use[] {
  const rule = match.rule.call.runtime;
  const name = rule && componentName(program, match, rule.register);
  if (!rule || name === undefined) return [];
  return program.tokens(rule.run).flatMap((token) => {
    const call = calledAt(program, token);
    const callContext = call && { program, call, options: 0 };
    const isNamed = callContext && inputsOf(name).some((path) => reach(callContext, path).state === 'found');
    return call && isNamed ? [{ call, token, k: undefined }] : [];
  });
}

/** Where a run of a pipeline receives the inputs for the component of this name. */
function inputsOf(name: string): readonly string[] {
  return [`params.${name}`, `data.${name}`, `#0.${name}`];
}

/** The call of this call's result: `Search(url)(query)`. */
export function calledOn(program: Program, creation: Node): Call | undefined {
  const outer = creation.parent;
  if (outer?.childForFieldName('function')?.id !== creation.id) return undefined;
  const expression = program.expression(outer);
  return expression.kind === 'call' ? expression : undefined;
}

function useOf(program: Program, call: Call, token: Node, paths: readonly string[]): Use {
  return { call, token, k: numberAt({ program, call, options: call.arguments.length - 1 }, paths) };
}

/**
 * References to the object made by the call: `retriever` or `self.retriever`, except for the assignment, and
 * `retrievers["docs"]` if a dict, an object or a list contains it.
 */
export function references(program: Program, creation: Node): Node[] {
  const entry = entryHolding(creation);
  if (entry) return entriesRead(program, entry);
  return spokenOf(program, creation);
}

/** A dict or object literal, or a name of one, and the key of an entry. */
interface KeyedEntry {
  readonly object: Node;
  readonly isWritten: boolean;
  readonly key: string | undefined;
}

/** `{ docs: made }`, `retrievers["docs"] = made` */
function entryHolding(creation: Node): KeyedEntry | undefined {
  const outer = /^await_expression$/u.test(creation.parent?.type ?? '') ? creation.parent! : creation;
  const parent = outer.parent;
  if (!parent) return undefined;
  const key = keyOf(parent, outer);
  if (key !== undefined) return parent.parent ? { object: parent.parent, isWritten: true, key } : undefined;
  if (LIST.test(parent.type)) return { object: parent, isWritten: true, key };
  const left = /^assignment/u.test(parent.type) ? parent.childForFieldName('left') : null;
  const isGiven = left && parent.childForFieldName('right')?.id === outer.id;
  const object = isGiven && SUBSCRIPT.test(left.type) ? objectOf(left) : undefined;
  return object ? { object, isWritten: false, key: entryRead(object)?.key } : undefined;
}

function objectOf(subscript: Node): Node | undefined {
  return subscript.childForFieldName('object') ?? subscript.childForFieldName('value') ?? undefined;
}

/** Where the entry is read, also with a computed key. */
function entriesRead(program: Program, { object, isWritten, key }: KeyedEntry): Node[] {
  const holding = isWritten ? [object, ...spokenOf(program, object)] : sameObject(program, object);
  return holding.flatMap((node) => {
    const read = entryRead(node);
    const isSet = /^assignment/u.test(read?.node.parent?.type ?? '') && !isValue(read!.node);
    const isMeant = read && (read.key === key || (read.key === undefined && SUBSCRIPT.test(read.node.type)));
    const each = loopVariable(node) ?? loopVariable(goneThrough(node) ?? node);
    const looped = each ? program.sameVariable(each.text, each).filter(({ id }) => id !== each.id) : [];
    return isMeant && !isSet ? [read.node, ...looped] : looped;
  });
}

/** `held.items()` and `held.values()`, `Object.values(held)` and `Object.entries(held)` */
function goneThrough(held: Node): Node | undefined {
  const around = held.parent;
  const call = around?.parent;
  if (!call || !/^call(?:_expression)?$/u.test(call.type)) return undefined;
  const callee = call.childForFieldName('function');
  const isOwn = callee?.id === around?.id && /\.(?:items|values)$/u.test(callee?.text ?? '');
  const isHanded = around?.type === 'arguments' && /^Object\.(?:values|entries)$/u.test(callee?.text ?? '');
  return isOwn || isHanded ? call : undefined;
}

function isValue({ parent, id }: Node): boolean {
  return parent?.childForFieldName('right')?.id === id;
}

/** References to the variable or attribute of a name at the node. */
function sameObject(program: Program, object: Node): Node[] {
  if (object.type === 'identifier') return [...program.sameVariable(object.text, object)];
  const attribute = object.childForFieldName('attribute') ?? object.childForFieldName('property');
  return attribute ? membersLike(program, attribute) : [];
}

function spokenOf(program: Program, creation: Node): Node[] {
  const variable = variableHolding(creation) ?? nameAssigned(creation);
  if (variable)
    return program
      .sameVariable(variable.text, variable)
      .filter((token) => token.id !== variable.id && !isLabel(token));
  const attribute = attributeHolding(creation);
  return attribute
    ? membersLike(program, attribute).filter((member) => lastToken(member).id !== attribute.id)
    : [];
}

/** References to the attribute of the same object. */
function membersLike(program: Program, attribute: Node): Node[] {
  const object = attribute.parent?.childForFieldName('object')?.text;
  if (object === undefined) return [];
  // `self.retriever` is the same throughout the class, any other object throughout the text.
  const owner = program.dialect.self.includes(object) ? program.dialect.enclosingClass(attribute) : undefined;
  return program.tokens(attribute.text, owner).flatMap((token) => {
    const member = token.parent;
    return member && member.childForFieldName('object')?.text === object ? [member] : [];
  });
}

/** `make(retriever=other)`, `{ retriever: other }`: the same word, but not the variable. */
function isLabel(token: Node): boolean {
  const { parent } = token;
  if (parent?.type === 'keyword_argument') return parent.childForFieldName('name')?.id === token.id;
  return (
    parent?.type === 'pair' && parent.childForFieldName('key')?.id === token.id && token.type !== 'identifier'
  );
}

/** The name in JavaScript's `name = <node>`. */
function nameAssigned(creation: Node): Node | undefined {
  const outer = /^await_expression$/u.test(creation.parent?.type ?? '') ? creation.parent! : creation;
  const target = outer.parent;
  const left = target?.type === 'assignment_expression' ? target.childForFieldName('left') : undefined;
  return left?.type === 'identifier' && target?.childForFieldName('right')?.id === outer.id
    ? left
    : undefined;
}

/** Whether the name of what is made at the node also gets another value, other than in another branch. */
export function isRebound(creation: Node, spoken: readonly Node[]): boolean {
  return spoken.some(
    (each) =>
      /assignment/u.test(each.parent?.type ?? '') &&
      each.parent?.childForFieldName('left')?.id === each.id &&
      !areBranches(creation, each),
  );
}

/** Whether the nodes are in two branches of one `if`, only one of which runs. */
function areBranches(a: Node, b: Node): boolean {
  let [inside, around] = [a, a.parent];
  for (
    ;
    around && !(around.startIndex <= b.startIndex && b.endIndex <= around.endIndex);
    around = around.parent
  )
    inside = around;
  const condition = around?.childForFieldName('condition');
  const isTested = [inside, b].some(
    ({ startIndex }) => condition && condition.startIndex <= startIndex && startIndex < condition.endIndex,
  );
  return around?.type === 'if_statement' && !isTested;
}

/** The last name of `retriever` or `self.retriever`. */
export function lastToken(reference: Node): Node {
  return reference.childForFieldName('attribute') ?? reference.childForFieldName('property') ?? reference;
}

/** The method that is called on the object. */
export function methodCalled(
  program: Program,
  object: Node,
): { readonly token: Node; readonly call: Call } | undefined {
  let outer = object;
  while (
    outer.parent &&
    /^(?:parenthesized_expression|await|await_expression|non_null_expression)$/u.test(outer.parent.type)
  )
    outer = outer.parent;
  const member = outer.parent;
  if (member?.childForFieldName('object')?.id !== outer.id) return undefined;
  const token = member.childForFieldName('attribute') ?? member.childForFieldName('property');
  const call = token ? calledAt(program, token) : undefined;
  return token && call ? { token, call } : undefined;
}

/**
 * The k that `retriever.k = 2` sets after construction. `undefined` if nothing sets it. Only a plain assignment beside
 * the construction counts; any other makes k unknown.
 */
export function assignedK(program: Program, match: Match): Field<number> | undefined {
  const { attributes } = match.rule.call;
  if (attributes.length === 0) return undefined;
  const touched = references(program, match.call.node).flatMap((reference) => {
    const member = reference.parent;
    const token = member?.childForFieldName('attribute') ?? member?.childForFieldName('property');
    return member && token && attributes.includes(token.text) && isChanged(member) ? [member] : [];
  });
  const [only, second] = touched;
  if (!only) return undefined;
  const name = lastToken(only).text;
  const right = only.parent?.childForFieldName('right');
  const isBeside =
    program.dialect.statement(only).parent?.id === program.dialect.statement(match.call.node).parent?.id;
  if (second || !right || !isBeside || only.parent?.childForFieldName('left')?.id !== only.id)
    return unknown(l10n.t`${name} is changed after construction`);
  const value = evaluate(program, program.expression(right));
  if (isKnown(value) && typeof value.value === 'number') return { ...value, value: value.value };
  return unknown(l10n.t`${name} is changed after construction`);
}

/** Assigned, or written into: `r.k = 2`, `r.search_kwargs["k"] = 2`, `r.search_kwargs.update(…)`. */
function isChanged(member: Node): boolean {
  const parent = member.parent;
  if (!parent) return false;
  if (/assignment/u.test(parent.type)) return parent.childForFieldName('left')?.id === member.id;
  if (/^subscript/u.test(parent.type)) return /assignment/u.test(parent.parent?.type ?? '');
  return /^(?:update|setdefault|pop|clear)$/u.test(parent.childForFieldName('attribute')?.text ?? '');
}

/**
 * The k that a run of a pipeline sets for this component: `pipe.run({"retriever": {"top_k": 3}})` if the component was
 * registered as "retriever".
 */
export function runtimeK(program: Program, match: Match): Field<number> | undefined {
  const rule = match.rule.call.runtime;
  if (!rule) return undefined;
  const name = componentName(program, match, rule.register);
  if (name === undefined) return undefined;
  const fields = program.tokens(rule.run).flatMap((token) => {
    const call = calledAt(program, token);
    if (!call) return [];
    const paths = inputsOf(name).map((path) => `${path}.${rule.key}`);
    const field = numberAt({ program, call, options: 0 }, paths);
    // A run whose inputs are not in the text is ignored.
    return field && (isKnown(field) || field.place) ? [field] : [];
  });
  const [only] = fields;
  return fields.every(({ value }) => value === only?.value)
    ? only
    : unknown(l10n.t('it differs between runs'));
}

function componentName(program: Program, match: Match, register: string): string | undefined {
  const nodes = [match.call.node, ...references(program, match.call.node)];
  for (const node of nodes) {
    const list = node.parent?.type === 'keyword_argument' ? node.parent.parent : node.parent;
    const call = list?.type === 'argument_list' && list.parent ? program.expression(list.parent) : undefined;
    if (call?.kind !== 'call' || call.callee.kind !== 'member' || call.callee.property !== register) continue;
    const named = call.arguments.find((each) => each.kind === 'named' && each.name === 'name');
    const first = call.arguments.find(({ kind }) => kind === 'positional');
    for (const { value } of [named, first, ...call.arguments].filter((each) => each !== undefined))
      if (value.kind === 'literal' && typeof value.value === 'string') return value.value;
  }
  return undefined;
}
