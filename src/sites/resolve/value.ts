/** Evaluates an expression to a constant, or gives the reason why that is impossible. */
import * as l10n from '@vscode/l10n';
import type { Node } from '../syntax/node.ts';
import type { Field, Provenance } from '../model.ts';
import type { Argument, Call, Constant, Expression } from '../syntax/expression.ts';
import { follow, followAttribute, further, isBuiltIn } from './follow.ts';
import type { Local } from './origin-model.ts';
import { MAX_DEPTH, type Program } from './program.ts';

type Known = Extract<Field<Constant>, { provenance: Exclude<Provenance, 'unknown'> }>;

export function unknown<T>(why: string): Field<T> {
  return { value: undefined, provenance: 'unknown', why };
}

export function isKnown<T>(field: Field<T> | undefined): field is Exclude<Field<T>, { value: undefined }> {
  return field !== undefined && field.provenance !== 'unknown';
}

/** Functions that keep or round a number. */
const CONVERSIONS: Readonly<Record<string, (value: number) => number>> = {
  int: Math.trunc,
  float: Number,
  Number,
  parseInt: Math.trunc,
  parseFloat: Number,
  'Number.parseInt': Math.trunc,
  'Number.parseFloat': Number,
  'math.floor': Math.floor,
  'math.ceil': Math.ceil,
  'Math.floor': Math.floor,
  'Math.ceil': Math.ceil,
  'Math.round': Math.round,
  'Math.trunc': Math.trunc,
};

const AGGREGATES: Readonly<Record<string, (...values: number[]) => number>> = {
  min: Math.min,
  max: Math.max,
  'Math.min': Math.min,
  'Math.max': Math.max,
};

/** Calls that read an environment variable; the second argument is the default. */
const ENVIRONMENT = /^(?:os\.)?(?:getenv|environ\.get)$/u;
/** `Field(default=5)` of pydantic and similar libraries, and `field(default=5)` of dataclasses. */
const FIELD_DEFAULT = /^(?:[\w.]+\.)?(?:Field|field|mapped_column|attrib|ib)$/u;

/** Cached by place, because many parameters refer to the same expression. */
export function evaluate(program: Program, expression: Expression, depth = 0): Field<Constant> {
  if (depth > 0 || (expression.kind === 'literal' && expression.isElsewhere === true))
    return evaluateAt(program, expression, depth);
  return program.once(expression.node, `value of ${expression.kind}`, () =>
    evaluateAt(program, expression, depth),
  );
}

function evaluateAt(program: Program, expression: Expression, depth: number): Field<Constant> {
  if (readsEnvironment(expression))
    return {
      ...unknown<Constant>(l10n.t('it is set by the environment')),
      place: program.place(expression.node),
    };
  const followed = follow(program, expression, depth);
  if (!followed.expression) {
    const { why, otherwise } = followed;
    return {
      ...unknown<Constant>(why),
      place: program.place(expression.node),
      ...(otherwise === undefined ? {} : { otherwise }),
    };
  }
  const value = compute(program, followed.expression, followed.depth);
  return isKnown(value)
    ? { ...value, provenance: further<Known['provenance']>(followed.provenance, value.provenance) }
    : value;
}

/** The value of an attribute of the object. */
export function evaluateAttribute(
  program: Program,
  owner: Local,
  property: string,
  at: Node,
): Field<Constant> {
  const followed = followAttribute(program, owner, { property, at }, 0);
  return followed.expression ? compute(program, followed.expression, followed.depth) : unknown(followed.why);
}

function compute(program: Program, expression: Expression, depth: number): Field<Constant> {
  if (depth > MAX_DEPTH) return unknown(l10n.t('it is passed on too many times'));
  const place = program.place(expression.node);
  switch (expression.kind) {
    case 'literal':
      return {
        value: expression.value,
        provenance: 'literal',
        place: expression.isElsewhere === true ? undefined : place,
      };
    case 'binary':
      return computeBinary(program, expression, depth);
    case 'call':
      return computeCall(program, expression, depth);
    case 'choice':
      return { ...unknown<Constant>(l10n.t('it depends on a condition')), place };
    case 'template':
      return { ...unknown<Constant>(l10n.t('it is put together from several texts')), place };
    case 'name':
    case 'member':
    case 'subscript':
    case 'record':
    case 'list':
    case 'opaque':
      return { ...unknown<Constant>(l10n.t('it is computed when the program runs')), place };
  }
}

function computeBinary(
  program: Program,
  { operator, left, right, node }: Extract<Expression, { kind: 'binary' }>,
  depth: number,
): Field<Constant> {
  if (/^(?:or|\|\||\?\?)$/u.test(operator)) return fallback(program, left, right, depth);
  const a = evaluate(program, left, depth + 1);
  const b = evaluate(program, right, depth + 1);
  if (!isKnown(a)) return a;
  if (!isKnown(b)) return b;
  const value =
    typeof a.value === 'number' && typeof b.value === 'number' && arithmetic(operator, a.value, b.value);
  return typeof value === 'number' && Number.isFinite(value)
    ? {
        value,
        provenance: further(further(a.provenance, b.provenance), 'arithmetic'),
        place: program.place(node),
      }
    : unknown(l10n.t('it is computed when the program runs'));
}

function arithmetic(operator: string, a: number, b: number): number | undefined {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '//':
      return Math.floor(a / b);
    case '%':
      return a >= 0 && b > 0 ? a % b : undefined; // Python and JavaScript differ below zero
    case '**':
      return a ** b;
    default:
      return undefined;
  }
}

