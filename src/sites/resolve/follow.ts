/** Follows names, attributes and subscripts to an expression. */
import * as l10n from '@vscode/l10n';
import type { Node } from '../syntax/node.ts';
import { PROVENANCES, type Provenance } from '../model.ts';
import { isComplete, type Access, type Binding, type Call, type Expression } from '../syntax/expression.ts';
import { isFieldsOnly, soleAttribute, takesFields } from './attributes.ts';
import { callersOf, makersOf } from './callers.ts';
import { isAttributeChanged, isChanged } from './changes.ts';
import type { Local } from './origin-model.ts';
import { originOf } from './origin.ts';
import { MAX_DEPTH, type Program } from './program.ts';

export type Followed =
  | {
      readonly expression: Expression;
      readonly provenance: Exclude<Provenance, 'unknown'>;
      readonly depth: number;
    }
  | Unfollowed;

interface Unfollowed {
  readonly expression: undefined;
  /** Completes "not known: …". */
  readonly why: string;
  /** The program's default, unless something else sets the value. */
  readonly otherwise?: number | undefined;
}

function unfollowed(why: string): Unfollowed {
  return { expression: undefined, why };
}

/** The provenance that is further from the call; see {@link PROVENANCES}. */
export function further<T extends Provenance>(a: T, b: T): T {
  return PROVENANCES.indexOf(a) >= PROVENANCES.indexOf(b) ? a : b;
}

/** An expression other than a name, attribute or subscript, or the reason why there is none. */
export function follow(program: Program, expression: Expression, depth = 0): Followed {
  if (depth > MAX_DEPTH || !program.takesStep()) return unfollowed(l10n.t('it is passed on too many times'));
  switch (expression.kind) {
    case 'name':
      return followName(program, expression, depth + 1);
    case 'member':
      return followMember(program, expression, depth + 1);
    case 'subscript':
      return followSubscript(program, expression, depth + 1);
    case 'literal':
    case 'call':
    case 'record':
    case 'list':
    case 'binary':
    case 'choice':
    case 'template':
    case 'opaque':
      return { expression, provenance: 'literal', depth };
  }
}

function via(provenance: Exclude<Provenance, 'unknown'>, followed: Followed): Followed {
  if (!followed.expression) return followed;
  return { ...followed, provenance: further(provenance, followed.provenance) };
}

function followName(
  program: Program,
  { name, node }: Extract<Expression, { kind: 'name' }>,
  depth: number,
): Followed {
  const all = program.bindings(name, node);
  const valued = all.filter(({ kind }) => kind !== 'declared');
  const [first, second] = valued;
  if (!first) return unfollowed(l10n.t`${name} is not set in this file`);
  const binding = second ? program.bindingJustBefore(name, node) : first;
  if (!binding) return unfollowed(l10n.t`${name} is set in several places`);
  // `let k;` is `undefined` until it is assigned.
  if (all.some((each) => each.kind === 'declared' && each.empty))
    return unfollowed(l10n.t`${name} is not a constant`);
  const scope = program.scopeNode(name, node);
  if (scope && isBoundByOthers(program, name, node, scope))
    return unfollowed(l10n.t`${name} may be set by an import`);
  if (binding.kind === 'parameter' && scope) {
    const callers = callersOf(program, scope, name);
    if (callers === 'set') return unfollowed(l10n.t`${name} is a parameter that callers set`);
    if (callers !== 'left' && binding.default) return mayBeSet(name, binding.default);
  }
  const followed = followBinding(program, binding, { name, at: node }, 'const', depth);
  if (isObject(followed) && isChanged(program, name, node))
    return unfollowed(l10n.t`${name} is changed after it was made`);
  return followed;
}

/** The default of a parameter or field as a possible value, because what sets it is not known. */
function mayBeSet(name: string, fallback: Expression): Unfollowed {
  const value = numberIn(fallback) ?? (fallback.kind === 'literal' ? fallback.value : null);
  if (value === null) return unfollowed(l10n.t`${name} is a parameter that callers may set`);
  return {
    ...unfollowed(l10n.t`${name} is a parameter that callers may set, ${String(value)} by default`),
    otherwise: typeof value === 'number' ? value : undefined,
  };
}

/** `from x import *` after the binding, or `globals()[…]`. */
function isBoundByOthers(program: Program, name: string, at: Node, scope: Node): boolean {
  if (scope.parent !== null || !program.isOverrun()) return false;
  const [first] = program.sameVariable(name, at);
  return first !== undefined && program.isOverrun(first);
}

function isObject({ expression }: Followed): boolean {
  return expression !== undefined && /^(?:record|list|call)$/u.test(expression.kind);
}

