/** Reads the fields of a call site from a matched call. */
import * as l10n from '@vscode/l10n';
import type { Field, Matching, MmrField, RerankField } from '../model.ts';
import { classOf } from '../resolve/class-of.ts';
import { firstReached, holds, numberAt, parameter, textAt } from '../resolve/parameters.ts';
import type { Asked } from '../resolve/path.ts';
import { patternOf } from '../rules/pattern.ts';
import { follow } from '../resolve/follow.ts';
import type { Program } from '../resolve/program.ts';
import { evaluate, isKnown, unknown } from '../resolve/value.ts';
import type { CallRule, LibraryRules } from '../../core/call-sites/schema.ts';
import type { Expression } from '../syntax/expression.ts';
import { keptOf, orderAfter } from './hand-rankings.ts';
import type { Match } from './match.ts';
import type { Carried } from './sql-and-url-calls.ts';
import { readMatching } from './matching.ts';
import { argumentsText } from './ranking.ts';

export interface Fields {
  readonly matching: Matching | undefined;
  readonly k: Field<number>;
  readonly pool: Field<number> | undefined;
  readonly mmr: MmrField | undefined;
  readonly hybridDense: Field<number> | undefined;
  readonly rerank: RerankField | undefined;
  readonly embedModel: Field<string> | undefined;
  readonly index: Field<string> | undefined;
  readonly filtered: boolean;
}

export function askedOf(program: Program, { call, rule }: Match): Asked {
  return { program, call, options: rule.call.options, constructors: rule.library.constructors };
}

export function readFields(program: Program, match: Match, carried: Carried | undefined): Fields {
  const asked = askedOf(program, match);
  if (match.isOwnClass) return fieldsOfOwnClass();
  const rule = match.rule.call;
  const usesDefaults = !match.ambiguous;
  const store = storeRule(program, match);
  const k = carried?.k ?? leftOpen(readK(asked, rule, usesDefaults), store?.k);
  return {
    matching: readMatching(asked, match),
    k,
    pool: parameter(asked, rule.pool, k, usesDefaults),
    mmr: readMmr(asked, rule.mmr, usesDefaults, store?.weight),
    hybridDense: parameter(asked, rule.hybridDense, k, usesDefaults),
    rerank: readRerank(asked, rule.rerank),
    embedModel: rule.embedModel && textAt(asked, rule.embedModel),
    index: carried?.index ?? (rule.index && textAt(asked, rule.index)),
    filtered: carried?.filtered || firstReached(asked, rule.filter).state === 'found',
  };
}

/** For a subclass that changes a library's class, because the meaning of its arguments is unknown. */
function fieldsOfOwnClass(): Fields {
  return {
    matching: undefined,
    k: unknown(l10n.t('the class is defined in this program')),
    pool: undefined,
    mmr: undefined,
    hybridDense: undefined,
    rerank: undefined,
    embedModel: undefined,
    index: undefined,
    filtered: false,
  };
}

/** The rules for the class of the call's store. */
function storeRule(program: Program, { rule, call }: Match): LibraryRules['stores'][number] | undefined {
  const { stores } = rule.library;
  if (stores.length === 0 || call.callee.kind !== 'member') return undefined;
  const name = classOf(program, call.callee.object)?.name;
  return name === undefined ? undefined : stores.find(({ names }) => names.includes(name));
}

/** A default that the store does not share is unknown. */
function leftOpen(k: Field<number>, why: string | undefined): Field<number> {
  return why !== undefined && k.provenance === 'library-default' ? unknown(why) : k;
}

function readK(asked: Asked, rule: CallRule, usesDefaults: boolean): Field<number> {
  const given = writtenK(asked, rule.k) ?? numberAt(asked, rule.k.from) ?? absentK(asked, rule, usesDefaults);
  return leastOf(asked, rule.k, given) ?? given;
}

/**
 * The second bound of a call, if it is smaller than the requested k. If the bound applies only to a part, or another
 * part may find more, the number of results is unknown.
 */
