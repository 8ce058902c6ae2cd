/**
 * Messages between the side panel and the extension host: one discriminated union per direction.
 *
 * The host always sends the newest whole {@link InspectorState}, never a delta, because VS Code may drop
 * messages to a hidden view. The panel keeps nothing but what the user is typing.
 */
import * as z from 'zod';
import { changePriceSchema } from '../../evaluation/change-price.ts';
import { decisionSchema, rankingSliceSchema } from '../../core/explain/ranked.ts';
import { explanationSchema, namedDocumentSchema, programPoolSchema } from '../../core/explain/explanation.ts';
import type { Read, Written } from '../../core/read.ts';
import { PROPOSED_STANCES } from '../../core/judging/stance.ts';
import {
  judgedBySchema,
  judgementSchema,
  stanceSchema,
  stanceSourceSchema,
  verdictSchema,
} from '../../core/model.ts';
import { VERDICTS } from '../../core/words.ts';
import { pipelineSchema, projectionSchema, SEARCH_KINDS } from '../../core/pipeline.ts';
import { failureSchema, remedySchema } from './failure.ts';
import { judgeOfferSchema } from './judge-offer.ts';
import { likenessSchema } from '../likeness.ts';
import { certaintySchema } from '../../core/external/certainty.ts';
import { shortfallSchema } from '../../core/external/shortfall.ts';
import { meaningSoFarSchema } from '../requests/corpora.ts';
import { matchesSchema } from '../matches.ts';
import { raisedSchema, takenErrorsSchema } from '../../core/validation/taken-errors.ts';
import { corpusStatusSchema, corpusSurveySchema } from '../requests/corpora.ts';
import {
  coverageMetricsSchema,
  perspectiveCoverageSchema,
  probeRankSchema,
} from '../../core/coverage-states.ts';
import { taskSchema } from './task.ts';

const perspectiveView = z.object({
  id: z.string(),
  text: z.string(),
  /** The document that the eval set expects; it decides in place of labels. */
  document: z.string().optional(),
  stance: stanceSchema.optional(),
  /** Who gave the stance; absent where the eval set does not say. */
  stanceBy: stanceSourceSchema.optional(),
  /** The stance that a model proposes where there is none, and which model; nothing rests on it until accepted. */
  proposal: z.object({ stance: z.enum(PROPOSED_STANCES), by: z.string() }).optional(),
  /** Letter and colour of {@link perspectiveMark}; the same in chips, evidence marks and editor decorations. */
  letter: z.string().min(1),
  color: z.number().int().min(0).max(7),
});

/** A judgement as far as the panel shows it; of an unjudged pair there is neither source nor judge. */
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
    /** `unjudged`: nobody has answered yet. Never shown as "no". */
    verdict: z.enum([...VERDICTS, 'unjudged']),
    /** Set while the judge is working on this pair. */
    pending: z.boolean().optional(),
  });

const resultView = z.object({
  rank: z.number().int().min(1),
  passageId: z.string(),
  /** File and section. */
  title: z.string(),
  /** The same with every heading above it, uncut. */
  fullTitle: z.string(),
  /** Path relative to the workspace, for people. */
  path: z.string(),
  /** 1-based first and last line, for people; absent where the text was extracted from another format. */
  lines: z.object({ first: z.number().int(), last: z.number().int() }).optional(),
  score: z.number(),
  /** How many ranks it rose (or fell, below 0) through reranking or the what-if; absent without either. */
  movement: z.number().int().optional(),
  /** The perspectives that a coverage reranker moved it up for, by a judge's answers. */
  raised: raisedSchema.optional(),
  text: z.string(),
  /** One per perspective of the query, in the query's order. */
  judgements: z.array(judgementView),
});

/** A passage that looking deeper found for a perspective. */
const deeperPassage = z.object({
  passageId: z.string(),
  title: z.string(),
  ...resultView.pick({ path: true, lines: true, text: true }).shape,
  /** Its ranks in the searches that were made for the perspective. */
  ranks: z.array(probeRankSchema),
  /** Among the candidates; absent for a passage that the pipeline does not have among them. */
  rank: z.number().int().optional(),
  verdict: z.enum([...VERDICTS, 'unjudged']),
  /** The passage's own words that the verdict rests on. */
  evidence: judgementView.shape.evidence,
});

