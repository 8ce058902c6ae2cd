/** Reads the parameters of a rule from a call. */
import * as l10n from '@vscode/l10n';
import type { Field } from '../model.ts';
import type { Condition, NumberParameter } from '../../core/call-sites/schema.ts';
import type { Constant } from '../syntax/expression.ts';
import { further } from './follow.ts';
import { ABSENT, reach, type CallContext, type Located, type Reached } from './path.ts';
import { evaluate, isKnown, unknown } from './value.ts';

/**
 * The first of the paths that exists. An unresolvable path ends the search, unless the same parameter exists in the
 * other language's spelling: `topK` beside `top_k`.
 */
export function firstReached(callContext: CallContext, paths: readonly string[]): Reached {
  for (const path of paths) {
    const reached = reach(callContext, path);
    if (reached.state === 'unknown') {
      const otherPath = paths.find((each) => each !== path && spelling(each) === spelling(path));
      const again = otherPath === undefined ? ABSENT : reach(callContext, otherPath);
      return again.state === 'found' ? again : reached;
    }
    if (reached.state === 'found' && !reached.located.every((each) => isNothing(callContext, each)))
      return reached;
  }
  return ABSENT;
}

function spelling(path: string): string {
  return path.replaceAll('_', '').toLowerCase();
}

/** `None`, `null` and `undefined` keep the library's default. */
function isNothing({ program }: CallContext, { expression }: Located): boolean {
  const value = evaluate(program, expression);
  return isKnown(value) && value.value === null;
}

/** `undefined` if none of the paths exists. */
function constantAt(callContext: CallContext, paths: readonly string[]): Field<Constant> | undefined {
  const reached = firstReached(callContext, paths);
  if (reached.state === 'absent') return undefined;
  if (reached.state === 'unknown') return unknown(reached.why);
  const fields = reached.located.map(({ expression, provenance }): Field<Constant> => {
    const field = evaluate(callContext.program, expression);
    return isKnown(field) ? { ...field, provenance: further(provenance, field.provenance) } : field;
  });
  const [first] = fields;
  return fields.every((field) => field.value === first?.value)
    ? first
    : unknown(l10n.t('several values are given'));
}

/** A path for a number may lead to an object, e.g. in `asRetriever({…})` and `asRetriever(5)`. */
export function numberAt(callContext: CallContext, paths: readonly string[]): Field<number> | undefined {
  const plain = paths.filter((path) => !leadsToObject(callContext, path));
  const field = constantAt(callContext, plain);
  if (!field || !isKnown(field)) return field;
  return typeof field.value === 'number'
    ? { ...field, value: field.value }
    : unknown(l10n.t('it is not a number'));
}

function leadsToObject(callContext: CallContext, path: string): boolean {
  const reached = reach(callContext, path);
  return reached.state === 'found' && reached.located.some(({ expression }) => expression.kind === 'record');
}

/** The first path with a string; other values, such as objects, are skipped. `undefined` if there is none. */
export function textAt(callContext: CallContext, paths: readonly string[]): Field<string> | undefined {
  let missed: Field<string> | undefined;
  for (const path of paths) {
    const field = constantAt({ ...callContext, anyClass: true }, [path]);
    if (field && isKnown(field) && typeof field.value === 'string') return { ...field, value: field.value };
    if (field && !isKnown(field) && !path.includes('<')) missed ??= field;
  }
  return missed;
}

/**
 * Whether a condition holds. `undefined` if unknown. An unreadable container is assumed not to contain an optional
 * part.
 */
export function holds(callContext: CallContext, condition: Condition | undefined): boolean | undefined {
  if (!condition) return true;
  const reached = firstReached(callContext, [condition.path]);
  const values = condition.is;
  if (reached.state === 'unknown') return values ? undefined : false;
  if (reached.state === 'absent') return false;
  if (!values) return true;
  const [located] = reached.located;
  if (!located) return false;
  // A member of an enumeration: VectorStoreQueryMode.MMR
  if (located.expression.kind === 'member' && values.includes(located.expression.property.toLowerCase()))
    return true;
  const value = evaluate(callContext.program, located.expression);
  return isKnown(value) ? values.includes(String(value.value)) : undefined;
}

/** A parameter with its library default. `undefined` if it has no effect. */
export function parameter(
  callContext: CallContext,
  rule: NumberParameter | undefined,
  k: Field<number>,
  usesDefaults: boolean,
): Field<number> | undefined {
  if (!rule) return undefined;
  const applies = holds(callContext, rule.when);
  if (applies === false) return undefined;
  if (applies === undefined) return unknown(l10n.t('whether it has an effect is not known'));
  // Without a default, an unreadable container is no reason to assume that the parameter is set.
  if (rule.default === undefined && firstReached(callContext, rule.from).state === 'unknown')
    return undefined;
  return numberAt(callContext, rule.from) ?? (usesDefaults ? defaultOf(rule.default, k) : undefined);
}

function defaultOf(value: NumberParameter['default'], k: Field<number>): Field<number> | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number') return { value, provenance: 'library-default' };
  if (!isKnown(k)) return unknown(l10n.t('it depends on k'));
  return { value: value === 'k' ? k.value : 3 * k.value, provenance: 'library-default' };
}
