/** Creates the client of a store. */
import type { StoreRetriever } from '../../../core/external/stores.ts';
import { DIALECTS } from './dialects.gen.ts';
import type { FindEmbedder } from './query-vectors.ts';
import type { RemoteStore } from './remote-store.ts';

type CreateStore<S extends StoreRetriever> = (
  spec: S,
  secret: string | undefined,
  embedder: FindEmbedder,
) => RemoteStore;

/** A dialect for other settings than those that are declared does not compile. */
const CREATE_STORE: {
  readonly [T in StoreRetriever['type']]: CreateStore<Extract<StoreRetriever, { type: T }>>;
} = DIALECTS;

/**
 * @param secret the stored key or password that the store names; undefined if it names none
 * @param embedder by its name in parallax.json; embeds queries for the store
 */
export function createStore(
  spec: StoreRetriever,
  secret: string | undefined,
  embedder: FindEmbedder,
): RemoteStore {
  return (CREATE_STORE[spec.type] as CreateStore<StoreRetriever>)(spec, secret, embedder);
}
