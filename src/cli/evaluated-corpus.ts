/** A corpus for commands that evaluate on it, with the parts of the engine that they still work with themselves. */
import { rm } from 'node:fs/promises';
import { EngineState } from '../engine/engine-state.ts';
import type { CorpusIndex } from '../engine/corpora/corpus-index.ts';
import type { JudgementService } from '../engine/judgements/judgement-service.ts';
import type { Judges } from '../engine/judges/judges.ts';
import type { PaidReplies } from '../engine/models/paid-replies.ts';
import type { PipelineServices } from '../engine/retrieval/pipeline-services.ts';
import { engineConfig } from './local-engine.ts';
import { placeCorpus, type CorpusSource } from './local-corpus.ts';
import type { Models } from './store-manifest.ts';
import type { Io } from './presentation/terminal.ts';

export interface EvaluatedCorpus {
  readonly corpus: CorpusIndex;
  /** Models, files and judges as `parallax.json` names them. */
  readonly services: PipelineServices;
  readonly judges: Judges;
  readonly judgementService: JudgementService;
  /** Kept with the index, like all that is paid for. */
  readonly replies: PaidReplies;
  /** Closes the index, and removes it where it was temporary. */
  close(): Promise<void>;
}

/**
 * @param store folder of the index; a temporary one when left out
 * @throws ParallaxError `store-unusable`
 */
export async function openForEvaluation(
  source: CorpusSource,
  store: string | undefined,
  models: Models,
  io: Io,
): Promise<EvaluatedCorpus> {
  const { options, temporary } = await placeCorpus(source, store, models);
  const state = new EngineState(undefined, (message) => io.stderr(`${message}\n`));
  await state.configure(engineConfig(options));
  const corpus = await state.corpora.get(source.name);
  const { judges, judgementService, replies } = state.current;
  return {
    corpus,
    services: state.servicesOf(corpus),
    judges,
    judgementService,
    replies,
    close: async () => {
      await state.close();
      if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
    },
  };
}
