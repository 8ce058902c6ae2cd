/** The vector store behind a call, by its class name. */
import { calleeName } from '../resolve/chain.ts';
import { classOf } from '../resolve/class-of.ts';
import { follow } from '../resolve/follow.ts';
import { originOf } from '../resolve/origin.ts';
import { firstReached } from '../resolve/parameters.ts';
import type { Program } from '../resolve/program.ts';
import { callContextOf } from './fields.ts';
import type { Match } from './match.ts';

/** Whether searches of the store are known to support MMR, or the library has only its own store. */
export function takesMmr(program: Program, match: Match): boolean {
  const stores = match.rule.library.mmrStores;
  if (!stores) return true;
  const name = storeOf(program, match);
  return name !== undefined && stores.names.includes(name);
}

/** The class of the store of a framework's retriever. */
export function storeOf(program: Program, match: Match): string | undefined {
  const { callee } = match.call;
  if (callee.kind !== 'member') return undefined;
  return match.rule.library.library === 'llama-index'
    ? storeOfIndex(program, match)
    : classOf(program, callee.object)?.name;
}

/** The store of a LlamaIndex index; without one it keeps its vectors in memory. */
function storeOfIndex(program: Program, match: Match): string | undefined {
  const { callee } = match.call;
  const origin = callee.kind === 'member' ? originOf(program, callee.object) : undefined;
  if (origin?.kind !== 'imported' || origin.ambiguous || !origin.path.includes('VectorStoreIndex'))
    return undefined;
  const callContext = callContextOf(program, match);
  const named = firstReached(callContext, ['<from_vector_store.vector_store', '<from_vector_store.#0']);
  if (named.state === 'found') return named.located[0] && classOf(program, named.located[0].expression)?.name;
  const context = firstReached(callContext, ['<*.storage_context']);
  if (context.state === 'absent' && named.state === 'absent') return 'SimpleVectorStore';
  const storageContext =
    context.state === 'found' && context.located[0]
      ? follow(program, context.located[0].expression)
      : undefined;
  if (
    storageContext?.expression?.kind !== 'call' ||
    calleeName(storageContext.expression) !== 'from_defaults'
  )
    return undefined;
  const store = storageContext.expression.arguments.find(
    (each) => each.kind === 'named' && each.name === 'vector_store',
  );
  return store && classOf(program, store.value)?.name;
}