export function leastOf(
  asked: Asked,
  { atMost }: CallRule['k'],
  k: Field<number>,
): Field<number> | undefined {
  if (!atMost || !isKnown(k)) return undefined;
  const also = atMost.unless ? firstReached(asked, atMost.unless) : undefined;
  const bound = also?.state === 'found' ? undefined : numberAt(asked, atMost.from);
  if (!bound || !isKnown(bound)) return bound;
  if (bound.value >= k.value) return undefined;
  const why = atMost.each ?? (also?.state === 'unknown' ? also.why : undefined);
  return why === undefined ? bound : unknown(why);
}

/** k in a text argument of the call, such as `KNN 5`. It takes precedence over values outside of the text. */
function writtenK(asked: Asked, { written, absent }: CallRule['k']): Field<number> | undefined {
  if (!written) return undefined;
  const { program, call } = asked;
  const open: Field<number> = unknown(absent ?? l10n.t('the call does not say'));
  const text = call.arguments.flatMap(({ value }) => textsOf(program, value)).join('\n');
  const found = new Set(
    [...text.matchAll(patternOf(written.pattern, 'gu'))].map(([, number]) => number ?? ''),
  );
  // The call may also be passed a text that could not be read.
  if (found.size === 0)
    return patternOf(written.pattern).test(argumentsText(program, call)) ? open : undefined;
  const [only = ''] = found;
  if (found.size > 1 || (written.unless !== undefined && patternOf(written.unless).test(text))) return open;
  const parameter = /^\$([A-Za-z]\w*)$/u.exec(only)?.[1];
  if (parameter !== undefined)
    return numberAt(asked, [parameter, ...written.given.map((where) => `${where}.${parameter}`)]) ?? open;
  const value = /^\d+$/u.test(only) ? Number(only) : undefined;
  if (value === undefined || value > (written.most ?? Infinity)) return open;
  return { value, provenance: 'literal', place: program.place(call.node) };
}

/** The literal text of a value, only through names with a single value, so that no other text can replace it. */
function textsOf(program: Program, value: Expression, depth = 0): readonly string[] {
  const { expression } = follow(program, value);
  if (!expression || depth > 3) return [];
  const inner = (each: Expression): readonly string[] => textsOf(program, each, depth + 1);
  switch (expression.kind) {
    case 'call':
      return [
        ...(expression.callee.kind === 'member' ? inner(expression.callee.object) : []),
        ...expression.arguments.flatMap((each) => inner(each.value)),
        expression.node.text,
      ];
    case 'binary':
      return [...inner(expression.left), ...inner(expression.right)];
    case 'template':
      return [
        expression.node.text,
        ...expression.parts.flatMap((part) => (typeof part === 'string' ? [] : inner(part))),
      ];
    case 'record':
      return expression.entries.flatMap((each) => inner(each.value));
    case 'literal':
    case 'list':
    case 'choice':
    case 'name':
    case 'member':
    case 'subscript':
    case 'opaque':
      return [expression.node.text];
  }
}

function absentK(asked: Asked, rule: CallRule, usesDefaults: boolean): Field<number> {
  if (rule.terminals && !endsChain(asked, rule.terminals))
    return unknown(l10n.t('the query may be limited elsewhere'));
  if (mayBeByPosition(asked, rule)) return unknown(l10n.t('arguments are given by position'));
  if (rule.k.default === undefined)
    return keptK(asked, rule) ?? unknown(rule.k.absent ?? l10n.t('the call does not say'));
  const other = otherLimit(asked, rule);
  if (other !== undefined) return unknown(l10n.t`${other} may say how many`);
  return usesDefaults
    ? { value: rule.k.default, provenance: 'library-default' }
    : unknown(l10n.t('the call does not say, and several libraries could be meant'));
}

/** What the program keeps of a list that the call does not limit: `.slice(0, 5)`, `ranked[:5]`. */
function keptK({ program, call: { node } }: Asked, { beside, byHand }: CallRule): Field<number> | undefined {
  const order = byHand ? node : beside === undefined ? undefined : orderAfter(program, node);
  const kept = keptOf(program, order ?? node);
  if (!kept) return undefined;
  if (!kept.end) return order && { value: 1, provenance: 'literal', place: program.place(kept.whole) };
  const field = evaluate(program, program.expression(kept.end));
  if (!isKnown(field)) return field;
  return typeof field.value === 'number' && field.value >= 1 ? { ...field, value: field.value } : undefined;
}

