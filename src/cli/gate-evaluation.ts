/** A gate on the command line: indexes the corpora that its eval sets are asked of, and evaluates them. */
import path from 'node:path';
import type { EvaluatedDataset } from '../core/gate/evaluated.ts';
import { corpusIdentity } from '../engine/gate/corpus-identity.ts';
import type { GateDataset, NamedCorpus } from '../engine/gate/eval-sets.ts';
import { evaluateDataset, type GateConditions, type GateCorpus } from '../engine/gate/evaluate-dataset.ts';
import { directSearches } from '../engine/gate/gate-searches.ts';
import type { WorkOptions } from '../engine/types.ts';
import type { ParallaxConfig } from '../shared/config.ts';
import { openForEvaluation } from './evaluated-corpus.ts';
import { formatSkipped, progressLine } from './progress.ts';
import type { Io } from './terminal.ts';

export interface LocalGate extends GateConditions {
  readonly config: ParallaxConfig;
  /** Folder of parallax.json. */
  readonly base: string;
  /** Folder of the indexes and of what judges answered; temporary when left out. */
  readonly store: string | undefined;
}

/**
 * One corpus with all eval sets that are asked of it.
 *
 * @throws ParallaxError what indexing throws, and as {@link evaluateDataset}
 */
export async function evaluateOnCorpus(
  corpus: NamedCorpus,
  datasets: readonly GateDataset[],
  gate: LocalGate,
  io: Io,
): Promise<EvaluatedDataset[]> {
  const { config, base, store, judge } = gate;
  const folder = store && path.join(store, encodeURIComponent(corpus.name));
  const local = await openForEvaluation({ ...corpus, base }, folder, config, io);
  const { corpus: index, services, judgementService, judges } = local;
  try {
    await index.update({ onProgress: progressLine(io, `Indexing ${corpus.name}`) });
    for (const line of formatSkipped(index.skipped)) io.stderr(line);
    const searches = directSearches(index, services);
    const described = { name: corpus.name, ...(await corpusIdentity(index, {})) };
    const parts: GateCorpus = {
      index,
      services,
      searches,
      judgementService,
      judge: judges.get(judge),
      described,
    };
    const evaluated: EvaluatedDataset[] = [];
    for (const dataset of datasets)
      evaluated.push(await evaluateDataset(dataset, parts, gate, progressOf(dataset, io)));
    return evaluated;
  } finally {
    await local.close();
  }
}

function progressOf({ name }: GateDataset, io: Io): WorkOptions {
  return { onProgress: ({ detail = name, ...progress }) => progressLine(io, detail)(progress) };
}
