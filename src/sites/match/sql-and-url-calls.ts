/** Calls that are recognised by a text argument: SQL with a distance operator, or an address. */
import * as l10n from '@vscode/l10n';
import type { Node } from '../syntax/node.ts';
import type { Field } from '../model.ts';
import { originOf } from '../resolve/origin.ts';
import { numberAt } from '../resolve/parameters.ts';
import type { Program } from '../resolve/program.ts';
import { evaluate, isKnown, unknown } from '../resolve/value.ts';
import type { Rule } from '../rules/library.ts';
import type { LibraryRules } from '../../core/call-sites/schema.ts';
import type { Call, Expression } from '../syntax/expression.ts';
import { patternOf } from '../rules/pattern.ts';
import { textBeside } from './surrounding-text.ts';
import { calledAt } from './call-of-token.ts';
import type { Match } from './match.ts';
import { argumentsText } from './ranking.ts';
import { readSql, type Operand } from './sql.ts';
import { textIn } from '../workspace/exported.ts';
import { parametersOf, TextFlow, textAround, type TextRecipient } from './text-flow.ts';

/** Fields read from the text itself. */
export interface TextFields {
  readonly k: Field<number> | undefined;
  readonly index: Field<string> | undefined;
  readonly filtered: boolean;
  /** Whether the text is a whole statement. Its fields take precedence over those collected from parts. */
  readonly isWhole: boolean;
}

export interface TextMatch extends Match {
  readonly textFields?: TextFields | undefined;
  /** Where the called function of the program passes the text on. */
  readonly runs?: readonly Call[] | undefined;
}

const notFound = (): Field<number> => unknown(l10n.t('the bound parameter is not found'));

export function findTextMatches(program: Program, active: readonly LibraryRules[]): TextMatch[] {
  const matches = new Map<number, TextMatch>();
  for (const library of active)
    for (const call of library.calls) {
      const { callee, contains } = call;
      if (contains === undefined || (callee !== 'sql' && callee !== 'url') || !program.mayStand(call))
        continue;
      const carriers = program.once(call, 'carriers', () =>
        textMatches(program, { library, call }, new TextFlow(program, callee, [call])),
      );
      for (const match of carriers)
        if (isBetter(match, matches.get(match.call.node.id))) matches.set(match.call.node.id, match);
    }
  return [...matches.values()];
}

/** The first rule takes precedence, unless its fields were only collected from parts. */
function isBetter({ textFields }: TextMatch, before: TextMatch | undefined): boolean {
  return before === undefined || (before.textFields?.isWhole === false && textFields?.isWhole === true);
}

function textMatches(program: Program, rule: Rule, flow: TextFlow): TextMatch[] {
  const here = textsWith(program, rule.call.contains ?? '')
    .filter(({ text }) => !isOperator(text))
    .flatMap((node) =>
      matchesOfText(program, { node, expression: program.expression(node), text: node.text }, rule, flow),
    );
  const elsewhere = textsElsewhere(program, rule.call.contains ?? '').flatMap((text) =>
    matchesOfText(program, text, rule, flow),
  );
  return [...here, ...elsewhere];
}

/** The texts that match the pattern, without duplicates. */
function textsWith(program: Program, pattern: string): readonly Node[] {
  return program.onceInText(`texts with ${pattern}`, () => {
    const texts = program
      .matchesOf(patternOf(pattern))
      .flatMap(({ index }) => textAround(program.root.descendantForIndex(index)) ?? []);
    return [...new Set(texts)];
  });
}

