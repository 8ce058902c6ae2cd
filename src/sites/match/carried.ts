/** Calls that are known by a text they are handed: SQL with a distance operator, or an address. */
import * as l10n from '@vscode/l10n';
import type { Node } from '@vscode/tree-sitter-wasm';
import type { Field } from '../model.ts';
import { calleeName } from '../resolve/chain.ts';
import { numberAt } from '../resolve/parameters.ts';
import type { Program } from '../resolve/program.ts';
import { evaluate, isKnown, unknown } from '../resolve/value.ts';
import type { Rule } from '../rules/library.ts';
import type { LibraryRules } from '../../core/call-sites/schema.ts';
import type { Call, Expression } from '../syntax/expression.ts';
import { patternOf } from '../rules/pattern.ts';
import { enclosing, namedChildren } from '../syntax/dialect.ts';
import { textBeside } from './beside.ts';
import { calledAt } from './called.ts';
import type { Match } from './match.ts';
import { argumentsText } from './ranking.ts';
import { readSql, type Operand } from './sql.ts';

/** Read off the text itself. */
export interface Carried {
  readonly k: Field<number> | undefined;
  readonly index: Field<string> | undefined;
  readonly filtered: boolean;
  /** The text is a whole statement, and no part of one: what it says goes before what is gathered from parts. */
  readonly isWhole: boolean;
}

export interface CarriedMatch extends Match {
  readonly carried: Carried | undefined;
}

const STRINGS = /^(?:string|concatenated_string|template_string)$/u;
const ARGUMENTS = /^(?:argument_list|arguments)$/u;
/** May stand between a text and the call that takes it. */
const BETWEEN =
  /^(?:keyword_argument|pair|object|dictionary|parenthesized_expression|boolean_operator|binary_operator|binary_expression|member_expression|attribute|as_expression|expression_list|tuple|await|await_expression|conditional_expression|ternary_expression|interpolation|template_substitution|template_string|string|concatenated_string)$/u;
/** Gives a name its value, or adds to it. */
const GIVES =
  /^(?:assignment|augmented_assignment|assignment_expression|augmented_assignment_expression|variable_declarator|public_field_definition|default_parameter|typed_default_parameter|required_parameter|assignment_pattern)$/u;
/** `query, values = build(…)` */
const SEVERAL = /^(?:pattern_list|tuple_pattern|array_pattern)$/u;
const FUNCTIONS = /^(?:function_definition|function_declaration|method_definition)$/u;
const MAX_CLIMB = 12;
/** A text is followed through at most so many names and functions. */
const MAX_HOPS = 4;
const notFound = (): Field<number> => unknown(l10n.t('the bound parameter is not found'));

export function findCarried(program: Program, active: readonly LibraryRules[]): CarriedMatch[] {
  const matches = new Map<number, CarriedMatch>();
  for (const library of active)
    for (const call of library.calls) {
      if (call.contains === undefined || (call.callee !== 'sql' && call.callee !== 'url')) continue;
      for (const found of carriersOf(program, { library, call }))
        if (isBetter(found, matches.get(found.call.node.id))) matches.set(found.call.node.id, found);
    }
  return [...matches.values()];
}

/** The first rule counts, unless what it says was only gathered from parts. */
function isBetter({ carried }: CarriedMatch, before: CarriedMatch | undefined): boolean {
  return before === undefined || (before.carried?.isWhole === false && carried?.isWhole === true);
}

function carriersOf(program: Program, rule: Rule): CarriedMatch[] {
  const seen = new Set<number>();
  return [...program.source.text.matchAll(patternOf(rule.call.contains ?? '', 'gu'))].flatMap(({ index }) => {
    const text = textAround(program.root.descendantForIndex(index));
    if (!text || seen.has(text.id)) return [];
    seen.add(text.id);
    if (rule.call.callee === 'url')
      return takers(program, text, rule).map((each) => matchOf(rule, each, undefined));
    const sql = readSql(program.expression(text));
    if (!sql && isSaidWithin(rule, text.text))
      return takers(program, text, rule).map((call) => matchOf(rule, call, undefined));
    if (!sql)
      return takers(program, text, rule)
        .filter((call) => isSearch(argumentsText(program, call)) || isPartOfSearch(program, text))
        .map((call) =>
          matchOf(rule, call, { k: putTogether(), index: undefined, filtered: false, isWhole: false }),
        );
    return takers(program, text, rule).map((call) =>
      matchOf(rule, call, {
        k: sql.limit && limitOf(program, call, text, sql.limit),
        index:
          sql.table === undefined
            ? undefined
            : { value: sql.table, provenance: 'literal', place: program.place(text) },
        filtered: sql.filtered,
        isWhole: true,
      }),
    );
  });
}

