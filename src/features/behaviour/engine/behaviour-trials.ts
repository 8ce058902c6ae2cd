/** Runs the searches that show how a pipeline behaves. */
import * as l10n from '@vscode/l10n';
import type { Trial } from '../core/checks.ts';
import type { Answer } from '../core/lists.ts';
import { askedFor, asksRetrieverAlone, type Asked, type Variant } from '../core/variants.ts';
import { inContext, ParallaxError, throwIfCancelled } from '../../../core/errors.ts';
import { externalParts, type Pipeline } from '../../../core/pipeline.ts';
import { dependsOnWriting, needsOf, withoutGivenPerspectives } from '../../../core/pipeline-needs.ts';
import type { Params } from '../../../shared/rpc.ts';
import type { CorpusIndex } from '../../../engine/corpora/corpus-index.ts';
import type { ExternalRetrievers } from '../../../engine/external/external-retrievers.ts';
import type { PipelineServices } from '../../../engine/retrieval/pipeline-services.ts';
import { searchCorpus } from '../../../engine/retrieval/search-query.ts';
import type { WorkOptions } from '../../../engine/types.ts';

/** The retriever or pipeline to ask. A retriever of the user's own needs no corpus, unless a step follows it. */
export interface Askable {
  readonly externals: Pick<ExternalRetrievers, 'search'>;
  readonly corpus?: { readonly index: CorpusIndex; readonly services: PipelineServices } | undefined;
}

export interface BehaviourTrials {
  readonly trials: readonly Trial[];
  /** The pipeline that was asked, without the steps that need perspectives, since questions alone have none. */
  readonly pipeline: Pipeline;
  /** Variants that failed, with the reason. */
  readonly failed: ReadonlyMap<Variant, string>;
}

/**
 * @throws ParallaxError what the pipeline itself throws;
 *   `bad-argument` if it needs a corpus and there is none, or if a model writes for every search; `cancelled`
 */
export async function askTrials(
  { pipeline: startPipeline, named, questions }: Omit<Params<'checkBehaviour'>, 'corpus'>,
  askable: Askable,
  { signal, onProgress }: WorkOptions,
): Promise<BehaviourTrials> {
  const pipeline = withoutGivenPerspectives(startPipeline);
  if (dependsOnWriting(needsOf(pipeline)))
    throw new ParallaxError(
      'bad-argument',
      l10n.t(
        'A model writes a new text for every search of this pipeline. Check the pipeline without that step.',
      ),
    );
  const trials: Trial[] = [];
  const failed = new Map<Variant, string>();
  for (const [done, question] of questions.entries()) {
    onProgress?.({ done, total: questions.length });
    const answers: Partial<Record<Variant, Answer>> = {};
    for (const search of askedFor(question, pipeline, named)) {
      if (failed.has(search.variant)) continue;
      const answer = await answerOf(search, askable, signal, failed);
      if (answer) answers[search.variant] = answer;
    }
    trials.push({ question, plain: answers.plain ?? [], answers });
  }
  onProgress?.({ done: questions.length, total: questions.length });
  return { trials, pipeline, failed };
}

/** @returns undefined for a variant that fails */
async function answerOf(
  search: Asked,
  askable: Askable,
  signal: AbortSignal | undefined,
  failed: Map<Variant, string>,
): Promise<Answer | undefined> {
  throwIfCancelled(signal);
  try {
    return await ask(search, askable, signal);
  } catch (error) {
    if (search.variant === 'plain')
      throw inContext((sentence) => l10n.t`Question "${search.question}": ${sentence}`, error);
    if (!ParallaxError.is(error) || error.id === 'cancelled') throw error;
    failed.set(search.variant, error.message);
    return undefined;
  }
}

async function ask(
  { pipeline, question, depth }: Asked,
  { externals, corpus }: Askable,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const [retriever] = externalParts(pipeline.retriever);
  if (retriever && asksRetrieverAlone(pipeline))
    return externals.search(retriever, { text: question }, depth, signal);
  if (!corpus)
    throw new ParallaxError(
      'bad-argument',
      l10n.t('This pipeline searches passages of a corpus: name one in parallax.json.'),
    );
  const { index, services } = corpus;
  const query = { text: question, perspectives: [] };
  const { hits } = await searchCorpus(index, { ...pipeline, k: depth }, query, depth, services, { signal });
  const scores = new Map(hits.map(({ item, score }) => [item, score]));
  return index
    .passages(hits.map(({ item }) => item))
    .map(({ slot, id, text }) => ({ id, text, score: scores.get(slot) ?? 0 }));
}