/** `Chunk.embedding.op('<=>')` names an operator of an expression and is no part of a statement. */
function isOperator(text: string): boolean {
  return /^["'`][^\w\s]{1,3}["'`]$/u.test(text);
}

/** A text literal, or a name or call that another file resolves to a text. */
interface TextAt {
  readonly node: Node;
  readonly text: string;
  /** `undefined` if another file builds the text. */
  readonly expression: Expression | undefined;
}

/** The calls of the rule's names that get this text, directly or through a variable. */
function matchesOfText(program: Program, text: TextAt, rule: Rule, flow: TextFlow): TextMatch[] {
  const recipients = flow.of(text.node).filter(({ call }) => isMeant(program, call, rule));
  if (rule.call.callee === 'url') return recipients.map((each) => matchOf(rule, each, undefined));
  const sql = text.expression && readSql(text.expression);
  if (!sql)
    return recipients.flatMap((each) => {
      const whole = argumentsText(program, each.call);
      if (isSaidWithin(rule, whole)) return [matchOf(rule, each, undefined)];
      if (!isSearch(whole) && !isPartOfSearch(program, text) && !isSortedHere(program, text)) return [];
      return [matchOf(rule, each, { k: putTogether(), index: undefined, filtered: false, isWhole: false })];
    });
  return recipients.map((each) =>
    matchOf(rule, each, {
      k: sql.limit && limitOf(program, each, text.node, sql.limit),
      index:
        sql.table === undefined
          ? undefined
          : { value: sql.table, provenance: 'literal', place: program.place(text.node) },
      filtered: sql.filtered,
      isWhole: true,
    }),
  );
}

/** Names and calls that other files resolve to matching texts. */
function textsElsewhere(program: Program, contains: string): readonly TextAt[] {
  const { otherFiles } = program;
  if (!otherFiles) return [];
  const names = [...otherFiles.texts]
    .filter(([, texts]) => texts.some((text) => patternOf(contains).test(text)))
    .map(([name]) => name);
  return names.flatMap((name) =>
    program.tokens(name).flatMap((token): TextAt[] => {
      const member = memberOf(token) ?? token;
      const origin = originOf(program, program.expression(member));
      const entry = origin?.kind === 'imported' ? otherFiles.find(origin.module, origin.path) : undefined;
      const text = entry && textIn(entry);
      if (text === undefined || !patternOf(contains).test(text)) return [];
      const node = entry?.kind === 'function' ? calledAt(program, token)?.node : member;
      const expression =
        entry?.kind === 'value' ? ({ kind: 'literal', value: text, node: member } as const) : undefined;
      return node ? [{ node, text, expression }] : [];
    }),
  );
}

/** `queries.SEARCH`, from its last name. */
function memberOf(token: Node): Node | undefined {
  const parent = token.parent;
  const isLast = ['attribute', 'property'].some((field) => parent?.childForFieldName(field)?.id === token.id);
  return parent && isLast ? parent : undefined;
}

/** A statement without ordering, because the store itself ranks: `WHERE embedding MATCH ? AND k = 3`. */
function isSaidWithin({ call: { k } }: Rule, text: string): boolean {
  return k.written !== undefined && /\bselect\b/iu.test(text) && patternOf(k.written.pattern).test(text);
}

const SCORES = /\bselect\b[^]{0,4000}(?:\b(?:distance|similarity|score)\b|<=>|<->|<#>)/iu;
const SORTS = /\.(?:sort|toSorted)\(|\bsorted\(|\bnlargest\(/u;

const putTogether = (): Field<number> => unknown(l10n.t('the statement is put together from several texts'));

/** A statement that is built from parts. */
function isSearch(text: string): boolean {
  return /\bselect\b/iu.test(text) && /\border\s+by\b|\blimit\b/iu.test(text);
}

/** A part that is added to the statement in the same function: `sql += 'ORDER BY …'`. */
function isPartOfSearch(program: Program, { text, node }: TextAt): boolean {
  return !/\bselect\b/iu.test(text) && isSearch(textBeside(program, node));
}

/** A statement that scores every row, while the enclosing function sorts instead of the database. */
function isSortedHere(program: Program, { text, node }: TextAt): boolean {
  return SCORES.test(text) && SORTS.test(textBeside(program, node));
}

function matchOf(rule: Rule, { call, runs }: TextRecipient, textFields: TextFields | undefined): TextMatch {
  return { rule, call, token: tokenOf(call), ambiguous: false, textFields, runs };
}

function tokenOf({ callee }: Call): Node {
  return callee.kind === 'member' ? callee.token : callee.node;
}

/** Whether the arguments and the enclosing function meet the rule's other conditions. */
function isMeant(program: Program, call: Call, { call: { callee, carries, unless, beside } }: Rule): boolean {
  if (callee === 'url' && isUnread(call.node)) return false;
  // `@router.post('/search')` handles searches of others.
  if (call.node.parent?.type === 'decorator') return false;
  if (beside !== undefined && !patternOf(beside).test(textBeside(program, call.node))) return false;
  if (carries === undefined && unless === undefined) return true;
  const text = argumentsText(program, call);
  return (
    (carries === undefined || patternOf(carries).test(text)) &&
    (unless === undefined || !patternOf(unless, 'iu').test(text))
  );
}

/** A request whose response is ignored only checks whether the service is available. */
function isUnread(request: Node): boolean {
  let node = request;
  while (/^(?:await|await_expression|parenthesized_expression)$/u.test(node.parent?.type ?? ''))
    node = node.parent!;
  return node.parent?.type === 'expression_statement';
}

function limitOf(program: Program, recipient: TextRecipient, text: Node, operand: Operand): Field<number> {
  switch (operand.kind) {
    case 'number':
      return { value: operand.value, provenance: 'literal', place: program.place(text) };
    case 'expression':
      return numberFrom(program, operand.expression);
    case 'named':
      return parameterOf(program, recipient, operand.name);
    case 'numbered':
      return parameterOf(program, recipient, operand.position);
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
 * A bound parameter: in the list or dict after the statement (psycopg, pg, SQLAlchemy), in `values` (pg), or among the
 * following arguments (asyncpg).
 */
function parameterOf(program: Program, recipient: TextRecipient, parameter: string | number): Field<number> {
  const { call } = recipient;
  if (recipient.isElsewhere || !handsOnParameters(program, recipient))
    return unknown(l10n.t('a function of the program passes the parameters on'));
  const segment = typeof parameter === 'number' ? `#${parameter}` : parameter;
  const callContext = { program, call, options: 0 };
  // Several arguments after the statement are the parameters themselves.
  if (typeof parameter === 'number' && call.arguments.length > 2)
    return numberAt(callContext, [`#${parameter + 1}`]) ?? notFound();
  for (const path of [`#1.${segment}`, `params.${segment}`, `parameters.${segment}`, `values.${segment}`]) {
    const field = numberAt(callContext, [path]);
    if (field) return field;
  }
  const direct = typeof parameter === 'number' ? numberAt(callContext, [`#${parameter + 1}`]) : undefined;
  return direct ?? notFound();
}

/** Whether the called function of the program, if it is one, passes its second argument on as the parameters. */
function handsOnParameters(program: Program, { call, runs }: TextRecipient): boolean {
  if (runs.length === 0) return true;
  const origin = originOf(program, call.callee);
  const second = origin?.kind === 'function' ? parametersOf(program, origin.node)[1] : undefined;
  return (
    second !== undefined &&
    call.arguments.length <= 2 &&
    runs.every(({ arguments: args }) => {
      const argument = args[1]?.value;
      return argument?.kind === 'name' && argument.name === second.parameter;
    })
  );
}
