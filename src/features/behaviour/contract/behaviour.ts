/** Requests and results of behaviour checks of pipelines. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { checkResultSchema } from '../core/checks.ts';
import { NAMED_VARIANTS, type NamedPipelines } from '../core/variants.ts';
import { ParallaxError } from '../../../core/errors.ts';
import { pipelineSchema, type Pipeline } from '../../../core/pipeline.ts';

/** More questions give a more reliable result and take longer. */
export const MAX_QUESTIONS = 10;

const pipelineName = z.string().min(1).optional();

/** In parallax.json: the name of a pipeline → the names of pipelines that differ from it in one setting. */
export const behaviourSchema = z.record(
  z.string().min(1),
  z.strictObject({
    lambda0: pipelineName.describe('The same with λ = 0: diversity alone.'),
    lambda1: pipelineName.describe('The same with λ = 1: relevance alone.'),
    withoutMmr: pipelineName.describe('The same without MMR.'),
    withoutRerank: pipelineName.describe('The same without its reranker.'),
    withoutFilter: pipelineName.describe('The same without its filter.'),
    nextPage: pipelineName.describe('The same for the passages after the first k.'),
  }),
);

export const behaviourRequest = {
  params: z.object({
    /** Not needed for a user's own retriever without further steps. */
    corpus: z.string().optional(),
    pipeline: pipelineSchema,
    named: z.partialRecord(z.enum(NAMED_VARIANTS), pipelineSchema),
    questions: z.array(z.string().min(1)).min(1).max(MAX_QUESTIONS),
  }),
  result: z.object({
    checks: z.array(checkResultSchema),
    /** Variants that failed, with the reason. */
    failed: z.array(z.object({ variant: z.string(), message: z.string() })),
  }),
} as const;
export type BehaviourReport = Read<(typeof behaviourRequest)['result']>;

interface Config {
  readonly pipelines: Readonly<Record<string, Pipeline>>;
  readonly behaviour: Read<typeof behaviourSchema>;
}

/**
 * The pipelines that parallax.json declares as variants of one.
 *
 * @throws ParallaxError `bad-config` for an unknown pipeline
 */
export function namedPipelines(name: string, { pipelines, behaviour }: Config): NamedPipelines {
  const named = Object.hasOwn(behaviour, name) ? behaviour[name] : undefined;
  const entries = NAMED_VARIANTS.flatMap((variant) => {
    const variantName = named?.[variant];
    if (variantName === undefined) return [];
    const pipeline = Object.hasOwn(pipelines, variantName) ? pipelines[variantName] : undefined;
    if (pipeline) return [[variant, pipeline] as const];
    throw new ParallaxError(
      'bad-config',
      l10n.t`parallax.json: behaviour.${name}.${variant} is "${variantName}"; no pipeline has this name.`,
    );
  });
  return Object.fromEntries(entries);
}
