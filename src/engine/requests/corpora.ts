import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import { surveyCorpus } from '../corpus/survey.ts';
import { readDocument } from '../corpus/read-document.ts';
import { CHARACTERS_PER_TOKEN } from '../../shared/judge-effort.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import { OpenAiEmbedder } from '../embedders/openai-embedder.ts';
import type { EngineState } from '../engine-state.ts';
import { isForeign } from '../external/foreign-passages.ts';
import type { StoredPassage } from '../types.ts';
import { workOf, type Handlers } from './request.ts';

/** A local model may have to be loaded first. */
const TEST_TIMEOUT_MS = 120_000;
const TEST_TEXT = 'Does this model turn texts into vectors?';
/** The number of passages from which the average length is estimated. */
const SAMPLED_PASSAGES = 500;

/** Answers requests about a corpus. */
export function corpusHandlers(engine: EngineState) {
  return {
    async status({ corpus }) {
      return (await engine.corpora.get(corpus)).status;
    },

    async embedded({ corpus }, context) {
      return { complete: await (await engine.corpora.get(corpus)).embedded(workOf(context)) };
    },

    async testEmbedder({ config, key }, { signal }) {
      const embedder = new OpenAiEmbedder(config.model, config, {
        apiKey: key,
        timeoutMs: TEST_TIMEOUT_MS,
        maxRetries: 0,
      });
      return { dimensions: (await embedder.embedQuery(TEST_TEXT, { signal })).length };
    },

    async embeddingEffort({ corpora }) {
      const efforts: { passages: number; tokens: number }[] = [];
      for (const corpus of corpora) efforts.push(effortOf(await engine.corpora.indexed(corpus)));
      return {
        passages: efforts.reduce((sum, { passages }) => sum + passages, 0),
        tokens: efforts.reduce((sum, { tokens }) => sum + tokens, 0),
      };
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
      const passages = passageIds.map((id) => index.passageById(id));
      return {
        unknown: passageIds.filter((_, place) => !passages[place]),
        numbered: passages.filter((passage) => passage && passage.id !== passage.documentId).length,
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

/** The address above the text links to the document, since editors open it with a click. */
function withSource({ source, text }: StoredPassage): string {
  return source === undefined ? text : `${source}\n\n${text}`;
}

function effortOf(index: CorpusIndex): { passages: number; tokens: number } {
  const slots = index.slots();
  const every = Math.max(1, Math.floor(slots.length / SAMPLED_PASSAGES));
  const sample = index.passages(slots.filter((_, place) => place % every === 0));
  const characters = sample.reduce((sum, { text }) => sum + text.length, 0);
  const tokens = characters / Math.max(1, sample.length) / CHARACTERS_PER_TOKEN;
  return { passages: slots.length, tokens: Math.round(tokens * slots.length) };
}
