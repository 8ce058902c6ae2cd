/**
 * Evaluations of eval sets as passed between processes: the gate's report, the history, and documents that no query
 * reaches.
 */
import * as z from 'zod';
import { unreachedSchema } from '../core/analysis/unreached.ts';
import { baselineSpecSchema, gateSchema, type GateSpec } from '../features/gate/core/spec.ts';
import type { Read } from '../core/read.ts';
import { BUILT_IN_PIPELINES, DEFAULT_PIPELINE, type NamedPipeline, type Pipeline } from '../core/pipeline.ts';
import type { ParallaxConfig } from './config.ts';
import { countingJudgeName } from './named-judges.ts';

export {
  evaluationSummarySchema,
  type EvaluationSummary,
  type SummaryRow,
} from '../features/history/core/summary.ts';

/** The baseline if parallax.json names none and this file exists. */
export const DEFAULT_BASELINE = '.parallax/baselines/main.json';

/** The gate of parallax.json. Defaults to the first pipeline at its own k, without checks. */
export function gateOf({ gate, pipelines }: Pick<ParallaxConfig, 'gate' | 'pipelines'>): GateSpec {
  if (gate) return gate;
  const [name, pipeline] = Object.entries(pipelines)[0] ?? [DEFAULT_PIPELINE.name, DEFAULT_PIPELINE.pipeline];
  return gateSchema.parse({ pipelines: [name], k: pipeline.k });
}

/** The pipelines in a gate. They must exist, see `checkNames`. */
export function gatePipelines(
  spec: Pick<GateSpec, 'pipelines'>,
  config: Pick<ParallaxConfig, 'pipelines'>,
): NamedPipeline[] {
  const known = knownPipelines(config);
  return spec.pipelines.map((name) => ({ name, pipeline: known[name]! }));
}

/** The pipelines of parallax.json and the built-in ones. */
export function knownPipelines({
  pipelines,
}: Pick<ParallaxConfig, 'pipelines'>): Readonly<Record<string, Pipeline>> {
  return { ...BUILT_IN_PIPELINES, ...pipelines };
}

/** The judge that counts beside human labels in a gate. `labels` instead of a guessing judge. */
export function gateJudge({ judge }: GateSpec, config: Pick<ParallaxConfig, 'judge' | 'judges'>): string {
  return countingJudgeName(judge ?? config.judge ?? 'labels', config.judges);
}

/** The corpus that the gate assigns to an eval set. Eval sets may also be named without folder and extension. */
export function corpusOfEvalSet(config: ParallaxConfig, evalSet: string): string {
  const { corpora } = gateOf(config);
  const name = evalSet.replace(/^.*\//u, '').replace(/(?<=.)(?:\.parallax)?\.[^.]*$/u, '');
  return corpora[evalSet] ?? corpora[name] ?? config.corpus ?? Object.keys(config.corpora)[0] ?? '';
}

/**
 * Adds the default baseline if parallax.json names none. No query may lose a perspective that it covered, so that the
 * gate and the Testing view agree.
 */
export function withDefaultBaseline(spec: GateSpec): GateSpec {
  if (spec.baseline) return spec;
  return { ...spec, baseline: baselineSpecSchema.parse({ file: DEFAULT_BASELINE, lostPerspectives: 0 }) };
}

/** Documents that no query reaches, as far as the corpus can answer the queries. */
export const unreachedReportSchema = unreachedSchema.extend({
  /** Queries that were skipped because the corpus has no pages for them. */
  leftOut: z.array(z.object({ id: z.string(), text: z.string() })),
});
export type UnreachedReport = Read<typeof unreachedReportSchema>;