/** Names of arguments for the number of passages. */
const LIMIT = /^(?:\w+_)?top_?[kn]$|^(?:num|max|n)_(?:results|docs|documents|passages)$|^limit$/iu;

/**
 * A Python argument that no rule contains and whose name suggests a number of passages, because the object's class may
 * have its own method. On known LangChain stores such arguments have no effect.
 */
function otherLimit({ program, call }: Asked, { k, rerank, pool }: CallRule): string | undefined {
  if (program.dialect.language !== 'python') return undefined;
  const store = call.callee.kind === 'member' ? classOf(program, call.callee.object) : undefined;
  if (store && /^langchain/u.test(store.module)) return undefined;
  const known = [...k.from, ...(rerank?.topN ?? []), ...(pool?.from ?? [])];
  return call.arguments
    .flatMap((each) => (each.kind === 'named' ? [each.name] : []))
    .find((name) => LIMIT.test(name) && !known.includes(name));
}

/** Whether k may be among the positional arguments in Python although the rule contains only its name. */
function mayBeByPosition({ program, call }: Asked, rule: CallRule): boolean {
  if (program.dialect.language !== 'python' || rule.k.from.length === 0) return false;
  const known = [...rule.k.from, ...(rule.index ?? []), ...rule.filter].map((each) =>
    Number(/^#(\d+)/u.exec(each)?.[1] ?? 1),
  );
  const positional = call.arguments.filter(
    ({ kind, ...each }) => kind === 'positional' || ('fills' in each && each.fills === 'positions'),
  );
  return positional.length > Math.max(...known) + 1 || positional.some(({ kind }) => kind === 'spread');
}

/** Whether the chain ends with one of the methods that run a query. */
function endsChain(asked: Asked, terminals: readonly string[]): boolean {
  return terminals.some((name) => firstReachedCall(asked, name));
}

function firstReachedCall(asked: Asked, name: string): boolean {
  return firstReached(asked, [`>${name}`]).state !== 'absent';
}

function readMmr(
  asked: Asked,
  rule: CallRule['mmr'],
  usesDefaults: boolean,
  notKnown: string | undefined,
): MmrField | undefined {
  if (!rule) return undefined;
  const applies = holds(asked, rule.when);
  if (applies === false) return undefined;
  const own =
    applies === undefined
      ? unknown<number>(l10n.t('whether MMR is used is not known'))
      : weight(asked, rule, usesDefaults);
  // One half is the same for both polarities.
  const isEven = isKnown(own) && own.value === 0.5;
  if (notKnown !== undefined && !isEven)
    return { own, relevance: unknown(notKnown), polarity: rule.polarity };
  return { own, relevance: rule.polarity === 'relevance' ? own : complement(own), polarity: rule.polarity };
}

function weight(asked: Asked, rule: NonNullable<CallRule['mmr']>, usesDefaults: boolean): Field<number> {
  const given = numberAt(asked, rule.weight);
  if (given) return given;
  return rule.default !== undefined && usesDefaults
    ? { value: rule.default, provenance: 'library-default' }
    : unknown(l10n.t('the call does not say'));
}

/** One minus the weight, without floating-point noise. */
function complement(field: Field<number>): Field<number> {
  return isKnown(field) ? { ...field, value: Number((1 - field.value).toFixed(12)) } : field;
}

function readRerank(asked: Asked, rule: CallRule['rerank']): RerankField | undefined {
  if (!rule) return undefined;
  const applies = holds(asked, rule.when);
  if (applies === false) return undefined;
  return {
    model: (rule.model && textAt(asked, rule.model)) ?? byDefault(rule.modelDefault),
    topN: (rule.topN && numberAt(asked, rule.topN)) ?? byDefault(rule.topNDefault),
  };
}

function byDefault<T>(value: T | undefined): Field<T> | undefined {
  return value === undefined ? undefined : { value, provenance: 'library-default' };
}
