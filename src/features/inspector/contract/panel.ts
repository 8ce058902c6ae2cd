/**
 * Messages between the side panel and the extension host: one discriminated union per direction.
 *
 * The host always sends the complete {@link InspectorState} and never a delta, as VS Code may drop messages to a hidden
 * view. The panel only keeps what the user is typing.
 */
import * as z from 'zod';
import { changePriceSchema } from '../../../evaluation/change-price.ts';
import { decisionSchema, rankingSliceSchema } from '../../explain/core/ranked.ts';
import { explanationSchema, namedDocumentSchema, programPoolSchema } from '../../explain/core/explanation.ts';
import type { Read, Written } from '../../../core/read.ts';
import { PROPOSED_STANCES } from '../../../core/judging/stance.ts';
import {
  judgedBySchema,
  judgementSchema,
  stanceSchema,
  stanceSourceSchema,
  verdictSchema,
} from '../../../core/model.ts';
import { VERDICTS } from '../../../core/words.ts';
import { pipelineSchema, SEARCH_KINDS } from '../../../core/pipeline.ts';
import { failureSchema, remedySchema } from '../../../shared/panels/failure.ts';
import { judgeOfferSchema } from '../../../shared/panels/judge-offer.ts';
import { likenessSchema } from '../../../shared/likeness.ts';
import { certaintySchema } from '../../../core/external/certainty.ts';
import { shortfallSchema } from '../../../core/external/shortfall.ts';
import {
  meaningSoFarSchema,
  corpusStatusSchema,
  corpusSurveySchema,
} from '../../../shared/requests/corpora.ts';
import { matchesSchema } from '../../../shared/matches.ts';
import { raisedSchema, takenErrorsSchema } from '../../validation/core/taken-errors.ts';
import {
  coverageMetricsSchema,
  perspectiveCoverageSchema,
  probeRankSchema,
} from '../../../core/coverage-states.ts';
import { taskSchema } from '../../../shared/panels/task.ts';
import { projectionSchema } from '../../../core/rerank/rerankers.ts';

const perspectiveView = z.object({
  id: z.string(),
  text: z.string(),
  /** The document that the eval set expects. It decides instead of labels. */
  document: z.string().optional(),
  stance: stanceSchema.optional(),
  /** Who set the stance. `undefined` if the eval set does not state it. */
  stanceBy: stanceSourceSchema.optional(),
  /** The stance proposed by a model, and its name, if there is no stance. It has no effect until accepted. */
  proposal: z.object({ stance: z.enum(PROPOSED_STANCES), by: z.string() }).optional(),
  /** Letter and colour of {@link perspectiveMark}, the same in chips, evidence marks and editor decorations. */
  letter: z.string().min(1),
  color: z.number().int().min(0).max(7),
});

/** The fields of a judgement that the panel shows. Unjudged pairs have neither source nor judge. */
const judgementView = judgementSchema
  .pick({
    source: true,
    judge: true,
    rationale: true,
    confidence: true,
    evidence: true,
    evidenceNotFound: true,
  })
  .partial({ source: true, judge: true })
  .extend({
    perspectiveId: z.string(),
    /** `unjudged`: no answer yet. Never shown as "no". */
    verdict: z.enum([...VERDICTS, 'unjudged']),
    /** Whether the judge is working on this pair. */
    pending: z.boolean().optional(),
  });

const resultView = z.object({
  rank: z.number().int().min(1),
  passageId: z.string(),
  /** File and section. */
  title: z.string(),
  /** File and all headings above it, uncut. */
  fullTitle: z.string(),
  /** Path relative to the workspace, for display. */
  path: z.string(),
  /** 1-based first and last line, for display. `undefined` if the text was extracted from another format. */
  lines: z.object({ first: z.number().int(), last: z.number().int() }).optional(),
  score: z.number(),
  /** The number of ranks it rose (or fell, if negative) by reranking or the what-if. `undefined` without either. */
  movement: z.number().int().optional(),
  /** The perspectives for which a coverage reranker moved it up, by a judge's answers. */
  raised: raisedSchema.optional(),
  text: z.string(),
  /** One per perspective of the query, in order. */
  judgements: z.array(judgementView),
});

/** A passage that a deeper search found for a perspective. */
const deeperPassage = z.object({
  passageId: z.string(),
  title: z.string(),
  ...resultView.pick({ path: true, lines: true, text: true }).shape,
  /** Its ranks in the searches for the perspective. */
  ranks: z.array(probeRankSchema),
  /** Its rank among the candidates. `undefined` if it is not one of them. */
  rank: z.number().int().optional(),
  verdict: z.enum([...VERDICTS, 'unjudged']),
  /** The spans of the passage that the verdict rests on. */
  evidence: judgementView.shape.evidence,
});

