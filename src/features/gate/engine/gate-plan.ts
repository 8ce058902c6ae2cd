/** Reads and checks everything that people configure for a gate, before anything runs. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import { checkNames, isNamed } from '../core/names.ts';
import type { GateSpec } from '../core/spec.ts';
import type { NamedPipeline } from '../../../core/pipeline.ts';
import type { ParallaxConfig } from '../../../shared/config.ts';
import { gatePipelines, knownPipelines } from '../../../shared/evaluation.ts';
import { judgeNames } from '../../../shared/named-judges.ts';
import { readEvalSets, type GateDataset, type ReadEvalSetsOptions } from './eval-sets.ts';

export interface GatePlan {
  readonly spec: GateSpec;
  readonly datasets: readonly GateDataset[];
  readonly pipelines: readonly NamedPipeline[];
}

/**
 * @param base folder of parallax.json
 * @param chosen eval sets by name or path; defaults to all
 * @throws ParallaxError `bad-config` for unknown names, and as {@link readEvalSets}
 */
export async function planGate(
  spec: GateSpec,
  config: ParallaxConfig,
  base: string,
  options: ReadEvalSetsOptions,
  chosen?: readonly string[],
): Promise<GatePlan> {
  const datasets = await readEvalSets(config, base, options);
  checkNames(spec, {
    pipelines: Object.keys(knownPipelines(config)),
    corpora: Object.keys(config.corpora),
    judges: judgeNames(config),
    datasets,
  });
  return {
    spec,
    datasets: chosen ? choose(datasets, chosen) : datasets,
    pipelines: gatePipelines(spec, config),
  };
}

function choose(datasets: readonly GateDataset[], chosen: readonly string[]): GateDataset[] {
  const missing = chosen.find((name) => !datasets.some((dataset) => isNamed(dataset, name)));
  if (missing !== undefined)
    throw new ParallaxError(
      'bad-config',
      l10n.t`There is no eval set "${missing}". Available: ${datasets.map(({ name }) => name).join(', ')}.`,
    );
  return datasets.filter((dataset) => chosen.some((name) => isNamed(dataset, name)));
}