function followBinding(
  program: Program,
  binding: Binding,
  { name, at }: { readonly name: string; readonly at: Node },
  provenance: 'const' | 'class-attr',
  depth: number,
): Followed {
  switch (binding.kind) {
    case 'value':
      return via(provenance, access(program, binding.value, binding.access, depth));
    case 'parameter':
      return binding.default
        ? via('default-param', follow(program, binding.default, depth))
        : unfollowed(l10n.t`${name} is a parameter without a default`);
    case 'import':
      return (
        elsewhere(program, at, binding.module, binding.path, depth) ?? unfollowed(l10n.t`${name} is imported`)
      );
    case 'opaque':
      return setElsewhere(numberIn(binding.default)) ?? unfollowed(l10n.t`${name} is not a constant`);
    case 'declared':
    case 'class':
    case 'function':
      return unfollowed(l10n.t`${name} is not a constant`);
  }
}

/** Whether the text may set an attribute of this name to another value. */
function isGiven(program: Program, property: string): boolean {
  return (
    isAttributeChanged(program, property) ||
    program.attributes(property).some(({ object }) => object !== undefined)
  );
}

/** A constant of another file of the workspace, which cannot be edited here. */
function elsewhere(
  program: Program,
  node: Node,
  module: string,
  path: readonly string[],
  depth: number,
): Followed | undefined {
  const entry = program.otherFiles?.find(module, path);
  if (entry?.kind !== 'value') return undefined;
  return {
    expression: { kind: 'literal', value: entry.value, node, isElsewhere: true },
    provenance: 'const',
    depth,
  };
}

function access(program: Program, value: Expression, steps: readonly Access[], depth: number): Followed {
  let followed = follow(program, value, depth);
  for (const step of steps) {
    if (!followed.expression) return followed;
    const inner = elementOf(followed.expression, step);
    if (!inner) return partOf(program, followed.expression, step);
    followed = via(followed.provenance, follow(program, inner, depth + 1));
  }
  return followed;
}

/** A part of what a call returns, with the default of the schema that it checks. */
function partOf(program: Program, container: Expression, step: Access): Unfollowed {
  const otherwise =
    container.kind === 'call' && typeof step === 'string'
      ? schemaDefault(program, container, step)
      : undefined;
  return setElsewhere(otherwise) ?? unfollowed(l10n.t('it is part of a value that is not in this file'));
}

function setElsewhere(otherwise: number | undefined): Unfollowed | undefined {
  if (otherwise === undefined) return undefined;
  return { ...unfollowed(l10n.t`it may be set elsewhere, ${otherwise} by default`), otherwise };
}

/** `schema.parse(body)`, if the schema is `z.object({ topK: z.number().default(8) })`. */
function schemaDefault(program: Program, { callee }: Call, property: string): number | undefined {
  if (callee.kind !== 'member' || !/^(?:safe)?[pP]arse(?:Async)?$/u.test(callee.property)) return undefined;
  let schema = follow(program, callee.object).expression;
  while (schema?.kind === 'call' && schema.callee.kind === 'member' && schema.callee.object.kind === 'call')
    schema = schema.callee.object;
  const fields = schema?.kind === 'call' ? schema.arguments[0]?.value : undefined;
  let field = fields && elementOf(fields, property);
  while (field?.kind === 'call' && field.callee.kind === 'member') {
    const [argument] = field.arguments;
    if (field.callee.property === 'default') return numberIn(argument?.value);
    field = field.callee.object;
  }
  return undefined;
}

/** `6`, `Field(6)`, `Field(default=6)` and `Query(6)`. */
function numberIn(value: Expression | undefined): number | undefined {
  if (value?.kind === 'literal') return typeof value.value === 'number' ? value.value : undefined;
  if (value?.kind !== 'call' || !/(?:^|\.)(?:[fF]ield|Query|Body|Param)$/u.test(value.callee.node.text))
    return undefined;
  const argument = value.arguments.find(
    (each) => each.kind === 'positional' || (each.kind === 'named' && each.name === 'default'),
  );
  return argument && numberIn(argument.value);
}

function elementOf(container: Expression, step: Access): Expression | undefined {
  if (container.kind === 'list')
    return typeof step === 'number' && container.ordered && step < container.certain()
      ? container.items()[step]
      : undefined;
  if (container.kind !== 'record' || typeof step !== 'string') return undefined;
  const entry = container.entries.findLast((each) => each.kind === 'pair' && each.key === step);
  const isCertain = isComplete(container) && container.entries.every(({ kind }) => kind === 'pair');
  return isCertain ? entry?.value : undefined;
}

