/** Shared by tests of stores: an engine over the debate corpus or a few texts, and specs with their defaults. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { storeRetrieverSchema, type StoreRetriever } from '../../../../src/core/external/stores.ts';
import { type Engine } from '../../../../src/engine/engine.ts';
import type { RequestContext } from '../../../../src/engine/requests/request.ts';
import { Embedders } from '../../../../src/engine/embedders/embedders.ts';
import { ExternalRetrievers } from '../../../../src/engine/external/external-retrievers.ts';
import type { RemoteStore } from '../../../../src/engine/external/stores/remote-store.ts';
import type { Loaded } from '../../../fixtures/stores/loading.ts';
import { records, testWorkspace, type Closing } from '../../../fixtures/workspace.ts';

export const context: RequestContext = { signal: new AbortController().signal, report: () => undefined };

const DEBATE = '../shared/data/debate';
export const debateAbsent = existsSync(DEBATE) ? false : `cannot run here: ${DEBATE} is absent`;

export interface DebateLine {
  readonly _id: string;
  readonly text: string;
  readonly perspectives?: readonly { readonly id: string; readonly text: string }[];
}

export function debateLines(file: 'corpus.jsonl' | 'queries.jsonl'): DebateLine[] {
  return readFileSync(path.join(DEBATE, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as DebateLine);
}

const embedders = new Embedders({ embedders: {}, keys: {}, base: '.' });

/** Passages as a program of the user would have stored them. */
export async function embedded(texts: readonly { id: string; text: string }[]): Promise<Loaded[]> {
  const embedder = await embedders.get('hashing');
  const vectors = await embedder.embedPassages(texts.map(({ text }) => text));
  const dimensions = vectors.length / texts.length;
  return texts.map(({ id, text }, index) => ({
    id,
    text,
    vector: vectors.slice(index * dimensions, (index + 1) * dimensions),
  }));
}

export const storeSpec = (spec: object): StoreRetriever => storeRetrieverSchema.parse(spec);

export function retrievers(t: TestContext, keys: Record<string, string> = {}): ExternalRetrievers {
  const externals = new ExternalRetrievers({ base: '.', trusted: true, keys }, (name) => embedders.get(name));
  t.after(() => externals.dispose());
  return externals;
}

export function openStore(t: TestContext, spec: object, keys: Record<string, string> = {}): RemoteStore {
  return retrievers(t, keys).store(storeSpec(spec));
}

/** An engine that has indexed these texts as the corpus `docs`. */
export async function openEngine(
  t: Closing,
  texts: readonly { id: string; text: string }[],
): Promise<Engine> {
  const { engine } = await testWorkspace(t, {
    files: { 'corpus.jsonl': records(Object.fromEntries(texts.map(({ id, text }) => [id, text]))) },
    corpora: { docs: { roots: ['corpus.jsonl'], split: { type: 'none' } } },
    approximateAbove: 1_000_000,
  });
  return engine;
}

/** A port with a listener that never answers. */
export async function silentPort(t: TestContext): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A port without a listener. */
export async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
