/** A gate on the command line: indexes the corpora that its eval sets are asked of, and evaluates them. */
import path from 'node:path';
import type { EvaluatedDataset } from '../core/gate/evaluated.ts';
import type { GateDataset, NamedCorpus } from '../engine/gate/eval-sets.ts';
import type { GateConditions } from '../engine/gate/evaluate-dataset.ts';
import type { WorkOptions } from '../engine/types.ts';
import type { ParallaxConfig } from '../shared/config.ts';
import { openForEvaluation } from './evaluated-corpus.ts';
import type { NamedPipeline } from './options/pipeline-option.ts';
import { formatSkipped, progressLine } from './presentation/progress.ts';
import type { Io } from './presentation/terminal.ts';

export interface LocalGate extends GateConditions {
  readonly pipelines: readonly NamedPipeline[];
  readonly config: ParallaxConfig;
  /** Folder of parallax.json. */
  readonly base: string;
  /** Folder of the indexes and of what judges answered; temporary when left out. */
  readonly store: string | undefined;
}

/**
 * One corpus with all eval sets that are asked of it.
 *
 * @throws ParallaxError what indexing throws, and of a pipeline that could not be run, or a judge that failed
 */
export async function evaluateOnCorpus(
  corpus: NamedCorpus,
  datasets: readonly GateDataset[],
  gate: LocalGate,
  io: Io,
): Promise<EvaluatedDataset[]> {
  const { config, base, store, pipelines } = gate;
  const folder = store && path.join(store, encodeURIComponent(corpus.name));
  const local = await openForEvaluation({ ...corpus, base }, folder, config, io);
  try {
    await local.corpus.update({ onProgress: progressLine(io, `Indexing ${corpus.name}`) });
    for (const line of formatSkipped(local.corpus.skipped)) io.stderr(line);
    const asked = datasets.map((dataset) => ({ ...dataset, corpus: corpus.name }));
    const onProgress: WorkOptions['onProgress'] = ({ detail = corpus.name, ...progress }) =>
      progressLine(io, detail)(progress);
    return await local.evaluations.evaluateDatasets(asked, pipelines, gate, { onProgress });
  } finally {
    await local.close();
  }
}
