/** The debate corpus of the shared data, indexed in a folder, with the parts of the engine under measurement. */
import path from 'node:path';
import { engineConfig } from '../../src/cli/local-engine.ts';
import { corpusOfPaths, placeCorpus } from '../../src/cli/local-corpus.ts';
import type { Configured } from '../../src/engine/configured.ts';
import type { CorpusIndex } from '../../src/engine/corpora/corpus-index.ts';
import { EngineState } from '../../src/engine/engine-state.ts';
import type { PipelineServices } from '../../src/engine/retrieval/pipeline-services.ts';
import { configSchema } from '../../src/shared/config.ts';

export const DEBATE = '../shared/data/debate';

export interface Debate extends Pick<Configured, 'experiments' | 'judges' | 'judgementService' | 'replies'> {
  readonly corpus: CorpusIndex;
  readonly services: PipelineServices;
  close(): Promise<void>;
}

/** @param store folder of the index */
export async function openDebate(store: string): Promise<Debate> {
  const source = corpusOfPaths({ paths: [path.join(DEBATE, 'corpus.jsonl')], split: { type: 'none' } });
  const { options } = await placeCorpus(source, store, configSchema.parse({}));
  const state = new EngineState(undefined, (message) => void process.stderr.write(`${message}\n`));
  await state.configure(engineConfig(options));
  const corpus = await state.corpora.get(source.name);
  await corpus.update({});
  const { experiments, judges, judgementService, replies, servicesOf } = state.current;
  const services = servicesOf(corpus);
  return { corpus, services, experiments, judges, judgementService, replies, close: () => state.close() };
}
