/** Reads and removes the filter of a store. */
import type { RetrieverSpec } from '../../../core/pipeline.ts';

/** The names that stores use. */
const FIELDS = ['filter', 'where'] as const;

/** The filter in the store's own language. Empty if there is none. */
export function filterText(retriever: RetrieverSpec): string {
  if (retriever.type === 'hybrid')
    return retriever.retrievers
      .map(filterText)
      .filter((text) => text !== '')
      .join(', ');
  const [filter = {}] = Object.entries(retriever).flatMap(([name, value]) =>
    FIELDS.some((field) => field === name) && value !== undefined ? [value as unknown] : [],
  );
  if (typeof filter === 'string') return filter;
  return JSON.stringify(filter).replace('{}', '');
}

/** The retriever and its parts without a filter. */
export function withoutFilter<T extends RetrieverSpec>(retriever: T): T {
  if (retriever.type === 'hybrid')
    return { ...retriever, retrievers: retriever.retrievers.map((part) => withoutFilter(part)) } as T;
  const fields = Object.entries(retriever).filter(([name]) => !FIELDS.some((field) => field === name));
  const plain = Object.fromEntries(fields);
  return (retriever.type === 'postgres' ? { ...plain, where: {} } : plain) as T;
}