/** A statement that orders nothing, since the store ranks by itself: `WHERE embedding MATCH ? AND k = 3`. */
function isSaidWithin({ call: { k } }: Rule, text: string): boolean {
  return k.written !== undefined && /\bselect\b/iu.test(text) && patternOf(k.written.pattern).test(text);
}

const putTogether = (): Field<number> => unknown(l10n.t('the statement is put together from several texts'));

/** A statement that is put together: what its parts say. */
function isSearch(text: string): boolean {
  return /\bselect\b/iu.test(text) && /\border\s+by\b|\blimit\b/iu.test(text);
}

/** A part that is added to the statement in the same function: `sql += 'ORDER BY …'`. */
function isPartOfSearch(program: Program, text: Node): boolean {
  return !/\bselect\b/iu.test(text.text) && isSearch(textBeside(program, text));
}

function matchOf(rule: Rule, call: Call, carried: Carried | undefined): CarriedMatch {
  const token = call.callee.kind === 'member' ? call.callee.token : call.callee.node;
  return { rule, call, token, ambiguous: false, carried };
}

/** The whole string that a position stands in. */
function textAround(node: Node | null): Node | undefined {
  let text: Node | undefined;
  for (let up = node; up; up = up.parent) {
    if (STRINGS.test(up.type)) text = up;
    else if (text && !/^(?:interpolation|template_substitution)$/u.test(up.type)) break;
  }
  return text;
}

/** The calls by one of the rule's names that are handed this text, directly or through a variable. */
function takers(program: Program, text: Node, rule: Rule): Call[] {
  return new Takers(program, rule).of(text, 0).filter((call) => isMeant(program, call, rule));
}

/** What else the rule asks of the arguments, and of the function around the call. */
function isMeant(program: Program, call: Call, { call: { carries, unless, beside } }: Rule): boolean {
  if (beside !== undefined && !patternOf(beside).test(textBeside(program, call.node))) return false;
  if (carries === undefined && unless === undefined) return true;
  const text = argumentsText(program, call);
  return (
    (carries === undefined || patternOf(carries).test(text)) &&
    (unless === undefined || !patternOf(unless, 'iu').test(text))
  );
}

function isNamed({ call: { names, named } }: Rule, name: string): boolean {
  // `sql.SQL(…)` only wraps the text.
  return names.includes(name) || (named !== undefined && name !== 'SQL' && patternOf(named).test(name));
}

/** sql`…` */
function isTag(parent: Node, node: Node): boolean {
  return parent.type === 'call_expression' && parent.childForFieldName('arguments')?.id === node.id;
}

function callOf(program: Program, parent: Node, node: Node): Call | undefined {
  const owner = isTag(parent, node) ? parent : parent.parent;
  const expression = owner && program.expression(owner);
  return expression?.kind === 'call' ? expression : undefined;
}

/** Goes from a text to the calls that take it. */
class Takers {
  private readonly program: Program;
  private readonly rule: Rule;
  /** A name that is added to itself is gone through once. */
  private readonly seen = new Set<number>();

  constructor(program: Program, rule: Rule) {
    this.program = program;
    this.rule = rule;
  }

  of(text: Node, hops: number): Call[] {
    if (hops > MAX_HOPS || this.seen.has(text.id)) return [];
    this.seen.add(text.id);
    let node = text;
    for (let climbed = 0; climbed < MAX_CLIMB && node.parent; climbed++) {
      const parent = node.parent;
      const call =
        ARGUMENTS.test(parent.type) || isTag(parent, node) ? callOf(this.program, parent, node) : undefined;
      if (call && isNamed(this.rule, calleeName(call))) return [call];
      if (GIVES.test(parent.type)) return this.throughNames(parent, hops);
      if (parent.type === 'return_statement') return this.throughFunction(parent, hops);
      if (!call && !ARGUMENTS.test(parent.type) && !BETWEEN.test(parent.type) && !/^call/u.test(parent.type))
        return [];
      node = call ? call.node : parent;
    }
    return [];
  }

