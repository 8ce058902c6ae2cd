/** Engines in separate processes, as the editor forks them, and their results. */
import { EngineClient } from '../../../../src/extension/engine-process/engine-client.ts';
import { createEngine, type Engine } from '../../../../src/engine/engine.ts';
import type { Pipeline } from '../../../../src/core/pipeline.ts';
import type { EngineConfig } from '../../../../src/shared/requests/configuration.ts';
import type { EngineMethod, Params, ProgressNote, Result } from '../../../../src/shared/rpc.ts';
import { engineBundle } from '../../../fixtures/engine-bundle.ts';
import { CORPUS, QUESTIONS } from './workspace.ts';

export interface ForkedEngine {
  readonly client: EngineClient;
  readonly log: readonly string[];
  /** As after a crash: nothing is closed or reported. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts and configures an engine. */
export async function forkEngine(config: EngineConfig): Promise<ForkedEngine> {
  const log: string[] = [];
  const note = (message: string): void => void log.push(message);
  const client = new EngineClient({
    enginePath: await engineBundle(),
    config: () => Promise.resolve(config),
    complete: () => Promise.reject(new Error('No editor here.')),
    log: { info: note, warn: note, error: note },
  });
  await client.request('keptComparisons', {});
  const { pid } = client;
  if (pid === undefined) throw new Error(`The engine ended at once: ${log.join('\n')}`);
  return {
    client,
    log,
    kill: async () => {
      if (isAlive(pid)) process.kill(pid, 'SIGKILL');
      await gone(pid);
      client.dispose();
    },
    stop: async () => {
      client.dispose();
      await gone(pid);
    },
  };
}

const POLL_MS = 5;

/** Resolves once the process has ended and Node has noticed. */
async function gone(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** An engine, in another process or in this one. */
export interface Asked {
  request<M extends EngineMethod>(
    method: M,
    params: Params<M>,
    options?: { readonly signal?: AbortSignal; readonly onNote?: (note: ProgressNote) => void },
  ): Promise<Result<M>>;
}

/** Runs work on an engine in this process, without faults. */
export async function undisturbed<T>(config: EngineConfig, work: (engine: Asked) => Promise<T>): Promise<T> {
  const engine = createEngine(undefined, () => undefined);
  try {
    await engine.configure(config);
    return await work(inProcess(engine));
  } finally {
    await engine.close();
  }
}

export function inProcess(engine: Engine): Asked {
  return {
    request: <M extends EngineMethod>(
      method: M,
      params: Params<M>,
      { signal, onNote }: { signal?: AbortSignal; onNote?: (note: ProgressNote) => void } = {},
    ) => {
      const handler = engine[method] as (
        own: Params<M>,
        context: { signal: AbortSignal; report: (note: ProgressNote) => void },
      ) => Promise<Result<M>>;
      return handler.call(engine, params, {
        signal: signal ?? new AbortController().signal,
        report: onNote ?? (() => undefined),
      });
    },
  };
}

/** The passage behind a hit, without its slot, which depends on how the index was built. */
export interface Found {
  readonly question: string;
  readonly pipeline: string;
  readonly passages: readonly string[];
}

/** All that pipelines find for some questions, in an order that does not depend on slots. */
export async function findings(engine: Asked, pipelines: readonly Pipeline[]): Promise<Found[]> {
  const found: Found[] = [];
  for (const pipeline of pipelines)
    for (const question of QUESTIONS) {
      const { candidates } = await engine.request('search', {
        corpus: CORPUS,
        query: { text: question },
        perspectives: [],
        pipeline,
      });
      const passages = candidates.map(
        ({ score, id, documentId, title, path, text, hash, span, lines, verbatim, recordLine }) =>
          JSON.stringify([score, id, documentId, title, path, text, hash, span, lines, verbatim, recordLine]),
      );
      found.push({ question, pipeline: JSON.stringify(pipeline.retriever), passages: passages.sort() });
    }
  return found;
}

/** Updates the index of the corpus. */
export function index(engine: Asked, onNote?: (note: ProgressNote) => void): Promise<Result<'index'>> {
  return engine.request('index', { corpus: CORPUS, rebuild: false }, onNote ? { onNote } : {});
}
