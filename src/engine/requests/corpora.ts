import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import { surveyCorpus } from '../corpus/survey.ts';
import { readDocument } from '../corpus/read-document.ts';
import type { EngineState } from '../engine-state.ts';
import { isForeign } from '../external/foreign-passages.ts';
import type { StoredPassage } from '../types.ts';
import { workOf, type Handlers } from './request.ts';

/** Answers requests about a corpus as it is. */
export function corpusHandlers(engine: EngineState) {
  return {
    async status({ corpus }) {
      return (await engine.corpora.get(corpus)).status;
    },

    async embedded({ corpus }, context) {
      return { complete: await (await engine.corpora.get(corpus)).embedded(workOf(context)) };
    },

    async skipped({ corpus }) {
      return { files: (await engine.corpora.get(corpus)).skipped };
    },

    async surveyCorpus({ corpus }, context) {
      return surveyCorpus((await engine.corpora.get(corpus)).ref, workOf(context));
    },

    async fileChanges({ corpus }, context) {
      return (await engine.corpora.get(corpus)).fileChanges(workOf(context));
    },

    async index({ corpus, rebuild }, context) {
      const { corpora } = engine;
      if (rebuild) return corpora.rebuild(corpus, workOf(context));
      return (await corpora.get(corpus)).update(workOf(context));
    },

    async passage({ corpus, passageId }, context) {
      const index = await engine.corpora.get(corpus);
      await index.fetchPassages([passageId], workOf(context));
      const passage = index.passageById(passageId);
      if (!passage)
        throw new ParallaxError('not-found', l10n.t`The passage ${passageId} is no longer in the corpus.`);
      return passage;
    },

    async unknownPassages({ corpus, passageIds }, context) {
      const index = await engine.corpora.get(corpus);
      await index.fetchPassages(passageIds, workOf(context));
      const found = passageIds.map((id) => index.passageById(id));
      return {
        unknown: passageIds.filter((_, place) => !found[place]),
        numbered: found.filter((passage) => passage && passage.id !== passage.documentId).length,
      };
    },

    async documentPassages({ corpus, documentIds }, context) {
      const index = await engine.corpora.get(corpus);
      await index.fetchPassages(documentIds, workOf(context));
      const documents = documentIds.map((documentId) => ({
        documentId,
        hash: index.documentHash(documentId),
        passages: index.passagesOf(documentId).map(({ id, hash, text }) => ({ id, hash, text })),
      }));
      return { split: index.ref.config.split.type, documents };
    },

    async documentText({ corpus, documentId }, context) {
      const index = await engine.corpora.get(corpus);
      await index.fetchPassages([documentId], workOf(context));
      const [passage] = index.passagesOf(documentId);
      if (!passage) throw new ParallaxError('not-found', l10n.t`${documentId} is no longer in the corpus.`);
      if (isForeign(passage.slot)) return { text: withSource(passage), title: passage.title };
      const { text, title } = await readDocument(index.ref, passage.path, documentId);
      return { text, title };
    },
  } satisfies Partial<Handlers>;
}

/** The address above the text leads back to the document: editors open it with a click. */
function withSource({ source, text }: StoredPassage): string {
  return source === undefined ? text : `${source}\n\n${text}`;
}
