import { localEmbedders } from '../../../engine/embedders/embedders.ts';
import type { EngineState } from '../../../engine/engine-state.ts';
import { explain } from './explain.ts';
import { Rankings } from './rankings.ts';
import { placeAmong } from './programs.ts';
import { findTarget } from './target.ts';
import { RememberedSearches } from '../../../engine/retrieval/remembered-searches.ts';
import { searchesFor } from '../../../engine/retrieval/search-query.ts';
import { onPresentCorpus, workOf, type Handlers } from '../../../engine/requests/request.ts';

/** Answers requests about why a document is, or is not, retrieved. */
export function explainingHandlers(engine: EngineState) {
  const rankings = new Rankings();
  return {
    explain: ({ corpus, query, perspectives, pipeline, document, atOnce, ...tries }, context) =>
      onPresentCorpus(context, async () => {
        const index = await engine.corpora.indexed(corpus);
        const pipelineQuery = { ...query, perspectives };
        const terms = await searchesFor(index, pipelineQuery, atOnce);
        const { servicesOf } = engine.current;
        return explain(
          { query: pipelineQuery, pipeline, document, ...tries },
          {
            index,
            terms,
            searches: new RememberedSearches(terms),
            services: servicesOf(index),
            withSplit: (split, use, work) =>
              engine.corpora.withSplit(
                corpus,
                split,
                (variant) =>
                  use({ index: variant, searches: variant.searches, services: servicesOf(variant) }),
                work,
              ),
            corporaWith: (named, file) => corporaWith(engine, corpus, named, file),
            embedders: localEmbedders(engine.current.config.embedders),
            log: engine.log,
            programs: (question) => engine.captures.answersTo(question),
          },
          workOf(context),
        );
      }),

    async placeInProgram({ corpus, document, results, asked }, context) {
      const index = await engine.corpora.indexed(corpus);
      const target = await findTarget(index, document, workOf(context));
      return { asked, ...(await placeAmong(results, target, index, workOf(context))) };
    },

    async documentsNamed({ corpus, text, most }) {
      return { documents: (await engine.corpora.indexed(corpus)).documentsNamed(text, most) };
    },

    ranking: ({ corpus, query, perspectives, pipeline, atOnce, ...selection }, context) =>
      onPresentCorpus(context, async () => {
        const index = await engine.corpora.indexed(corpus);
        const services = engine.current.servicesOf(index);
        const pipelineQuery = { ...query, perspectives };
        const searches = await searchesFor(index, pipelineQuery, atOnce);
        const ranked = { query: pipelineQuery, pipeline, atOnce };
        return rankings.slice(ranked, selection, { index, searches, services }, workOf(context));
      }),

    async changePrice(params, context) {
      const withSplit = engine.corpora.withSplit.bind(engine.corpora);
      return engine.current.comparisons.price(params, withSplit, workOf(context));
    },
  } satisfies Partial<Handlers>;
}

/** Other corpora that are indexed, and have a document of this id or in this file. */
async function corporaWith(
  { corpora, current }: EngineState,
  corpus: string,
  document: string,
  file: string,
): Promise<string[]> {
  const otherNames = current.config.corpora.map(({ name }) => name).filter((name) => name !== corpus);
  const matches: string[] = [];
  for (const name of otherNames) {
    const index = await corpora.get(name);
    if (index.passagesOf(document).length > 0 || index.passagesOfFile(file).length > 0) matches.push(name);
  }
  return matches;
}