const metricsView = coverageMetricsSchema.extend({
  /** The number of judged pairs by source. */
  sources: z.array(judgedBySchema),
});

const task = taskSchema.extend({
  kind: z.enum(['index', 'search', 'embed', 'judge', 'deeper', 'generate', 'stances', 'explain']),
});

const codeFaultSchema = z.object({
  file: z.string(),
  /** From 1. */
  line: z.number().int().min(1),
  message: z.string(),
});
/** An argument without effect in a program of the workspace. */
export type CodeFault = Read<typeof codeFaultSchema>;

const corpusView = z.discriminatedUnion('state', [
  z.object({ state: z.literal('no-folder') }),
  z.object({ state: z.literal('unknown') }),
  z.object({
    state: z.literal('not-indexed'),
    name: z.string(),
    /** Folders and files to index, for display. */
    roots: z.array(z.string()),
    /** `undefined` until surveyed. */
    survey: corpusSurveySchema.optional(),
    /** Label of a store that pipelines search and that is not a corpus. It would need no indexing. */
    store: z.string().optional(),
    /** Other unindexed corpora, such as further folders of the workspace. */
    others: z.array(z.object({ name: z.string(), files: z.number().int(), kinds: z.array(z.string()) })),
  }),
  corpusStatusSchema.omit({ indexed: true }).extend({ state: z.literal('indexed'), name: z.string() }),
]);

const perspectiveSource = z.enum(['none', 'eval-set', 'typed']);

export const inspectorStateSchema = z.object({
  trusted: z.boolean(),
  corpus: corpusView,
  /** What is wrong in the programs of the workspace. */
  code: z.array(codeFaultSchema).optional(),
  corpora: z.array(z.string()),
  /** Running work, shown with progress and a cancel button. */
  tasks: z.array(task),
  /** Available pipelines: those of parallax.json, or the built-in ones. */
  pipelines: z.array(z.object({ name: z.string(), pipeline: pipelineSchema })),
  embedders: z.array(z.string()),
  pipeline: pipelineSchema,
  judge: z.object({
    name: z.string(),
    label: z.string(),
    /** Whether it can judge unjudged pairs (false for human labels only). */
    canJudge: z.boolean(),
    choices: z.array(judgeOfferSchema),
    /** Whether a model that can propose perspectives is configured. */
    canGenerate: z.boolean(),
    /** Display name of that model. */
    generator: z.string().optional(),
  }),
  /** Newest first. */
  history: z.array(z.string()),
  /** Questions of the workspace's eval sets, offered while typing. */
  evalQueries: z.array(z.object({ id: z.string(), text: z.string(), evalSet: z.string() })),
  query: z.string(),
  perspectives: z.array(perspectiveView),
  /** The source of the perspectives. */
  perspectiveSource,
  /** Other perspectives of the question that can be chosen instead. */
  alternative: z.object({ source: perspectiveSource, count: z.number().int() }).optional(),
  /** Perspectives proposed by a model for this question. They have no effect until accepted. */
  proposed: z
    .object({
      by: z.string(),
      /** Whether the model only saw the question or passages too. */
      from: z.enum(['passages', 'question']),
      items: z.array(
        z.object({
          text: z.string(),
          /** The passages it comes from. Empty if the model expected it but did not find it in those shown. */
          passages: z.array(z.object({ passageId: z.string(), title: z.string() })),
        }),
      ),
    })
    .optional(),
  results: z
    .object({
      queryId: z.string().optional(),
      items: z.array(resultView),
      metrics: metricsView,
      /** The number of passages retrieved for later steps, which a what-if reorders. */
      candidates: z.number().int(),
      /**
       * Settings tried on these candidates without changing the pipeline: MMR's λ, a projection's weight, the weight of
       * the dense search.
       */
      whatIf: z
        .object({
          lambda: z.number().min(0).max(1).optional(),
          /** The embedder that measures similarity for λ. */
          embedder: z.string().optional(),
          weight: z.number().optional(),
          fusion: z.number().min(0).max(1).optional(),
          /** Whether some of the best by that weight are not among the candidates. */
          isIncomplete: z.boolean().optional(),
        })
        .optional(),
      /**
       * The weight of the dense search in the pipeline. `undefined` if it is not a hybrid of exactly dense and word
       * search.
       */
      fusionSlider: z.number().min(0).max(1).optional(),
      /** Set if a projection can be tried: its method, the pipeline's own weight (0 without one), and the range. */
      projectionSlider: z
        .object({
          method: projectionSchema.shape.method.unwrap(),
          untouched: z.number(),
          least: z.number(),
          most: z.number(),
        })
        .optional(),
      /** The parts of the query if a model splits it for the pipeline. Without a perspective if it found none. */
      splits: z
        .array(z.object({ full: z.string(), root: z.string(), perspective: z.string().optional() }))
        .optional(),
      /** How the results of a user's own retriever were matched to the corpus. */
      matches: matchesSchema.optional(),
      /** Set if a store returned fewer candidates than requested. */
      short: shortfallSchema.optional(),
      /** Progress of embedding, if the answer did not wait for all passages. */
      meaning: meaningSoFarSchema.optional(),
      /** How far the order of a projection over a store is certain. */
      certainty: certaintySchema.optional(),
      /** The error rates of the judge in use, if it was validated and figures rest on it. */
      validated: takenErrorsSchema.optional(),
      /** The error rates assumed for the judge, if its answers ordered the passages. */
      takenErrors: takenErrorsSchema.optional(),
      coverage: z.array(perspectiveCoverageSchema),
      /** The most passages that a deeper search sends to the judge. */
      lookDeeperPassages: z.number().int(),
      /** For each perspective with a deeper search. */
      deeper: z.array(
        z.object({
          perspectiveId: z.string(),
          /** The numbers of found passages, of unjudged ones, and of those that do not support it. */
          found: z.number().int(),
          unjudged: z.number().int(),
          refused: z.number().int(),
          /** The most promising passages first, and all that support it. */
          passages: z.array(deeperPassage),
        }),
      ),
      /** Independent of judgements. Sent shortly after the passages. */
      likeness: likenessSchema.optional(),
      /** A sentence on why likeness could not be computed. */
      likenessProblem: z.string().optional(),
      /** The kind of search, and its duration. */
      search: z.enum(SEARCH_KINDS),
      milliseconds: z.number(),
      /** Whether corpus, pipeline or perspectives have changed since this answer. */
      stale: z.boolean(),
    })
    .optional(),
  /** The document that the user misses, and why the pipeline does not return it, once known. */
  missing: z
    .object({
      document: z.string(),
      explanation: explanationSchema.optional(),
      /** The effect of its smallest change, once measured. */
      price: changePriceSchema.optional(),
      /** Captured retrievals of programs that can be asked for more passages, and the results by id. */
      askable: z.array(z.string()),
      pools: z.record(z.string(), programPoolSchema).optional(),
    })
    .optional(),
  /** Documents that match the text typed under "Where is…". */
  offered: z.object({ text: z.string(), documents: z.array(namedDocumentSchema) }).optional(),
  /** The visible part of the list of all passages, and its selection. */
  ranking: rankingSliceSchema.extend({ words: z.string(), decision: decisionSchema.optional() }).optional(),
  /** A sentence on why `parallax.json` is invalid. The defaults apply until it is fixed. */
  configProblem: z.string().optional(),
  error: failureSchema.optional(),
});
export type InspectorState = Read<typeof inspectorStateSchema>;
export type ResultView = Read<typeof resultView>;
export type JudgementView = Read<typeof judgementView>;
export type PerspectiveView = Read<typeof perspectiveView>;
export type DeeperPassage = Read<typeof deeperPassage>;
export type MetricsView = Read<typeof metricsView>;
export type TaskView = Read<typeof task>;

