/** Evaluates the data sets of a gate on the command line; indexes their corpora one after the other. */
import type { Baseline } from '../core/baseline.ts';
import type { EvaluatedDataset } from '../core/evaluated.ts';
import type { GateSpec } from '../core/spec.ts';
import type { ParallaxConfig } from '../../../shared/config.ts';
import type { Params, Result } from '../../../shared/rpc.ts';
import type { SharedBudget } from '../../../cli/figure-judging.ts';
import { keepsAnswers } from '../../../cli/kept-answers.ts';
import { configuredCorpus, openCorpus, updateIndex, warnOfSkipped } from '../../../cli/local-corpus.ts';
import { progressLine } from '../../../cli/presentation/progress.ts';
import type { Io } from '../../../cli/presentation/terminal.ts';

export interface LocalGate extends Pick<
  Params<'evaluateGate'>,
  'judge' | 'ask' | 'repeats' | 'lines' | 'passages'
> {
  readonly spec: GateSpec;
  readonly datasets: Result<'gatePlan'>['datasets'];
  readonly budget: SharedBudget;
  readonly config: ParallaxConfig;
  /** Folder of parallax.json. */
  readonly base: string;
  /** Folder of the indexes and the judges' answers. Defaults to a temporary folder. */
  readonly store: string | undefined;
}

/**
 * @param baseline its rankings are judged too
 * @returns results in the order of the data sets
 * @throws ParallaxError the errors of indexing, of a pipeline that could not be run, or of a judge that failed
 */
export async function evaluateGate(
  gate: LocalGate,
  baseline: Baseline | undefined,
  io: Io,
): Promise<EvaluatedDataset[]> {
  const byName = new Map<string, EvaluatedDataset>();
  for (const [corpus, datasets] of Map.groupBy(gate.datasets, (dataset) => dataset.corpus))
    for (const evaluated of await evaluateOnCorpus(corpus, datasets, { ...gate, baseline }, io))
      byName.set(evaluated.name, evaluated);
  return gate.datasets.map(({ name }) => byName.get(name)!);
}

/** One corpus with all its eval sets. */
async function evaluateOnCorpus(
  name: string,
  datasets: LocalGate['datasets'],
  {
    config,
    base,
    store,
    spec,
    judge,
    ask,
    repeats,
    lines,
    passages,
    budget,
    baseline,
  }: LocalGate & Pick<Params<'evaluateGate'>, 'baseline'>,
  io: Io,
): Promise<readonly EvaluatedDataset[]> {
  await using local = await openCorpus(configuredCorpus(name, config, base)!, store, config, io);
  await updateIndex(local, io, { title: `Indexing ${name}` });
  await warnOfSkipped(local, io);
  const answer = await local.engine.request(
    'evaluateGate',
    {
      config,
      spec,
      datasets,
      judge,
      ask,
      repeats,
      lines,
      passages,
      budget: budget.left,
      keepsAnswers: keepsAnswers(store),
      baseline,
    },
    { onProgress: ({ detail = name, ...progress }) => progressLine(io, detail)(progress) },
  );
  budget.spend(answer.spent);
  return answer.datasets;
}
