import type { Qrels } from '../core/model.ts';
import type { CorpusIndex } from '../engine/corpora/corpus-index.ts';
import type { PipelineServices } from '../engine/retrieval/pipeline-services.ts';

/** In an evaluation the qrels are the human labels: a coverage reranker that asks `labels` asks them. */
export function judgedByQrels(
  services: PipelineServices,
  qrels: Qrels,
  corpus: CorpusIndex,
): PipelineServices {
  return {
    propose: (...args) => services.propose(...args),
    rewrite: (...args) => services.rewrite(...args),
    split: (...args) => services.split(...args),
    verdicts: async (judge, query, pairs, work) => {
      if (judge !== 'labels') return services.verdicts(judge, query, pairs, work);
      const topic = query.id === undefined ? undefined : qrels.get(query.id);
      return pairs.map(({ slot, perspective }) => {
        const relevance = topic?.get(perspective.id)?.get(corpus.passageId(slot));
        return relevance === undefined ? undefined : relevance > 0 ? 'yes' : 'no';
      });
    },
  };
}
