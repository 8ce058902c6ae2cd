import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { CorpusStatus, CorpusSurvey, FileChanges, IndexReport } from '../../shared/requests/corpora.ts';
import type { Params, Result } from '../../shared/rpc.ts';
import { surveyCorpus } from '../corpus/survey.ts';
import { readDocument } from '../corpus/read-document.ts';
import type { EngineState } from '../engine-state.ts';
import { isForeign } from '../external/foreign-passages.ts';
import { workOf, type Handlers, type RequestContext } from './request.ts';

/** Answers requests about a corpus as it is. */
export function corpusHandlers(engine: EngineState) {
  return {
    async status({ corpus }: Params<'status'>): Promise<CorpusStatus> {
      return (await engine.corpora.get(corpus)).status;
    },

    async skipped({ corpus }: Params<'skipped'>): Promise<Result<'skipped'>> {
      return { files: (await engine.corpora.get(corpus)).skipped };
    },

    async surveyCorpus({ corpus }: Params<'surveyCorpus'>, context: RequestContext): Promise<CorpusSurvey> {
      return surveyCorpus((await engine.corpora.get(corpus)).ref, workOf(context));
    },

    async fileChanges({ corpus }: Params<'fileChanges'>, context: RequestContext): Promise<FileChanges> {
      return (await engine.corpora.get(corpus)).fileChanges(workOf(context));
    },

    async index({ corpus, rebuild }: Params<'index'>, context: RequestContext): Promise<IndexReport> {
      if (rebuild) await engine.corpora.discard(corpus, workOf(context));
      return (await engine.corpora.get(corpus)).update(workOf(context));
    },

    async passage({ corpus, passageId }: Params<'passage'>): Promise<Result<'passage'>> {
      const passage = (await engine.corpora.get(corpus)).passageById(passageId);
      if (!passage)
        throw new ParallaxError('not-found', l10n.t`The passage ${passageId} is no longer in the corpus.`);
      return passage;
    },

    async unknownPassages({
      corpus,
      passageIds,
    }: Params<'unknownPassages'>): Promise<Result<'unknownPassages'>> {
      const index = await engine.corpora.get(corpus);
      return { unknown: passageIds.filter((id) => !index.passageById(id)) };
    },

    async documentText({ corpus, documentId }: Params<'documentText'>): Promise<Result<'documentText'>> {
      const index = await engine.corpora.get(corpus);
      const [passage] = index.passagesOf(documentId);
      if (!passage) throw new ParallaxError('not-found', l10n.t`${documentId} is no longer in the corpus.`);
      if (isForeign(passage.slot)) return { text: passage.text, title: passage.title };
      const { text, title } = await readDocument(index.ref, passage.path, documentId);
      return { text, title };
    },
  } satisfies Partial<Handlers>;
}
