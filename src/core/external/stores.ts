/**
 * Stores as retrievers in a pipeline. A collection is searched where it is stored. Pipelines contain no passwords or
 * keys; `key` is the name of a stored one.
 */
import * as z from 'zod';
import type { Read } from '../read.ts';
import { STORES } from './stores.gen.ts';

type Schema = (typeof STORES)[keyof typeof STORES]['schema'];
/** The schemas of all types, in order. */
export const storeRetrieverSchemas = Object.values(STORES).map(({ schema }) => schema) as [
  Schema,
  ...Schema[],
];
export const storeRetrieverSchema = z.discriminatedUnion('type', storeRetrieverSchemas);

export type StoreRetriever = Read<typeof storeRetrieverSchema>;
/** A store that is searched by vector, so that a query can be projected. */
export type VectorStoreRetriever = StoreRetriever & { readonly embedder: string };
