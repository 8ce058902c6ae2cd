/**
 * The pipeline for a call site: the user's own retriever if the site is bound to one, else a similar pipeline on
 * Parallax's own index. What cannot be rebuilt is reported, never guessed.
 */
import { MEANING } from '../core/embedding/built-in.ts';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../core/errors.ts';
import {
  isExternal,
  parsePipeline,
  retrieverSchema,
  type Pipeline,
  type RetrieverSpec,
} from '../core/pipeline.ts';
import type { Binding, EmbedderConfig } from '../shared/config.ts';
import type { CallSite, Field } from './model.ts';
import type { RerankerSpec } from '../core/rerank/rerankers.ts';

/** `measured`: results of the user's own retriever. `rebuilt`: results of a similar pipeline on Parallax's index. */
export type Origin = 'rebuilt' | 'measured';

/** The models and corpora of a workspace. */
export interface Equipment {
  readonly embedders: Readonly<Record<string, EmbedderConfig>>;
  readonly pipelines: Readonly<Record<string, Pipeline>>;
  readonly bindings: readonly Binding[];
}

export interface Rebuilt {
  readonly origin: Origin;
  readonly pipeline: Pipeline;
  /** Name in `parallax.json` of the pipeline that the site is bound to. */
  readonly boundTo: string | undefined;
  /** Differences, or possible differences, from the call, as sentences. */
  readonly caveats: readonly string[];
  /**
   * The embedder that replaces the call's own model, in two words. `undefined` if it is the same model, or none is
   * needed.
   */
  readonly standsIn?: string | undefined;
}

/** Why there is no pipeline for the site, and what would help. */
export interface NotRebuilt {
  readonly reason:
    | 'k-unknown'
    | 'no-such-pipeline'
    | 'captured'
    | 'only-reorders'
    | 'matching-unknown'
    | 'bad-pipeline';
  readonly message: string;
}

/** The number of candidates for a step whose call does not set it. */
const DEFAULT_POOL = 100;

/** @param file path of the program relative to parallax.json */
export function rebuild(site: CallSite, file: string, equipment: Equipment): Rebuilt | NotRebuilt {
  const bound = boundPipeline(site, file, equipment.bindings);
  try {
    return bound === undefined ? equivalent(site, equipment) : asBound(site, bound, equipment);
  } catch (error) {
    if (!ParallaxError.is(error, 'bad-pipeline')) throw error;
    return { reason: 'bad-pipeline', message: error.message };
  }
}

export function isRebuilt(result: Rebuilt | NotRebuilt): result is Rebuilt {
  return 'pipeline' in result;
}

/** The name in the comment, else in `parallax.json`. */
export function boundPipeline(
  site: Pick<CallSite, 'comment' | 'within' | 'callee'>,
  file: string,
  bindings: readonly Binding[],
): string | undefined {
  if (site.comment?.retriever !== undefined) return site.comment.retriever;
  return bindings.find(
    (binding) =>
      binding.file === file &&
      (binding.within === undefined || binding.within === site.within) &&
      (binding.callee === undefined || binding.callee === site.callee),
  )?.pipeline;
}

/** Replaces a pipeline name if the running program provides the results of a call. */
export const CAPTURED = 'captured';

/**
 * Whether a call is bound to retrievals captured from the running program, by `captured` or `captured:name`. A pipeline
 * of that name takes precedence.
 *
 * @param bound the result of {@link boundPipeline}
 * @returns the name of the retriever or service; empty for any
 */
export function capturedName(
  bound: string | undefined,
  pipelines: Equipment['pipelines'],
): string | undefined {
  if (bound === undefined || Object.hasOwn(pipelines, bound)) return undefined;
  if (bound === CAPTURED) return '';
  return bound.startsWith(`${CAPTURED}:`) ? bound.slice(CAPTURED.length + 1) : undefined;
}

function asBound(site: CallSite, name: string, { pipelines }: Equipment): Rebuilt | NotRebuilt {
  const pipeline = Object.hasOwn(pipelines, name) ? pipelines[name] : undefined;
  if (capturedName(name, pipelines) !== undefined)
    return {
      reason: 'captured',
      message: l10n.t(
        'This call is bound to what is captured from the running program: start capturing, then run the program.',
      ),
    };
  if (!pipeline)
    return { reason: 'no-such-pipeline', message: l10n.t`parallax.json has no pipeline called "${name}".` };
  const measured = isExternal(pipeline.retriever);
  return {
    origin: measured ? 'measured' : 'rebuilt',
    pipeline: { ...pipeline, name, k: site.k.value ?? pipeline.k },
    boundTo: name,
    caveats: [
      ...(site.k.provenance === 'unknown'
        ? [l10n.t`k is that of the pipeline "${name}": ${pipeline.k}.`]
        : []),
      ...(measured
        ? []
        : [
            l10n.t`The pipeline "${name}" runs on Parallax's own index; the retriever of this program did not answer.`,
          ]),
    ],
  };
}

