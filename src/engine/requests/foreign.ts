import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { checkBehaviour } from '../../features/behaviour/core/checks.ts';
import { asksRetrieverAlone } from '../../features/behaviour/core/variants.ts';
import { ParallaxError } from '../../core/errors.ts';
import { searchesByVector } from '../../core/pipeline.ts';
import { runPicture } from '../../features/capture/engine/requests/run-picture.ts';
import { askTrials } from '../../features/behaviour/engine/behaviour-trials.ts';
import { pushPassages } from '../corpora/push-passages.ts';
import type { EngineState } from '../engine-state.ts';
import { workOf, type Handlers } from './request.ts';

/** Answers requests about retrievers outside of Parallax. */
export function foreignHandlers(engine: EngineState) {
  return {
    async checkRetriever({ retriever }, { signal }) {
      return { ...(await engine.current.externals.check(retriever, signal)) };
    },

    async checkBehaviour({ corpus, ...task }, context) {
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
        checks,
        failed: [...failed].map(([variant, message]) => ({ variant, message })),
      };
    },

    async push({ corpus, ...task }, context) {
      const { externals } = engine.current;
      const index = await engine.corpora.indexed(corpus);
      return pushPassages(index, externals, task, workOf(context));
    },

    async capture({ listen, keep, tools }, { signal, report }) {
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

    async captured({ corpus, judge, queries, after }, context) {
      const { judgementService, remembering } = engine.current;
      const index = await engine.corpora.get(corpus);
      const terms = { index, judgementService, judge: remembering(judge), queries, after };
      const runs = await engine.captures.list(terms, workOf(context));
      return { indexed: index.isIndexed, runs, unused: engine.captures.unused() };
    },

    async runPicture({ corpus, judge, queries, run, again }, context) {
      const { judgementService, remembering, servicesOf } = engine.current;
      const index = await engine.corpora.indexed(corpus);
      const terms = { index, judgementService, judge: remembering(judge), queries };
      return runPicture(
        'captured' in run ? engine.captures.run(run.captured) : { question: undefined, ...run },
        terms,
        again && { pipeline: again, services: servicesOf(index) },
        workOf(context),
      );
    },

    async importSpans({ file, keep, tools }, { signal }) {
      const { base } = engine.current.config;
      return engine.captures.import(path.resolve(base, file), { shown: file, keep, tools }, signal);
    },

    async takeCaptured() {
      const { retrievals, unused, forgotten, refused } = engine.captures.take();
      return {
        retrievals: retrievals.map(({ results, code, ...about }) => ({
          ...about,
          ...(code ? { code } : {}),
          results: results.map(({ id, text, score, about: facts }) => ({ id, text, score, about: facts })),
        })),
        unused,
        forgotten,
        refused,
      };
    },

    async writeCaptured({ id, question, file }) {
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, `${JSON.stringify(engine.captures.answer(id, question))}\n`, { mode: 0o600 });
      return {};
    },

    async forgetCaptured() {
      engine.captures.forget();
      return {};
    },

    async fetchWeb({ queries, search, folder }, context) {
      const { base, keys, trusted } = engine.current.config;
      if (!trusted)
        throw new ParallaxError('untrusted', l10n.t('Pages are fetched only in a workspace that you trust.'));
      const place = path.resolve(base, folder);
      const request = { queries, search, folder: place, apiKey: keys[search.provider] };
      const { fetchWebCorpus } = await import('../../features/web-corpus/engine/fetch-corpus.ts');
      return fetchWebCorpus(request, workOf(context), engine.options.web);
    },
  } satisfies Partial<Handlers>;
}
