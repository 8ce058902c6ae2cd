/** Questions about a store, answered by the declaration of its type. */
import type * as z from 'zod';
import type { StoreType } from './store-type.ts';
import { STORES, type StoreRetriever, type VectorStoreRetriever } from './stores.ts';

function typeOf(store: StoreRetriever): StoreType<z.ZodType<StoreRetriever>> {
  return STORES[store.type] as unknown as StoreType<z.ZodType<StoreRetriever>>;
}

/** Where a store of this type answers unless it was told otherwise, or how its address begins. */
export function usualAddress(type: StoreRetriever['type']): string {
  return STORES[type].usualAddress;
}

export function isStore(retriever: { readonly type: string }): retriever is StoreRetriever {
  return Object.hasOwn(STORES, retriever.type);
}

/** Whether it ranks by vectors alone. */
export function isVectorStore(retriever: { readonly type: string }): retriever is VectorStoreRetriever {
  return isStore(retriever) && typeOf(retriever).ranksByVector(retriever);
}

/** Whether the store may leave out what an exact search would find. */
export function searchesApproximately(store: StoreRetriever): boolean {
  return typeOf(store).searchesApproximately(store);
}

/** Whether two pipelines search the same records, under the same ids, be it in different ways. */
export function isSameCollection(a: StoreRetriever, b: StoreRetriever): boolean {
  return a.type === b.type && JSON.stringify(typeOf(a).place(a)) === JSON.stringify(typeOf(b).place(b));
}

/** A store's name for people: `Chroma (articles)`. Its own MMR is told by the weight on relevance, whatever its polarity. */
export function storeLabel(store: StoreRetriever): string {
  return typeOf(store).label(store);
}