  private throughNames(giving: Node, hops: number): Call[] {
    const given = ['left', 'name', 'pattern', 'property']
      .map((field) => giving.childForFieldName(field))
      .find((each) => each !== null);
    const target = given ?? giving.firstNamedChild;
    if (!target) return [];
    const names = SEVERAL.test(target.type) ? namedChildren(target) : [target];
    return names.flatMap((name) => this.readsOf(name)).flatMap((token) => this.of(token, hops + 1));
  }

  /** Where the variable, or the attribute of `self` or `this`, is read. */
  private readsOf(name: Node): readonly Node[] {
    const { program } = this;
    if (name.type === 'identifier') {
      const same = program.sameVariable(name.text, name).filter((each) => !isGivenValue(each));
      // What the body of a class names is read as an attribute.
      return same.length > 0 ? same : ownReads(program, name);
    }
    const property = name.type === 'property_identifier' ? name : attributeOf(name);
    return property ? ownReads(program, property) : [];
  }

  /** The calls that are handed what a function of the text gives back. */
  private throughFunction(returned: Node, hops: number): Call[] {
    const { program } = this;
    const made = enclosing(returned, ({ type }) => FUNCTIONS.test(type));
    const name = made?.childForFieldName('name')?.text;
    if (name === undefined) return [];
    return program.tokens(name).flatMap((token) => {
      const call = calledAt(program, token);
      return call ? this.of(call.node, hops + 1) : [];
    });
  }
}

/** Whether the name, or one beside it, gets a value here. */
function isGivenValue(name: Node): boolean {
  const target = SEVERAL.test(name.parent?.type ?? '') ? name.parent : name;
  const giving = target?.parent;
  if (!target || !giving || !GIVES.test(giving.type)) return false;
  return ['left', 'name', 'pattern'].some((field) => giving.childForFieldName(field)?.id === target.id);
}

/** The last name of `self.url` or `this.url`. */
function attributeOf(node: Node): Node | undefined {
  const object = node.childForFieldName('object');
  if (!object || !/^(?:self|cls|this)$/u.test(object.text)) return undefined;
  return node.childForFieldName('attribute') ?? node.childForFieldName('property') ?? undefined;
}

/** Reads of the attribute on `self` or `this` in the same class, if it is in one. */
function ownReads(program: Program, name: Node): readonly Node[] {
  const owner = program.dialect.enclosingClass(name)?.id;
  return program.tokens(name.text).flatMap((token) => {
    const whole = token.parent;
    const isRead = token.id !== name.id && whole && attributeOf(whole)?.id === token.id;
    return isRead && program.dialect.enclosingClass(token)?.id === owner ? [whole] : [];
  });
}

function limitOf(program: Program, call: Call, text: Node, operand: Operand): Field<number> {
  switch (operand.kind) {
    case 'number':
      return { value: operand.value, provenance: 'literal', place: program.place(text) };
    case 'expression':
      return numberFrom(program, operand.expression);
    case 'named':
      return parameterOf(program, call, operand.name);
    case 'numbered':
      return parameterOf(program, call, operand.position);
    case 'other':
      return unknown(l10n.t('the LIMIT is computed by the database'));
  }
}

function numberFrom(program: Program, expression: Expression): Field<number> {
  const field = evaluate(program, expression);
  if (!isKnown(field)) return field;
  return typeof field.value === 'number'
    ? { ...field, value: field.value }
    : unknown(l10n.t('it is not a number'));
}

/**
 * A bound parameter: in the list or dict after the statement (psycopg, pg, SQLAlchemy), under `values`
 * (pg), or among the arguments that follow (asyncpg).
 */
function parameterOf(program: Program, call: Call, parameter: string | number): Field<number> {
  const segment = typeof parameter === 'number' ? `#${parameter}` : parameter;
  const asked = { program, call, options: 0 };
  // Several arguments after the statement are the parameters themselves.
  if (typeof parameter === 'number' && call.arguments.length > 2)
    return numberAt(asked, [`#${parameter + 1}`]) ?? notFound();
  for (const path of [`#1.${segment}`, `params.${segment}`, `parameters.${segment}`, `values.${segment}`]) {
    const field = numberAt(asked, [path]);
    if (field) return field;
  }
  const direct = typeof parameter === 'number' ? numberAt(asked, [`#${parameter + 1}`]) : undefined;
  return direct ?? notFound();
}
