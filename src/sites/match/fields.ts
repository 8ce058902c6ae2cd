/** Reads the fields of a call site from a matched call. */
import * as l10n from '@vscode/l10n';
import type { Field, Matching, MmrField, RerankField } from '../model.ts';
import { classOf } from '../resolve/class-of.ts';
import { firstReached, holds, numberAt, parameter, textAt } from '../resolve/parameters.ts';
import type { CallContext } from '../resolve/path.ts';
import { patternOf } from '../rules/pattern.ts';
import { follow } from '../resolve/follow.ts';
import type { Program } from '../resolve/program.ts';
import { evaluate, isKnown, unknown } from '../resolve/value.ts';
import type { CallRule, LibraryRules } from '../../core/call-sites/schema.ts';
import type { Expression } from '../syntax/expression.ts';
import { keptOf, orderAfter } from './hand-rankings.ts';
import type { Match } from './match.ts';
import type { TextFields } from './sql-and-url-calls.ts';
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

export function callContextOf(program: Program, { call, rule }: Match): CallContext {
  return { program, call, options: rule.call.options, constructors: rule.library.constructors };
}

export function readFields(program: Program, match: Match, textFields: TextFields | undefined): Fields {
  const callContext = callContextOf(program, match);
  if (match.isOwnClass) return fieldsOfOwnClass();
  const rule = match.rule.call;
  const usesDefaults = !match.ambiguous;
  const store = storeRule(program, match);
  const k = textFields?.k ?? leftOpen(readK(callContext, rule, usesDefaults), store?.k);
  return {
    matching: readMatching(callContext, match),
    k,
    pool: parameter(callContext, rule.pool, k, usesDefaults),
    mmr: readMmr(callContext, rule.mmr, usesDefaults, store?.weight),
    hybridDense: parameter(callContext, rule.hybridDense, k, usesDefaults),
    rerank: readRerank(callContext, rule.rerank),
    embedModel: rule.embedModel && textAt(callContext, rule.embedModel),
    index: textFields?.index ?? (rule.index && textAt(callContext, rule.index)),
    filtered: textFields?.filtered || firstReached(callContext, rule.filter).state === 'found',
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

function readK(callContext: CallContext, rule: CallRule, usesDefaults: boolean): Field<number> {
  const field =
    writtenK(callContext, rule.k) ??
    numberAt(callContext, rule.k.from) ??
    absentK(callContext, rule, usesDefaults);
  return leastOf(callContext, rule.k, field) ?? field;
}

/**
 * The second bound of a call, if it is smaller than the requested k. If the bound applies only to a part, or another
 * part may find more, the number of results is unknown.
 */
export function leastOf(
  callContext: CallContext,
  { atMost }: CallRule['k'],
  k: Field<number>,
): Field<number> | undefined {
  if (!atMost || !isKnown(k)) return undefined;
  const also = atMost.unless ? firstReached(callContext, atMost.unless) : undefined;
  const bound = also?.state === 'found' ? undefined : numberAt(callContext, atMost.from);
  if (!bound || !isKnown(bound)) return bound;
  if (bound.value >= k.value) return undefined;
  const why = atMost.each ?? (also?.state === 'unknown' ? also.why : undefined);
  return why === undefined ? bound : unknown(why);
}

/** k in a text argument of the call, such as `KNN 5`. It takes precedence over values outside of the text. */
function writtenK(callContext: CallContext, { written, absent }: CallRule['k']): Field<number> | undefined {
  if (!written) return undefined;
  const { program, call } = callContext;
  const open: Field<number> = unknown(absent ?? l10n.t('the call does not say'));
  const text = call.arguments.flatMap(({ value }) => textsOf(program, value)).join('\n');
  const numbers = new Set(
    [...text.matchAll(patternOf(written.pattern, 'gu'))].map(([, number]) => number ?? ''),
  );
  // The call may also be passed a text that could not be read.
  if (numbers.size === 0)
    return patternOf(written.pattern).test(argumentsText(program, call)) ? open : undefined;
  const [only = ''] = numbers;
  if (numbers.size > 1 || (written.unless !== undefined && patternOf(written.unless).test(text))) return open;
  const parameter = /^\$([A-Za-z]\w*)$/u.exec(only)?.[1];
  if (parameter !== undefined)
    return (
      numberAt(callContext, [parameter, ...written.given.map((where) => `${where}.${parameter}`)]) ?? open
    );
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

function absentK(callContext: CallContext, rule: CallRule, usesDefaults: boolean): Field<number> {
  if (rule.terminals && !endsChain(callContext, rule.terminals))
    return unknown(l10n.t('the query may be limited elsewhere'));
  if (mayBeByPosition(callContext, rule)) return unknown(l10n.t('arguments are given by position'));
  if (rule.k.default === undefined)
    return keptK(callContext, rule) ?? unknown(rule.k.absent ?? l10n.t('the call does not say'));
  const otherName = otherLimit(callContext, rule);
  if (otherName !== undefined) return unknown(l10n.t`${otherName} may say how many`);
  return usesDefaults
    ? { value: rule.k.default, provenance: 'library-default' }
    : unknown(l10n.t('the call does not say, and several libraries could be meant'));
}

/** What the program keeps of a list that the call does not limit: `.slice(0, 5)`, `ranked[:5]`. */
function keptK(
  { program, call: { node } }: CallContext,
  { beside, byHand }: CallRule,
): Field<number> | undefined {
  const order = byHand ? node : beside === undefined ? undefined : orderAfter(program, node);
  const slice = keptOf(program, order ?? node);
  if (!slice) return undefined;
  if (!slice.end) return order && { value: 1, provenance: 'literal', place: program.place(slice.whole) };
  const field = evaluate(program, program.expression(slice.end));
  if (!isKnown(field)) return field;
  return typeof field.value === 'number' && field.value >= 1 ? { ...field, value: field.value } : undefined;
}

/** Names of arguments for the number of passages. */
const LIMIT = /^(?:\w+_)?top_?[kn]$|^(?:num|max|n)_(?:results|docs|documents|passages)$|^limit$/iu;

/**
 * A Python argument that no rule contains and whose name suggests a number of passages, because the object's class may
 * have its own method. On known LangChain stores such arguments have no effect.
 */
function otherLimit({ program, call }: CallContext, { k, rerank, pool }: CallRule): string | undefined {
  if (program.dialect.language !== 'python') return undefined;
  const store = call.callee.kind === 'member' ? classOf(program, call.callee.object) : undefined;
  if (store && /^langchain/u.test(store.module)) return undefined;
  const known = [...k.from, ...(rerank?.topN ?? []), ...(pool?.from ?? [])];
  return call.arguments
    .flatMap((each) => (each.kind === 'named' ? [each.name] : []))
    .find((name) => LIMIT.test(name) && !known.includes(name));
}

/** Whether k may be among the positional arguments in Python although the rule contains only its name. */
function mayBeByPosition({ program, call }: CallContext, rule: CallRule): boolean {
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
function endsChain(callContext: CallContext, terminals: readonly string[]): boolean {
  return terminals.some((name) => firstReachedCall(callContext, name));
}

function firstReachedCall(callContext: CallContext, name: string): boolean {
  return firstReached(callContext, [`>${name}`]).state !== 'absent';
}

function readMmr(
  callContext: CallContext,
  rule: CallRule['mmr'],
  usesDefaults: boolean,
  notKnown: string | undefined,
): MmrField | undefined {
  if (!rule) return undefined;
  const applies = holds(callContext, rule.when);
  if (applies === false) return undefined;
  const weightField =
    applies === undefined
      ? unknown<number>(l10n.t('whether MMR is used is not known'))
      : weight(callContext, rule, usesDefaults);
  // One half is the same for both polarities.
  const isEven = isKnown(weightField) && weightField.value === 0.5;
  if (notKnown !== undefined && !isEven)
    return { own: weightField, relevance: unknown(notKnown), polarity: rule.polarity };
  return {
    own: weightField,
    relevance: rule.polarity === 'relevance' ? weightField : complement(weightField),
    polarity: rule.polarity,
  };
}

function weight(
  callContext: CallContext,
  rule: NonNullable<CallRule['mmr']>,
  usesDefaults: boolean,
): Field<number> {
  const field = numberAt(callContext, rule.weight);
  if (field) return field;
  return rule.default !== undefined && usesDefaults
    ? { value: rule.default, provenance: 'library-default' }
    : unknown(l10n.t('the call does not say'));
}

/** One minus the weight, without floating-point noise. */
function complement(field: Field<number>): Field<number> {
  return isKnown(field) ? { ...field, value: Number((1 - field.value).toFixed(12)) } : field;
}

function readRerank(callContext: CallContext, rule: CallRule['rerank']): RerankField | undefined {
  if (!rule) return undefined;
  const applies = holds(callContext, rule.when);
  if (applies === false) return undefined;
  return {
    model: (rule.model && textAt(callContext, rule.model)) ?? byDefault(rule.modelDefault),
    topN: (rule.topN && numberAt(callContext, rule.topN)) ?? byDefault(rule.topNDefault),
  };
}

function byDefault<T>(value: T | undefined): Field<T> | undefined {
  return value === undefined ? undefined : { value, provenance: 'library-default' };
}
