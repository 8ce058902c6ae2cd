/** Requests to Weaviate, in its GraphQL. Names come from a checked spec, everything else is written as a value. */
import type { WeaviateRetriever } from '../../../core/external/stores/weaviate.ts';
import { bothFilters } from './both-filters.ts';

/** The most results it returns, unless its settings allow more. */
export const MAX_RESULTS = 10_000;

/** An operand, as in filters of Weaviate's REST interface. */
export type Condition = Readonly<Record<string, unknown>>;

const NAME = /^[A-Za-z_]\w*$/u;

/** Values that are written without quotes. */
const BARE: readonly string[] = ['operator'];

/**
 * A value in the syntax of GraphQL.
 *
 * @throws TypeError for a name that is invalid in GraphQL
 */
export function literal(value: unknown, under?: string): string {
  if (Array.isArray(value)) return `[${value.map((item) => literal(item)).join(', ')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([name, inner]) => `${checkedName(name)}: ${literal(inner, name)}`)
      .join(', ')}}`;
  if (typeof value === 'string' && under !== undefined && BARE.includes(under)) return checkedName(value);
  return JSON.stringify(value);
}

function checkedName(name: string): string {
  if (NAME.test(name)) return name;
  throw new TypeError(`"${name}" is no name`);
}

/** @param further a condition beside the filter of the pipeline */
export function whereOf({ filter }: WeaviateRetriever, further?: Condition): { where?: Condition } {
  return bothFilters<'where', Condition>('where', filter, further, (...operands) => ({
    operator: 'And',
    operands,
  }));
}

export function nearVector({ vector: name }: WeaviateRetriever, vector: Float32Array): object {
  return { nearVector: { vector: [...vector], ...(name === undefined ? {} : { targetVectors: [name] }) } };
}

export function hybrid(
  { vector: name, alpha }: WeaviateRetriever,
  text: string,
  vector: Float32Array,
): object {
  return {
    hybrid: {
      query: text,
      vector: [...vector],
      ...(alpha === undefined ? {} : { alpha }),
      ...(name === undefined ? {} : { targetVectors: [name] }),
    },
  };
}

/** Objects with one of these ids. Needs at least one id. */
export function withIds(ids: readonly string[]): Condition {
  const each = ids.map((id) => ({ path: ['id'], operator: 'Equal', valueText: id }));
  return each.length === 1 ? each[0]! : { operator: 'Or', operands: each };
}

/**
 * Objects of the collection with the requested fields.
 *
 * @param fields properties, by their names
 * @param additional what Weaviate returns beside the properties
 */
export function getQuery(
  { collection, tenant }: WeaviateRetriever,
  args: object,
  fields: readonly string[],
  additional: string,
): string {
  const selection = [...fields, `_additional { ${additional} }`].join(' ');
  return `{ Get { ${collection}${argumentsOf({ ...args, ...ofTenant(tenant) })} { ${selection} } } }`;
}

export function countQuery(spec: WeaviateRetriever): string {
  const args = { ...whereOf(spec), ...ofTenant(spec.tenant) };
  return `{ Aggregate { ${spec.collection}${argumentsOf(args)} { meta { count } } } }`;
}

function ofTenant(tenant: string | undefined): { tenant?: string } {
  return tenant === undefined ? {} : { tenant };
}

function argumentsOf(args: object): string {
  const entries = Object.entries(args);
  if (entries.length === 0) return '';
  return `(${entries.map(([name, value]) => `${checkedName(name)}: ${literal(value)}`).join(', ')})`;
}