function followMember(
  program: Program,
  { object, property, token }: Extract<Expression, { kind: 'member' }>,
  depth: number,
): Followed {
  const owner = originOf(program, object, depth);
  if (owner?.kind === 'imported')
    return (
      (owner.ambiguous || isGiven(program, property)
        ? undefined
        : elsewhere(program, token, owner.module, [...owner.path, property], depth)) ??
      unfollowed(l10n.t`${property} comes from ${owner.module}`)
    );
  if (owner?.kind === 'class' || owner?.kind === 'instance') {
    return followAttribute(program, owner, { property, at: token }, depth);
  }
  const container = follow(program, object, depth);
  if (!container.expression) return container;
  const inner = elementOf(container.expression, property);
  return inner
    ? via(further('const', container.provenance), follow(program, inner, depth))
    : unfollowed(l10n.t`${property} is not set in this file`);
}

/** The expression that an attribute of the object holds. */
export function followAttribute(
  program: Program,
  owner: Local,
  { property, at }: { readonly property: string; readonly at: Node },
  depth: number,
): Followed {
  const attribute = soleAttribute(program, owner, property, depth);
  if (attribute.kind !== 'bound') return unfollowed(attribute.why);
  if (!attribute.inMethod && isFieldsOnly(program, owner.node)) {
    const argument = owner.creation && argumentFor(program, owner, property, depth);
    if (argument) return argument;
    if (
      owner.kind === 'instance' &&
      !owner.creation &&
      makersOf(program, owner.node, property, undefined) !== 'left'
    )
      return byConstructor(property, attribute.binding);
  }
  const followed = followBinding(program, attribute.binding, { name: property, at }, 'class-attr', depth);
  if (isObject(followed) && isAttributeChanged(program, property))
    return unfollowed(l10n.t`${property} is changed after it was made`);
  return followed;
}

function byConstructor(property: string, binding: Binding): Unfollowed {
  const otherwise =
    binding.kind === 'value' && binding.access.length === 0 ? numberIn(binding.value) : undefined;
  if (otherwise === undefined)
    return unfollowed(l10n.t`${property} is set by the arguments of the constructor`);
  const why = l10n.t`${property} is set by the arguments of the constructor, ${otherwise} by default`;
  return { ...unfollowed(why), otherwise };
}

/** `Settings(top_k=9)` takes precedence over the class's own default. */
function argumentFor(
  program: Program,
  { creation, node }: Local,
  property: string,
  depth: number,
): Followed | undefined {
  if (!creation || creation.arguments.length === 0) return undefined;
  if (!takesFields(program, node))
    return unfollowed(l10n.t`${property} may be set by the arguments of the constructor`);
  const named = creation.arguments.find((each) => each.kind === 'named' && each.name === property);
  if (named) return via('class-attr', follow(program, named.value, depth));
  return creation.arguments.every(({ kind }) => kind === 'named')
    ? undefined
    : unfollowed(l10n.t`${property} may be set by the arguments of the constructor`);
}

function followSubscript(
  program: Program,
  { object, key }: Extract<Expression, { kind: 'subscript' }>,
  depth: number,
): Followed {
  const container = follow(program, object, depth);
  const step = follow(program, key, depth);
  if (!container.expression) return container;
  if (step.expression?.kind !== 'literal') return unfollowed(l10n.t('the key is not a constant'));
  const { value } = step.expression;
  const inner =
    typeof value === 'string' && container.expression.kind === 'call'
      ? dictArgument(program, container.expression, value)
      : typeof value === 'string' || typeof value === 'number'
        ? elementOf(container.expression, value)
        : undefined;
  return inner
    ? via(further('const', container.provenance), follow(program, inner, depth))
    : unfollowed(l10n.t('the key is not found'));
}

/** `dict(k=5)["k"]` */
function dictArgument(program: Program, call: Call, key: string): Expression | undefined {
  if (!isDict(program, call)) return undefined;
  const { arguments: args } = call;
  if (args.some(({ kind }) => kind !== 'named')) return undefined;
  return args.find((each) => each.kind === 'named' && each.name === key)?.value;
}

/** Python's own `dict(…)`, not a function of the program with that name. */
export function isDict(program: Program, { callee }: Call): boolean {
  return (
    program.dialect.language === 'python' &&
    callee.kind === 'name' &&
    callee.name === 'dict' &&
    isBuiltIn(program, callee)
  );
}

/** Whether a name, or the first name of a dotted one, is not bound in the program or only by an import. */
export function isBuiltIn(program: Program, expression: Expression): boolean {
  const first = expression.kind === 'member' ? expression.object : expression;
  if (first.kind === 'member') return isBuiltIn(program, first);
  return (
    first.kind === 'name' && program.bindings(first.name, first.node).every(({ kind }) => kind === 'import')
  );
}
