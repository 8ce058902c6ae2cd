/** Follows names, attributes and subscripts to the expression that is written somewhere. */
import * as l10n from '@vscode/l10n';
import { PROVENANCES, type Provenance } from '../model.ts';
import type { Access, Binding, Call, Expression } from '../syntax/expression.ts';
import { attributeOf } from './attributes.ts';
import { originOf } from './origin.ts';
import { MAX_DEPTH, type Program } from './program.ts';

export type Followed =
  | {
      readonly expression: Expression;
      readonly provenance: Exclude<Provenance, 'unknown'>;
      readonly depth: number;
    }
  | Unfollowed;

export interface Unfollowed {
  readonly expression: undefined;
  /** Completes "not known: …". */
  readonly why: string;
}

export function unfollowed(why: string): Unfollowed {
  return { expression: undefined, why };
}

/** The one that is further from the call; see {@link PROVENANCES}. */
export function further<T extends Provenance>(a: T, b: T): T {
  return PROVENANCES.indexOf(a) >= PROVENANCES.indexOf(b) ? a : b;
}

/** An expression that is no name, attribute or subscript, or the reason why there is none. */
export function follow(program: Program, expression: Expression, depth = 0): Followed {
  if (depth > MAX_DEPTH) return unfollowed(l10n.t('it is passed on too many times'));
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
  const [binding, second] = valued;
  if (!binding) return unfollowed(l10n.t`${name} is not set in this file`);
  if (second) return unfollowed(l10n.t`${name} is set in several places`);
  const followed = followBinding(program, binding, name, 'const', depth);
  const isObject = followed.expression && /^(?:record|list|call)$/u.test(followed.expression.kind);
  if (isObject && program.isMutated(name, node))
    return unfollowed(l10n.t`${name} is changed after it was made`);
  return followed;
}

function followBinding(
  program: Program,
  binding: Binding,
  name: string,
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
      return unfollowed(l10n.t`${name} is imported`);
    case 'declared':
    case 'opaque':
    case 'class':
    case 'function':
      return unfollowed(l10n.t`${name} is not a constant`);
  }
}

function access(program: Program, value: Expression, steps: readonly Access[], depth: number): Followed {
  let followed = follow(program, value, depth);
  for (const step of steps) {
    if (!followed.expression) return followed;
    const inner = elementOf(followed.expression, step);
    if (!inner) return unfollowed(l10n.t('it is part of something that is not written here'));
    followed = via(followed.provenance, follow(program, inner, depth + 1));
  }
  return followed;
}

function elementOf(container: Expression, step: Access): Expression | undefined {
  if (container.kind === 'list') return typeof step === 'number' ? container.items()[step] : undefined;
  if (container.kind !== 'record' || typeof step !== 'string') return undefined;
  const entry = container.entries.findLast((each) => each.kind === 'pair' && each.key === step);
  const isCertain = container.complete && container.entries.every(({ kind }) => kind === 'pair');
  return isCertain ? entry?.value : undefined;
}

function followMember(
  program: Program,
  { object, property }: Extract<Expression, { kind: 'member' }>,
  depth: number,
): Followed {
  const owner = originOf(program, object, depth);
  if (owner?.kind === 'imported') return unfollowed(l10n.t`${property} comes from ${owner.module}`);
  if (owner?.kind === 'class' || owner?.kind === 'instance') {
    const given = owner.made && argumentFor(program, owner.made, property, depth);
    if (given) return given;
    const attribute = attributeOf(program, owner, property, depth);
    return attribute.kind === 'bound'
      ? followBinding(program, attribute.binding, property, 'class-attr', depth)
      : unfollowed(attribute.why);
  }
  const container = follow(program, object, depth);
  if (!container.expression) return container;
  const inner = elementOf(container.expression, property);
  return inner
    ? via(further('const', container.provenance), follow(program, inner, depth))
    : unfollowed(l10n.t`${property} is not set in this file`);
}

/** What `Settings(top_k=9)` sets, before the class's own default applies. */
function argumentFor(program: Program, made: Call, property: string, depth: number): Followed | undefined {
  if (made.arguments.length === 0) return undefined;
  const named = made.arguments.find((each) => each.kind === 'named' && each.name === property);
  if (named) return via('class-attr', follow(program, named.value, depth));
  return made.arguments.every(({ kind }) => kind === 'named')
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
      ? dictArgument(container.expression, value)
      : typeof value === 'string' || typeof value === 'number'
        ? elementOf(container.expression, value)
        : undefined;
  return inner
    ? via(further('const', container.provenance), follow(program, inner, depth))
    : unfollowed(l10n.t('the key is not found'));
}

/** `dict(k=5)["k"]` */
function dictArgument({ callee, arguments: given }: Call, key: string): Expression | undefined {
  if (callee.kind !== 'name' || callee.name !== 'dict') return undefined;
  if (given.some(({ kind }) => kind !== 'named')) return undefined;
  return given.find((each) => each.kind === 'named' && each.name === key)?.value;
}
