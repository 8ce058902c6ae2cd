/** The real engine in a child process, and programs that send it spans with a real exporter. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { EngineClient } from '../../../src/extension/engine-process/engine-client.ts';
import { judgedReply } from '../../fixtures/model-server.ts';
import { engineConfig } from '../../fixtures/workspace.ts';
import { engineBundle } from '../../fixtures/engine-bundle.ts';

const ENGINE = await engineBundle();

export const DOCS = {
  'night.md': 'Night trams bring workers home when the last bus has left the depot hours ago.',
  'noise.md': 'Night trams wake people who live beside the tracks, and their children too.',
};

export interface Setup {
  readonly client: EngineClient;
  /** Everything that was logged by engine and client. */
  readonly log: string[];
  /** Ends the engine, and starts another one as a reloaded window does. */
  readonly reload: () => EngineClient;
  /** The workspace. */
  readonly folder: string;
}

export function setUp(t: TestContext, { trusted = true } = {}): Setup {
  const folder = mkdtempSync(path.join(tmpdir(), 'parallax-capture-'));
  mkdirSync(path.join(folder, 'docs'));
  for (const [name, text] of Object.entries(DOCS)) writeFileSync(path.join(folder, 'docs', name), text);
  const log: string[] = [];
  const note = (message: string): void => void log.push(message);
  const config = engineConfig(folder, { corpora: { docs: { roots: ['docs'] } } }, { trusted });
  const begin = (): EngineClient =>
    new EngineClient({
      enginePath: ENGINE,
      config: () => Promise.resolve(config),
      complete: ({ messages }) => {
        const reply = judgedReply(messages, () => ({ verdict: 'yes' }));
        return Promise.resolve({ text: 'text' in reply ? reply.text : '', model: 'scripted' });
      },
      log: { info: note, warn: note, error: note },
    });
  const client = begin();
  const clients = [client];
  t.after(() => {
    for (const each of clients) each.dispose();
    rmSync(folder, { recursive: true, force: true });
  });
  const reload = (): EngineClient => {
    clients.at(-1)!.dispose();
    const next = begin();
    clients.push(next);
    return next;
  };
  return { client, log, folder, reload };
}

export interface Sent {
  readonly query: string;
  readonly documents?: readonly { readonly id?: string; readonly text?: string }[];
  readonly attributes?: Readonly<Record<string, string | number>>;
}

/** Sends spans like an instrumented program: in a batch, flushed at its end. */
export async function send(url: string, retrievals: readonly Sent[]): Promise<void> {
  const processor = new BatchSpanProcessor(new OTLPTraceExporter({ url }));
  const provider = new BasicTracerProvider({ spanProcessors: [processor] });
  const tracer = provider.getTracer('openinference.instrumentation.langchain');
  for (const { query, documents = [], attributes } of retrievals) {
    const own = documents.flatMap(({ id, text }, place) => [
      ...(id === undefined ? [] : [[`retrieval.documents.${place}.document.id`, id]]),
      ...(text === undefined ? [] : [[`retrieval.documents.${place}.document.content`, text]]),
    ]);
    const all = {
      'openinference.span.kind': 'RETRIEVER',
      'input.value': query,
      ...(Object.fromEntries(own) as Record<string, string>),
      ...attributes,
    };
    tracer.startSpan('VectorStoreRetriever', { attributes: all }).end();
  }
  await provider.forceFlush();
  await provider.shutdown();
}

export async function until<T>(what: () => Promise<T | undefined> | T | undefined, why: string): Promise<T> {
  for (const end = Date.now() + 20_000; Date.now() < end; await sleep(20)) {
    const found = await what();
    if (found !== undefined) return found;
  }
  throw new Error(why);
}

/** Whether there is a listener at the address for spans. */
export async function answers(url: string): Promise<boolean> {
  try {
    await fetch(url);
    return true;
  } catch {
    return false;
  }
}