/** Host → panel. */
export const toInspectorSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('state'), state: inspectorStateSchema }),
  /** Focus the query box after a command requested it. */
  z.object({ type: z.literal('focus-query'), query: z.string().optional() }),
  /** Focus the box for a missing document. */
  z.object({ type: z.literal('focus-missing') }),
  /** Scroll to the explanation that was just requested. */
  z.object({ type: z.literal('show-explanation') }),
]);
export type ToInspector = Read<typeof toInspectorSchema>;

/** Panel → host. */
export const fromInspectorSchema = z.discriminatedUnion('type', [
  /** The panel was (re)loaded and needs the state. */
  z.object({ type: z.literal('ready') }),
  /** Explain why a document is not among the passages: its path, id or title, or a text in it. */
  z.object({ type: z.literal('explain'), document: z.string().min(1).max(100_000) }),
  /** Offer documents whose title or path contains the typed text. */
  z.object({ type: z.literal('complete-document'), text: z.string().max(1_000) }),
  z.object({ type: z.literal('end-explanation') }),
  /** Show the list of all passages from an index, filtered by words and decision. */
  z.object({
    type: z.literal('list-ranking'),
    words: z.string().max(1_000),
    decision: decisionSchema.optional(),
    from: z.number().int().min(0),
  }),
  z.object({ type: z.literal('end-ranking') }),
  /** Try other splits for a document that no other change brings in. */
  z.object({ type: z.literal('try-splitters') }),
  /** Use the pipeline of the smallest change that brings the document in. */
  z.object({ type: z.literal('adopt-change') }),
  /** Add it to parallax.json, or compare both pipelines on the eval set. */
  z.object({ type: z.literal('save-change') }),
  z.object({ type: z.literal('compare-change') }),
  /** Add a test to an eval set: the document must be within the first k for this question. */
  z.object({ type: z.literal('expect-document') }),
  /** Hand a lost perspective, or the missing document in view, to a coding agent. */
  z.object({ type: z.literal('hand-over'), perspectiveId: z.string().optional() }),
  /** Ask the running program of a captured retrieval for more passages. */
  z.object({ type: z.literal('ask-program'), id: z.string() }),
  /** Open a program of the workspace where something is wrong. */
  z.object({ type: z.literal('open-code'), file: z.string(), line: z.number().int().min(1) }),
  /** No folder is open: ask the user for one. */
  z.object({ type: z.literal('open-folder') }),
  z.object({
    type: z.literal('index'),
    /**
     * Written to parallax.json first: the selected folders (empty for files outside of folders), and whether code is
     * indexed.
     */
    choice: z.object({ folders: z.array(z.string()).min(1), code: z.boolean() }).optional(),
    /** Other corpora to index as well. */
    others: z.array(z.string()).optional(),
  }),
  z.object({ type: z.literal('search'), query: z.string().max(10_000) }),
  z.object({ type: z.literal('cancel'), kind: task.shape.kind }),
  z.object({ type: z.literal('set-pipeline'), pipeline: pipelineSchema }),
  z.object({ type: z.literal('set-corpus'), name: z.string() }),
  z.object({ type: z.literal('set-judge'), name: z.string() }),
  /** The user edited the perspectives by hand, one statement each. */
  z.object({ type: z.literal('set-perspectives'), texts: z.array(z.string().max(2_000)).max(32) }),
  /** Switch to the other perspectives of the question. */
  z.object({ type: z.literal('choose-perspectives'), source: z.enum(['own', 'eval-set']) }),
  /** Add the question with its perspectives to an eval set that the host asks for. */
  z.object({ type: z.literal('add-to-eval-set') }),
  z.object({ type: z.literal('generate-perspectives'), query: z.string().max(10_000) }),
  /** Ask the judge about every unjudged pair in the top k. */
  z.object({ type: z.literal('judge') }),
  /** Search for a perspective beyond the candidates, and judge the results. */
  z.object({ type: z.literal('look-deeper'), perspectiveId: z.string() }),
  z.object({
    type: z.literal('label'),
    passageId: z.string(),
    perspectiveId: z.string(),
    verdict: verdictSchema,
  }),
  z.object({ type: z.literal('open'), passageId: z.string(), perspectiveId: z.string().optional() }),
  /** Show the candidates as ordered by MMR, a projection or another dense weight. Missing sliders keep their value. */
  z.object({
    type: z.literal('what-if'),
    lambda: z.number().min(0).max(1).optional(),
    weight: z.number().min(-10).max(10).optional(),
    fusion: z.number().min(0).max(1).optional(),
  }),
  /** Restore the pipeline's own order. */
  z.object({ type: z.literal('end-what-if') }),
  /** Add the tried settings to the pipeline. */
  z.object({ type: z.literal('adopt-what-if') }),
  /** Ask the model for the stances of perspectives without one. */
  z.object({ type: z.literal('propose-stances') }),
  z.object({ type: z.literal('accept-stance'), perspectiveId: z.string() }),
  z.object({ type: z.literal('reject-stance'), perspectiveId: z.string() }),
  /** The user's own stance. `undefined` removes it. */
  z.object({ type: z.literal('set-stance'), perspectiveId: z.string(), stance: stanceSchema.optional() }),
  /** Choose the fields of documents to count, in a list of the editor. */
  z.object({ type: z.literal('choose-fields') }),
  z.object({ type: z.literal('show-skipped') }),
  z.object({ type: z.literal('clear-history') }),
  remedySchema,
  z.object({ type: z.literal('dismiss-proposed') }),
  z.object({ type: z.literal('dismiss-error') }),
]);
export type FromInspector = Read<typeof fromInspectorSchema>;
/** Messages as written by the panel. Fields with a default may be missing. */
export type FromInspectorInput = Written<typeof fromInspectorSchema>;

/** The number of colours in the perspective palette (webview/components/palette.css). */
export const PERSPECTIVE_COLORS = 8;

/**
 * The letter and the palette colour of a query's `index`-th perspective, from 0: A to Z, then AA, AB, …. Letters are
 * unique within a query; colours repeat after {@link PERSPECTIVE_COLORS}.
 */
export function perspectiveMark(index: number): { letter: string; color: number } {
  const last = String.fromCharCode(65 + (index % 26));
  const letter = index < 26 ? last : perspectiveMark(Math.floor(index / 26) - 1).letter + last;
  return { letter, color: index % PERSPECTIVE_COLORS };
}