function equivalent(site: CallSite, equipment: Equipment): Rebuilt | NotRebuilt {
  if (site.k.provenance === 'unknown')
    return { reason: 'k-unknown', message: l10n.t`k is not known: ${site.k.why}.` };
  if (site.matching === 'passages')
    return {
      reason: 'only-reorders',
      message: l10n.t(
        'This call only reorders the passages that it gets. Bind it to a pipeline to see figures.',
      ),
    };
  if (site.matching === undefined)
    return {
      reason: 'matching-unknown',
      message: l10n.t('How this call searches is unknown. Bind it to a pipeline to see figures.'),
    };
  const embedder = chooseEmbedder(site, equipment);
  const usesEmbedder = site.matching !== 'words' || site.mmr !== undefined;
  const mmr = mmrOf(site, embedder.name);
  const reranker = rerankerOf(site, equipment.pipelines);
  const rerank = [...mmr.rerank, ...reranker.rerank];
  const pipeline = parsePipeline({
    retriever: retrieverOf(site, embedder.name),
    rerank,
    k: site.k.value,
    candidates: Math.max(site.k.value, (rerank.length > 0 ? site.pool?.value : undefined) ?? DEFAULT_POOL),
  });
  return {
    origin: 'rebuilt',
    pipeline,
    boundTo: undefined,
    ...(usesEmbedder && embedder.standsIn !== undefined ? { standsIn: embedder.standsIn } : {}),
    caveats: [
      l10n.t("Passages are split as in this corpus, which may differ from this program's index."),
      ...(usesEmbedder ? embedder.caveats : []),
      ...mmr.caveats,
      ...reranker.caveats,
      ...poolCaveats(site.pool, rerank.length > 0),
      ...(site.filtered ? [l10n.t("The call's filter is not applied.")] : []),
    ],
  };
}

function retrieverOf(site: CallSite, embedder: string): RetrieverSpec {
  const words = { type: 'bm25' } as const;
  const vectors = { type: 'dense', embedder } as const;
  if (site.matching === 'words') return retrieverSchema.parse(words);
  if (site.matching !== 'both') return retrieverSchema.parse(vectors);
  const dense = site.hybridDense?.value;
  return retrieverSchema.parse({
    type: 'hybrid',
    retrievers: [words, vectors],
    ...(dense === undefined ? {} : { weights: [1 - dense, dense] }),
  });
}

interface Chosen {
  readonly name: string;
  readonly standsIn?: string;
  readonly caveats: readonly string[];
}

/** The embedder with the call's model, else that of the workspace's pipelines, else the built-in encoder. */
function chooseEmbedder({ embedModel }: CallSite, { embedders, pipelines }: Equipment): Chosen {
  const model = embedModel?.value;
  const same = Object.entries(embedders).find(([, config]) => model !== undefined && isModel(config, model));
  if (same) return { name: same[0], caveats: [] };
  const used = Object.values(pipelines).flatMap(({ retriever }) =>
    retriever.type === 'dense' && Object.hasOwn(embedders, retriever.embedder) ? [retriever.embedder] : [],
  );
  const name = used[0] ?? MEANING;
  return name === MEANING
    ? { name, standsIn: l10n.t('built-in encoder'), caveats: [encoderCaveat(model)] }
    : { name, standsIn: l10n.t`embedder ${name}`, caveats: [otherEmbedderCaveat(name, model)] };
}

function encoderCaveat(model: string | undefined): string {
  return model === undefined
    ? l10n.t(
        'Which model embeds the passages is not known: the built-in encoder, a small one for English, is used instead.',
      )
    : l10n.t`No embedder of parallax.json has the model ${model}: the built-in encoder, a small one for English, is used instead.`;
}

function otherEmbedderCaveat(name: string, model: string | undefined): string {
  return model === undefined
    ? l10n.t`Which model embeds the passages is not known: the embedder "${name}" is used instead.`
    : l10n.t`No embedder of parallax.json has the model ${model}: the embedder "${name}" is used instead.`;
}

/** Folders of models have their names: `models/bge-small-en-v1.5` contains `BAAI/bge-small-en-v1.5`. */
export function isModel(config: EmbedderConfig, model: string): boolean {
  switch (config.type) {
    case 'hashing':
    case 'meaning':
      return false;
    case 'openai':
      return config.model === model;
    case 'onnx':
      return lastPart(config.path) === lastPart(model);
  }
}

function lastPart(path: string): string {
  return path.split(/[\\/]+/u).findLast((part) => part !== '') ?? path;
}

interface Steps {
  readonly rerank: readonly RerankerSpec[];
  readonly caveats: readonly string[];
}

function mmrOf({ mmr }: CallSite, embedder: string): Steps {
  if (!mmr) return { rerank: [], caveats: [] };
  const { relevance } = mmr;
  return relevance.provenance === 'unknown'
    ? { rerank: [], caveats: [l10n.t`Rebuilt without MMR, whose weight is not known: ${relevance.why}.`] }
    : { rerank: [{ type: 'mmr', lambda: relevance.value, embedder }], caveats: [] };
}

/** A cross-encoder of the workspace's pipelines with the call's model, if there is one. */
function rerankerOf({ rerank }: CallSite, pipelines: Equipment['pipelines']): Steps {
  if (!rerank) return { rerank: [], caveats: [] };
  const model = rerank.model?.value;
  const known = Object.values(pipelines)
    .flatMap((pipeline) => pipeline.rerank)
    .find(
      (step) =>
        step.type === 'cross-encoder' && model !== undefined && lastPart(step.path) === lastPart(model),
    );
  if (known) return { rerank: [known], caveats: [] };
  const caveat =
    model === undefined
      ? l10n.t('Rebuilt without the reranker.')
      : l10n.t`Rebuilt without the reranker ${model}.`;
  return { rerank: [], caveats: [caveat] };
}

function poolCaveats(pool: Field<number> | undefined, isUsed: boolean): readonly string[] {
  return isUsed && pool?.provenance === 'unknown'
    ? [
        l10n.t`How many candidates the call chooses from is not known (${pool.why}): ${DEFAULT_POOL} are taken.`,
      ]
    : [];
}
