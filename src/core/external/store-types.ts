/** Properties of a store, from the declaration of its type. */
import type * as z from 'zod';
import type { StoreType } from './store-type.ts';
import { STORES } from './stores.gen.ts';
import type { StoreRetriever, VectorStoreRetriever } from './stores.ts';

function typeOf(store: StoreRetriever): StoreType<z.ZodType<StoreRetriever>> {
  return STORES[store.type] as unknown as StoreType<z.ZodType<StoreRetriever>>;
}

export function isStore(retriever: { readonly type: string }): retriever is StoreRetriever {
  return Object.hasOwn(STORES, retriever.type);
}

/** Whether it ranks by vectors alone. */
export function isVectorStore(retriever: { readonly type: string }): retriever is VectorStoreRetriever {
  return isStore(retriever) && typeOf(retriever).ranksByVector(retriever);
}

/** Whether the store may miss results of an exact search. */
export function searchesApproximately(store: StoreRetriever): boolean {
  return typeOf(store).searchesApproximately(store);
}

/** Whether two stores have the same records and ids, even if they search differently. */
export function isSameCollection(a: StoreRetriever, b: StoreRetriever): boolean {
  return a.type === b.type && JSON.stringify(typeOf(a).place(a)) === JSON.stringify(typeOf(b).place(b));
}

/**
 * Display name of a store: `Chroma (articles)`. Its own MMR is shown as the weight of relevance, whatever the store's
 * scale.
 */
export function storeLabel(store: StoreRetriever): string {
  return typeOf(store).label(store);
}