const metricsView = coverageMetricsSchema.extend({
  /** How many of the judged pairs rest on each source. */
  sources: z.array(judgedBySchema),
});

const task = taskSchema.extend({
  kind: z.enum(['index', 'search', 'embed', 'judge', 'deeper', 'generate', 'stances', 'explain']),
});

const corpusView = z.discriminatedUnion('state', [
  z.object({ state: z.literal('no-folder') }),
  z.object({ state: z.literal('unknown') }),
  z.object({
    state: z.literal('not-indexed'),
    name: z.string(),
    /** Folders and files that indexing would read, for people. */
    roots: z.array(z.string()),
    /** Absent while nobody has looked. */
    survey: corpusSurveySchema.optional(),
    /** Label of a store that pipelines search and that is no corpus of its own; nothing would have to be indexed for it. */
    store: z.string().optional(),
    /** Other corpora that are not indexed either, such as further folders of the workspace. */
    others: z.array(z.object({ name: z.string(), files: z.number().int(), kinds: z.array(z.string()) })),
  }),
  corpusStatusSchema.omit({ indexed: true }).extend({ state: z.literal('indexed'), name: z.string() }),
]);

const perspectiveSource = z.enum(['none', 'eval-set', 'typed']);

export const inspectorStateSchema = z.object({
  trusted: z.boolean(),
  corpus: corpusView,
  corpora: z.array(z.string()),
  /** Work under way; the panel shows progress and a cancel button for each. */
  tasks: z.array(task),
  /** Pipelines to choose from: those of parallax.json, or the built-in ones. */
  pipelines: z.array(z.object({ name: z.string(), pipeline: pipelineSchema })),
  embedders: z.array(z.string()),
  pipeline: pipelineSchema,
  judge: z.object({
    name: z.string(),
    label: z.string(),
    /** Can be asked about unjudged pairs (false for human labels only). */
    canJudge: z.boolean(),
    choices: z.array(judgeOfferSchema),
    /** A model that can propose perspectives is configured. */
    canGenerate: z.boolean(),
    /** The name of that model, for people. */
    generator: z.string().optional(),
  }),
  /** Newest first. */
  history: z.array(z.string()),
  /** Questions of the workspace's eval sets, offered while typing. */
  evalQueries: z.array(z.object({ id: z.string(), text: z.string(), evalSet: z.string() })),
  query: z.string(),
  perspectives: z.array(perspectiveView),
  /** Where the perspectives come from. */
  perspectiveSource,
  /** The question has other perspectives, too, which can be chosen instead. */
  alternative: z.object({ source: perspectiveSource, count: z.number().int() }).optional(),
  /** Proposed by a model for this question; nothing of it counts before the user takes it. */
  proposed: z
    .object({
      by: z.string(),
      /** Whether the model saw the question alone or passages, too. */
      from: z.enum(['passages', 'question']),
      items: z.array(
        z.object({
          text: z.string(),
          /** Those that gave rise to it; none where it was expected and not found among those shown. */
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
      /** How many passages were retrieved for later steps: what a what-if reorders. */
      candidates: z.number().int(),
      /** Tried out on these candidates without changing the pipeline: λ of MMR, weight of a projection, weight of meaning. */
      whatIf: z
        .object({
          lambda: z.number().min(0).max(1).optional(),
          /** Whose vectors say what is similar, beside λ. */
          embedder: z.string().optional(),
          weight: z.number().optional(),
          fusion: z.number().min(0).max(1).optional(),
          /** The best by that weight are not all among the candidates. */
          isIncomplete: z.boolean().optional(),
        })
        .optional(),
      /** The weight of meaning beside words in the pipeline; absent where it is not made of the two alone. */
      fusionSlider: z.number().min(0).max(1).optional(),
      /** Where a projection can be tried out: its method, the pipeline's own weight (0 without one), and the range. */
      projectionSlider: z
        .object({
          method: projectionSchema.shape.method.unwrap(),
          untouched: z.number(),
          least: z.number(),
          most: z.number(),
        })
        .optional(),
      /** The parts of the query where a model takes it apart for the pipeline; no perspective where it found none. */
      splits: z
        .array(z.object({ full: z.string(), root: z.string(), perspective: z.string().optional() }))
        .optional(),
      /** How what the user's own retriever returned was recognised in the corpus. */
      matches: matchesSchema.optional(),
      /** A store returned fewer candidates than it was asked for. */
      short: shortfallSchema.optional(),
      /** How many passages meaning was compared for, where the answer did not wait for all. */
      meaning: meaningSoFarSchema.optional(),
      /** How far the order of a projection over a store is that of all its passages. */
      certainty: certaintySchema.optional(),
      /** How the judge in use errs, where it was validated and figures rest on it. */
      validated: takenErrorsSchema.optional(),
      /** The error rates assumed of the judge, where its answers ordered the passages. */
      takenErrors: takenErrorsSchema.optional(),
      coverage: z.array(perspectiveCoverageSchema),
      /** How many passages looking deeper puts to the judge at most. */
      lookDeeperPassages: z.number().int(),
      /** For each perspective that somebody looked deeper for. */
      deeper: z.array(
        z.object({
          perspectiveId: z.string(),
          /** How many passages were found; of how many nobody knows, and how many do not support it. */
          found: z.number().int(),
          unjudged: z.number().int(),
          refused: z.number().int(),
          /** The most promising of them first, and all that support it. */
          passages: z.array(deeperPassage),
        }),
      ),
      /** Rests on no judgement; follows the passages in a moment. */
      likeness: likenessSchema.optional(),
      /** Why that could not be worked out, as a sentence. */
      likenessProblem: z.string().optional(),
      /** How the passages were looked for, and the time the retrieval took. */
      search: z.enum(SEARCH_KINDS),
      milliseconds: z.number(),
      /** Set when corpus, pipeline or perspectives changed after this answer. */
      stale: z.boolean(),
    })
    .optional(),
  /** The document that the user misses, and why the pipeline does not return it once that is known. */
  missing: z
    .object({
      document: z.string(),
      explanation: explanationSchema.optional(),
      /** Of its smallest change, once that is measured. */
      price: changePriceSchema.optional(),
      /** Captured retrievals of programs that can be asked for more passages, and what came of it, by their ids. */
      askable: z.array(z.string()),
      pools: z.record(z.string(), programPoolSchema).optional(),
    })
    .optional(),
  /** Documents that what is typed under "Where is…" may mean. */
  offered: z.object({ text: z.string(), documents: z.array(namedDocumentSchema) }).optional(),
  /** The part in sight of the list of all passages, and what is selected in it. */
  ranking: rankingSliceSchema.extend({ words: z.string(), decision: decisionSchema.optional() }).optional(),
  /** Why `parallax.json` cannot be used, as a sentence; the defaults hold meanwhile. */
  configProblem: z.string().optional(),
  /** The last failure. */
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
  /** Put the cursor into the query box, after a command asked for it. */
  z.object({ type: z.literal('focus-query'), query: z.string().optional() }),
  /** Put it into the box for a missing document. */
  z.object({ type: z.literal('focus-missing') }),
  /** Scroll to the answer about a missing document that somebody has just asked for. */
  z.object({ type: z.literal('show-explanation') }),
]);
export type ToInspector = Read<typeof toInspectorSchema>;

/** Panel → host. */
export const fromInspectorSchema = z.discriminatedUnion('type', [
  /** The panel is loaded (again) and wants the state. */
  z.object({ type: z.literal('ready') }),
  /** Say why a document is not among the passages: its path, id or title, or a text in it. */
  z.object({ type: z.literal('explain'), document: z.string().min(1).max(100_000) }),
  /** Offer documents whose title or path contains what is typed. */
  z.object({ type: z.literal('complete-document'), text: z.string().max(1_000) }),
  z.object({ type: z.literal('end-explanation') }),
  /** Show the list of all passages from a place on: those with some words, and with a decision. */
  z.object({
    type: z.literal('list-ranking'),
    words: z.string().max(1_000),
    decision: decisionSchema.optional(),
    from: z.number().int().min(0),
  }),
  z.object({ type: z.literal('end-ranking') }),
  /** Try other splitters for a document that nothing else brings in. */
  z.object({ type: z.literal('try-splitters') }),
  /** Use the pipeline of the smallest change that brings the document in. */
  z.object({ type: z.literal('adopt-change') }),
  /** Add it to parallax.json, or compare both pipelines on the eval set. */
  z.object({ type: z.literal('save-change') }),
  z.object({ type: z.literal('compare-change') }),
  /** Add a test to an eval set: the document must be within the first k for this question. */
  z.object({ type: z.literal('expect-document') }),
  /** Ask the running program of a captured retrieval for more passages. */
  z.object({ type: z.literal('ask-program'), id: z.string() }),
  /** Nothing is open: ask the user for a folder. */
  z.object({ type: z.literal('open-folder') }),
  z.object({
    type: z.literal('index'),
    /** Written to parallax.json first: the ticked folders (empty for the files beside them), and whether code is indexed. */
    choice: z.object({ folders: z.array(z.string()).min(1), code: z.boolean() }).optional(),
    /** Other corpora to be indexed, too. */
    others: z.array(z.string()).optional(),
  }),
  z.object({ type: z.literal('search'), query: z.string().max(10_000) }),
  z.object({ type: z.literal('cancel'), kind: task.shape.kind }),
  z.object({ type: z.literal('set-pipeline'), pipeline: pipelineSchema }),
  z.object({ type: z.literal('set-corpus'), name: z.string() }),
  z.object({ type: z.literal('set-judge'), name: z.string() }),
  /** The user edited the perspectives by hand; one statement each. */
  z.object({ type: z.literal('set-perspectives'), texts: z.array(z.string().max(2_000)).max(32) }),
  /** Turn to the perspectives of the question that are not in view. */
  z.object({ type: z.literal('choose-perspectives'), source: z.enum(['own', 'eval-set']) }),
  /** Add the question with its perspectives to an eval set, which the host asks for. */
  z.object({ type: z.literal('add-to-eval-set') }),
  z.object({ type: z.literal('generate-perspectives'), query: z.string().max(10_000) }),
  /** Ask the judge about every unjudged pair in the top k. */
  z.object({ type: z.literal('judge') }),
  /** Look for a perspective beyond the candidates, and have what is found judged. */
  z.object({ type: z.literal('look-deeper'), perspectiveId: z.string() }),
  z.object({
    type: z.literal('label'),
    passageId: z.string(),
    perspectiveId: z.string(),
    verdict: verdictSchema,
  }),
  z.object({ type: z.literal('open'), passageId: z.string(), perspectiveId: z.string().optional() }),
  /** Show the candidates as MMR, a projection or another weight of meaning would order them; a slider that is left out stays where it is. */
  z.object({
    type: z.literal('what-if'),
    lambda: z.number().min(0).max(1).optional(),
    weight: z.number().min(-10).max(10).optional(),
    fusion: z.number().min(0).max(1).optional(),
  }),
  /** Back to the pipeline's own order. */
  z.object({ type: z.literal('end-what-if') }),
  /** Make what is being tried out a part of the pipeline. */
  z.object({ type: z.literal('adopt-what-if') }),
  /** Ask the model on which side the perspectives without a stance are. */
  z.object({ type: z.literal('propose-stances') }),
  z.object({ type: z.literal('accept-stance'), perspectiveId: z.string() }),
  z.object({ type: z.literal('reject-stance'), perspectiveId: z.string() }),
  /** The user's own word; none takes the stance away. */
  z.object({ type: z.literal('set-stance'), perspectiveId: z.string(), stance: stanceSchema.optional() }),
  /** Choose, in a list of the editor, which fields of documents are counted. */
  z.object({ type: z.literal('choose-fields') }),
  z.object({ type: z.literal('show-skipped') }),
  z.object({ type: z.literal('clear-history') }),
  remedySchema,
  z.object({ type: z.literal('dismiss-proposed') }),
  z.object({ type: z.literal('dismiss-error') }),
]);
export type FromInspector = Read<typeof fromInspectorSchema>;
/** The same messages as the panel writes them: fields with a default may be left out. */
export type FromInspectorInput = Written<typeof fromInspectorSchema>;

/** How many colours the perspective palette has (webview/components/palette.css). */
export const PERSPECTIVE_COLORS = 8;

/**
 * The letter and the palette colour of a query's `index`-th perspective, counted from 0: A to Z, then AA, AB, …
 * Letters are unique within a query; colours repeat after {@link PERSPECTIVE_COLORS}.
 */
export function perspectiveMark(index: number): { letter: string; color: number } {
  const last = String.fromCharCode(65 + (index % 26));
  const letter = index < 26 ? last : perspectiveMark(Math.floor(index / 26) - 1).letter + last;
  return { letter, color: index % PERSPECTIVE_COLORS };
}
