/** Evaluations of eval sets as they cross process borders: the gate's report, the history, and what no query reaches. */
import * as z from 'zod';
import { unreachedSchema } from '../core/analysis/unreached.ts';
import { baselineSpecSchema, gateSchema, type GateSpec } from '../core/gate/spec.ts';
import type { Read } from '../core/read.ts';
import { BUILT_IN_PIPELINES, DEFAULT_PIPELINE, type NamedPipeline, type Pipeline } from '../core/pipeline.ts';
import type { ParallaxConfig } from './config.ts';
import { countingJudgeName } from './judge-types.ts';

export { evaluationSummarySchema, type EvaluationSummary, type SummaryRow } from '../core/history/summary.ts';

/** Counts where parallax.json names no baseline, as soon as it is there. */
export const DEFAULT_BASELINE = '.parallax/baselines/main.json';

/**
 * The gate of parallax.json, or else the default pipeline, which is the first one, at its own k and without checks.
 */
export function gateOf({ gate, pipelines }: Pick<ParallaxConfig, 'gate' | 'pipelines'>): GateSpec {
  if (gate) return gate;
  const [name, pipeline] = Object.entries(pipelines)[0] ?? [DEFAULT_PIPELINE.name, DEFAULT_PIPELINE.pipeline];
  return gateSchema.parse({ pipelines: [name], k: pipeline.k });
}

/** The pipelines that a gate names. They must be known: see `checkNames`. */
export function gatePipelines(
  spec: Pick<GateSpec, 'pipelines'>,
  config: Pick<ParallaxConfig, 'pipelines'>,
): NamedPipeline[] {
  const known = knownPipelines(config);
  return spec.pipelines.map((name) => ({ name, pipeline: known[name]! }));
}

/** Those of parallax.json, and those that are built in. */
export function knownPipelines({
  pipelines,
}: Pick<ParallaxConfig, 'pipelines'>): Readonly<Record<string, Pipeline>> {
  return { ...BUILT_IN_PIPELINES, ...pipelines };
}

/** Whose judgements count beside human labels in a gate: nobody's in the place of a judge that guesses. */
export function gateJudge({ judge }: GateSpec, config: Pick<ParallaxConfig, 'judge' | 'judges'>): string {
  return countingJudgeName(judge ?? config.judge ?? 'labels', config.judges);
}

/** As the gate chooses it; eval sets may be named without folder and ending, too. */
export function corpusOfEvalSet(config: ParallaxConfig, evalSet: string): string {
  const { corpora } = gateOf(config);
  const name = evalSet.replace(/^.*\//u, '').replace(/(?<=.)(?:\.parallax)?\.[^.]*$/u, '');
  return corpora[evalSet] ?? corpora[name] ?? config.corpus ?? Object.keys(config.corpora)[0] ?? '';
}

/**
 * With a baseline to compare with, where parallax.json names none. No query may lose a perspective that it covered, so that
 * the gate is missed where a test of the Testing view fails.
 */
export function withDefaultBaseline(spec: GateSpec): GateSpec {
  if (spec.baseline) return spec;
  return { ...spec, baseline: baselineSpecSchema.parse({ file: DEFAULT_BASELINE, lostPerspectives: 0 }) };
}

/** Documents that no query reaches, as far as the corpus answers the queries at all. */
export const unreachedReportSchema = unreachedSchema.extend({
  /** The corpus has no pages that were found for them: they were not asked. */
  leftOut: z.array(z.object({ id: z.string(), text: z.string() })),
});
export type UnreachedReport = Read<typeof unreachedReportSchema>;