/** `os.environ.get("K") or 5`, `process.env.K ?? 5` */
function fallback(program: Program, left: Expression, right: Expression, depth: number): Field<Constant> {
  const value = evaluate(program, right, depth + 1);
  if (!readsEnvironment(left))
    return isKnown(value) && typeof value.value === 'number'
      ? setElsewhere(value.value)
      : unknown(l10n.t('it depends on another value'));
  return isKnown(value) ? { ...value, provenance: further(value.provenance, 'env-default') } : value;
}

/** A setting, request or state determines the value, and the program contains the default. */
function setElsewhere(otherwise: number): Field<Constant> {
  const why = l10n.t`it may be set elsewhere, ${otherwise} by default`;
  return { value: undefined, provenance: 'unknown', why, otherwise };
}

/** The default in `state.get("top_k", 10)`. */
function defaultOfGet({ callee, arguments: args }: Call): number | undefined {
  const [, second, third] = args;
  if (callee.kind !== 'member' || !/\.get$/u.test(callee.node.text) || third) return undefined;
  const value = second?.kind === 'positional' ? second.value : undefined;
  return value?.kind === 'literal' && typeof value.value === 'number' ? value.value : undefined;
}

/** Whether the expression is an environment variable, converted or not. */
function readsEnvironment(expression: Expression): boolean {
  if (expression.kind === 'member')
    return /^(?:process|import\.meta)\.env$/u.test(expression.object.node.text);
  if (expression.kind === 'subscript')
    return /^(?:process\.env|os\.environ)$/u.test(expression.object.node.text);
  if (expression.kind !== 'call') return false;
  const name = expression.callee.node.text;
  const [first] = expression.arguments;
  if (ENVIRONMENT.test(name)) return expression.arguments.length === 1;
  return Object.hasOwn(CONVERSIONS, name) && first !== undefined && readsEnvironment(first.value);
}

function computeCall(program: Program, call: Call, depth: number): Field<Constant> {
  const name = call.callee.node.text;
  const values = call.arguments.filter(({ kind }) => kind === 'positional').map(({ value }) => value);
  const place = program.place(call.node);
  const isOwn = !isBuiltIn(program, call.callee);
  const computed = { ...unknown<Constant>(l10n.t('it is computed when the program runs')), place };
  if (isOwn) {
    const otherwise = defaultOfGet(call);
    return otherwise === undefined ? computed : { ...setElsewhere(otherwise), place };
  }
  if (ENVIRONMENT.test(name)) return environmentDefault(program, call, depth);
  const convert = Object.hasOwn(CONVERSIONS, name) ? CONVERSIONS[name] : undefined;
  // The second argument is the base of the number.
  if (convert && values[0] && call.arguments.length === 1)
    return converted(evaluate(program, values[0], depth + 1), convert);
  const aggregate = Object.hasOwn(AGGREGATES, name) ? AGGREGATES[name] : undefined;
  if (aggregate && values.length === call.arguments.length && values.length > 1)
    return aggregated(
      values.map((value) => evaluate(program, value, depth + 1)),
      aggregate,
    );
  const fieldDefault = FIELD_DEFAULT.test(name) && isField(program, call) && defaultOfField(call, values[0]);
  return fieldDefault ? evaluate(program, fieldDefault, depth + 1) : computed;
}

/** Whether the call is the value of a name in a class body. */
function isField(program: Program, { node }: Call): boolean {
  const block = program.dialect.statement(node).parent;
  return block?.parent?.type === 'class_definition';
}

function defaultOfField(call: Call, first: Expression | undefined): Expression | undefined {
  if (call.arguments.some(({ kind }) => kind === 'spread')) return undefined;
  const named = namedArgument(call, 'default');
  return named ?? (/(?:^|\.)Field$/u.test(call.callee.node.text) ? first : undefined);
}

function namedArgument(call: Call, name: string): Expression | undefined {
  return call.arguments.find(
    (each): each is Extract<Argument, { kind: 'named' }> => each.kind === 'named' && each.name === name,
  )?.value;
}

function environmentDefault(program: Program, call: Call, depth: number): Field<Constant> {
  const value = call.arguments[1]?.value;
  if (!value)
    return { ...unknown<Constant>(l10n.t('it is set by the environment')), place: program.place(call.node) };
  const field = evaluate(program, value, depth + 1);
  return isKnown(field) ? { ...field, provenance: further(field.provenance, 'env-default') } : field;
}

function converted(field: Field<Constant>, convert: (value: number) => number): Field<Constant> {
  if (!isKnown(field)) return field;
  // Python and JavaScript agree on integers in plain digits.
  const isPlain =
    typeof field.value === 'number' || (typeof field.value === 'string' && /^\d+$/u.test(field.value));
  const value = isPlain ? convert(Number(field.value)) : Number.NaN;
  return Number.isNaN(value) ? unknown(l10n.t('it is not a number')) : { ...field, value };
}

function aggregated(
  fields: readonly Field<Constant>[],
  aggregate: (...values: number[]) => number,
): Field<Constant> {
  const numbers: number[] = [];
  for (const field of fields) {
    if (!isKnown(field)) return field;
    if (typeof field.value !== 'number') return unknown(l10n.t('it is not a number'));
    numbers.push(field.value);
  }
  return { value: aggregate(...numbers), provenance: 'arithmetic', place: fields[0]?.place };
}
