/** Limits what pipelines ask of models to a budget. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { Budget } from '../judgements/budget.ts';
import type { PipelineServices } from '../retrieval/pipeline-services.ts';
import type { WorkOptions } from '../types.ts';
import type { DividedBudget } from '../judgements/divided-budget.ts';

/**
 * A step that is refused fails, and gives no other ranking.
 *
 * @param divided lets rerankers for coverage end with the requests of their query instead
 */
export function withinBudget(
  services: PipelineServices,
  budget: Budget,
  divided: DividedBudget | undefined,
): PipelineServices {
  const limited = async <T>(
    work: WorkOptions,
    ask: (work: WorkOptions) => Promise<T>,
    share?: DividedBudget,
  ): Promise<T> => {
    let isRefused = false;
    let isFirst = true;
    const onRequest = (): void => {
      // A question that was begun may be asked again.
      isRefused = budget.isSpent || (isFirst && share !== undefined && share.left < 1);
      if (isRefused) throw spent();
      isFirst = false;
      budget.take();
      work.onRequest?.();
    };
    const answer = await ask({ ...work, onRequest });
    // A judge counts a refusal as a failed pair.
    if (!isRefused) return answer;
    if (!share) throw spent();
    share.refuse();
    return answer;
  };
  return {
    propose: (query, from, work) => limited(work, (own) => services.propose(query, from, own)),
    rewrite: (query, form, retriever, work) =>
      limited(work, (own) => services.rewrite(query, form, retriever, own)),
    split: (query, model, work) => limited(work, (own) => services.split(query, model, own)),
    verdicts: (judge, query, pairs, work, repeat) =>
      limited(work, (own) => services.verdicts(judge, query, pairs, own, repeat), divided),
    judgeFacts: (...args) => services.judgeFacts(...args),
    measuredCorrelation: (...args) => services.measuredCorrelation(...args),
    share: divided,
    texts: (...args) => services.texts(...args),
  };
}

const spent = (): ParallaxError =>
  new ParallaxError(
    'model-unreachable',
    l10n.t('The budget is spent, and a step of the pipeline asks a model. Allow more requests.'),
  );
