import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { checkBehaviour } from '../../core/behaviour/checks.ts';
import { asksRetrieverAlone } from '../../core/behaviour/variants.ts';
import { ParallaxError } from '../../core/errors.ts';
import { searchesByVector } from '../../core/pipeline.ts';
import type { Params, Result } from '../../shared/rpc.ts';
import { askTrials } from '../behaviour/behaviour-trials.ts';
import { pushPassages } from '../corpora/push-passages.ts';
import type { EngineState } from '../engine-state.ts';
import { fetchWebCorpus } from '../web/fetch-corpus.ts';
import { workOf, type Handlers, type RequestContext } from './request.ts';

/** Answers requests about what others retrieve. */
export function foreignHandlers(engine: EngineState) {
  return {
    async checkRetriever(
      { retriever }: Params<'checkRetriever'>,
      { signal }: RequestContext,
    ): Promise<Result<'checkRetriever'>> {
      return { ...(await engine.current.externals.check(retriever, signal)) };
    },

    async checkBehaviour(
      { corpus, ...task }: Params<'checkBehaviour'>,
      context: RequestContext,
    ): Promise<Result<'checkBehaviour'>> {
      const { externals, servicesOf } = engine.current;
      const index = corpus === undefined ? undefined : await engine.corpora.indexed(corpus);
      const askable = { externals, ...(index ? { corpus: { index, services: servicesOf(index) } } : {}) };
      const { trials, pipeline, failed } = await askTrials(task, askable, workOf(context));
      const checks = checkBehaviour(trials, {
        k: pipeline.k,
        ownScores: asksRetrieverAlone(pipeline),
        byVectors: searchesByVector(pipeline.retriever),
      });
      return {
        checks: checks.map(({ check, state, fault }) => ({
          check,
          state,
          ...(fault ? { fault: { ...fault } } : {}),
        })),
        failed: [...failed].map(([variant, message]) => ({ variant, message })),
      };
    },

    async storedPassages(
      { corpus, store, from, limit }: Params<'storedPassages'>,
      context: RequestContext,
    ): Promise<Result<'storedPassages'>> {
      const index = await engine.corpora.indexed(corpus);
      const { slots, matches, next } = await index.storedPage(store, from, limit, workOf(context));
      return {
        passages: index.passages(slots),
        matches: { ...matches },
        ...(next === undefined ? {} : { next }),
      };
    },

    async push(
      { corpus, store, create, indexed = true }: Params<'push'>,
      context: RequestContext,
    ): Promise<Result<'push'>> {
      const { externals } = engine.current;
      const index = await engine.corpora.indexed(corpus);
      const { lack, ...pushed } = await pushPassages(
        index,
        externals,
        { store, create, indexed },
        workOf(context),
      );
      return { ...pushed, ...(lack === undefined ? {} : { lack }) };
    },

    async capture(
      { listen, keep, tools }: Params<'capture'>,
      { signal, report }: RequestContext,
    ): Promise<Result<'capture'>> {
      if (!engine.current.config.trusted)
        throw new ParallaxError(
          'untrusted',
          l10n.t('Retrievals are captured only in a workspace that you trust.'),
        );
      await engine.captures.receive(
        {
          listen,
          keep,
          tools,
          onEndpoint: (url) => report({ type: 'capturing', url }),
          onArrival: () => report({ type: 'captured' }),
        },
        signal,
      );
      return {};
    },

    async captured(
      { corpus, judge, queries, after }: Params<'captured'>,
      context: RequestContext,
    ): Promise<Result<'captured'>> {
      const { judgementService, remembering } = engine.current;
      const index = await engine.corpora.get(corpus);
      const terms = { index, judgementService, judge: remembering(judge), queries, after };
      const runs = await engine.captures.list(terms, workOf(context));
      return { indexed: index.isIndexed, runs, unused: engine.captures.unused() };
    },

    async importSpans(
      { file, keep, tools }: Params<'importSpans'>,
      { signal }: RequestContext,
    ): Promise<Result<'importSpans'>> {
      const { base } = engine.current.config;
      return engine.captures.import(path.resolve(base, file), { shown: file, keep, tools }, signal);
    },

    async takeCaptured(): Promise<Result<'takeCaptured'>> {
      const { retrievals, unused, forgotten } = engine.captures.take();
      return {
        retrievals: retrievals.map(({ results, code, ...about }) => ({
          ...about,
          ...(code ? { code: { ...code } } : {}),
          results: results.map(({ id, text, score, about: said }) => ({ id, text, score, about: said })),
        })),
        unused: [...unused],
        forgotten,
      };
    },

    async forgetCaptured(): Promise<Result<'forgetCaptured'>> {
      engine.captures.forget();
      return {};
    },

    async fetchWeb(
      { queries, search, folder }: Params<'fetchWeb'>,
      context: RequestContext,
    ): Promise<Result<'fetchWeb'>> {
      const { base, keys, trusted } = engine.current.config;
      if (!trusted)
        throw new ParallaxError('untrusted', l10n.t('Pages are fetched only in a workspace that you trust.'));
      const place = path.resolve(base, folder);
      const request = { queries, search, folder: place, apiKey: keys[search.provider] };
      return fetchWebCorpus(request, workOf(context), engine.options.web);
    },
  } satisfies Partial<Handlers>;
}
