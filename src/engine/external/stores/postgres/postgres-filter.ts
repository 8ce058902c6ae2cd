/**
 * The filter of a pipeline as conditions of PostgreSQL. Columns are quoted as identifiers. Values, and the paths into
 * JSON, are bound parameters.
 */
import type { PostgresRetriever } from '../../../../core/external/stores/postgres.ts';

export interface Conditions {
  readonly conditions: readonly string[];
  /** The values of the parameters, in their order. */
  readonly values: readonly unknown[];
}

type Condition = PostgresRetriever['where'][string];
type Scalar = Exclude<Condition, object>;
type Comparison = keyof typeof OPERATORS;

const OPERATORS = {
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  /** Also matches rows without a value. */
  ne: 'IS DISTINCT FROM',
} as const;

/**
 * @param quote converts any text to an identifier
 * @param first number of the first parameter
 */
export function conditionsOf(
  where: PostgresRetriever['where'],
  quote: (identifier: string) => string,
  first: number,
): Conditions {
  const conditions: string[] = [];
  const values: unknown[] = [];
  const parameter = (value: unknown): string => `$${first + values.push(value) - 1}`;
  for (const [key, condition] of Object.entries(where)) {
    const field = fieldOf(key, quote, parameter);
    for (const [name, value] of comparisonsOf(condition))
      conditions.push(...compared(field, name, value, parameter));
  }
  return { conditions, values };
}

interface Field {
  readonly text: string;
  /** Whether it is a value in JSON, which has its own type. */
  readonly isJson: boolean;
}

/** `column`, or a path into a column of JSON in PostgreSQL's notation without quotes: `metadata->source->>year`. */
function fieldOf(
  key: string,
  quote: (identifier: string) => string,
  parameter: (value: unknown) => string,
): Field {
  if (!/^[^>]+->>?[^>]/u.test(key)) return { text: quote(key), isJson: false };
  const [column = '', ...path] = key.split(/->>?/u);
  return { text: `(${quote(column)}::jsonb #> ${parameter(path)}::text[])`, isJson: true };
}

function comparisonsOf(condition: Condition): [Comparison | 'eq' | 'in', Scalar | readonly Scalar[]][] {
  if (typeof condition !== 'object') return [['eq', condition]];
  return Object.entries(condition) as [Comparison | 'in', Scalar | readonly Scalar[]][];
}

function compared(
  { text, isJson }: Field,
  name: Comparison | 'eq' | 'in',
  value: Scalar | readonly Scalar[],
  parameter: (value: unknown) => string,
): string[] {
  const asParameter = (one: unknown): unknown => (isJson ? JSON.stringify(one) : one);
  if (typeof value === 'object')
    return [`${text} = ANY(${parameter(value.map(asParameter))}${isJson ? '::jsonb[]' : ''})`];
  const bound = `${parameter(asParameter(value))}${isJson ? '::jsonb' : ''}`;
  if (name === 'eq' || name === 'in') return [`${text} = ${bound}`];
  const comparison = `${text} ${OPERATORS[name]} ${bound}`;
  // In JSON, any list is greater than any number, and any number than any text.
  return isJson && name !== 'ne'
    ? [`jsonb_typeof(${text}) = ${parameter(typeof value)}`, comparison]
    : [comparison];
}
