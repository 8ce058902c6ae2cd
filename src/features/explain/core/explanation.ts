/** Why a pipeline does or does not return a document for a question. */
import * as z from 'zod';
import { pipelineSchema } from '../../../core/pipeline.ts';
import type { Read } from '../../../core/read.ts';
import { splitSchema } from '../../../core/split/spec.ts';

const count = z.number().int().min(0);
const rank = z.number().int().min(1);

/** In the order in which a pipeline decides. The first that applies is the cause. */
export const CAUSES = [
  /** Within the first k. */
  'retrieved',
  /** A file that indexing leaves out or cannot read. */
  'not-read',
  /** A file that the next indexing will read. */
  'not-indexed',
  /** The document contains the text, but no single passage contains all of it. */
  'cut-apart',
  /** A filter of the store excludes it. */
  'filtered',
  /** No search of the pipeline ranks it among the candidates. */
  'outside-candidates',
  /** A candidate that the rerankers leave below k. */
  'below-k',
  /** The retriever ranks it within k, and a reranker moves it below k. */
  'moved-down',
  /** A passage within k is nearly the same and takes its place. */
  'duplicate-above',
  /** The cause cannot be determined. */
  'unknown',
] as const;
export type Cause = (typeof CAUSES)[number];

/** A document of a corpus, as completed while its name is typed. */
export const namedDocumentSchema = z.object({ id: z.string(), title: z.string() });
export type NamedDocument = Read<typeof namedDocumentSchema>;

/** A target that the user reports as missing. */
export interface NamedTarget {
  /** A path, an id of a document or passage, a title, or a text that a document contains. */
  readonly document: string;
  /** The absolute path of the file in which that text was selected. */
  readonly within?: string | undefined;
}

const explainedPassageSchema = z.object({
  id: z.string(),
  documentId: z.string(),
  /** Display name. */
  name: z.string(),
  text: z.string(),
});
export type ExplainedPassage = Read<typeof explainedPassageSchema>;

/** One search of the retriever, ranking all passages. */
const armSchema = z.object({
  /** Display name, from `retrieverLabel`. */
  name: z.string(),
  /** The explained passage's rank. `undefined` if this search does not return it. */
  rank: rank.optional(),
  score: z.number().optional(),
  /** The score of the last candidate, which a passage must reach. */
  needed: z.number().optional(),
  /** The passages that were ranked. */
  searched: count,
  /** Another passage of the document that this search ranks higher. */
  better: z.object({ passageId: z.string(), rank }).optional(),
  /** For a dense search: the sentence of the passage nearest to the question, with its score. */
  nearest: z.object({ text: z.string(), score: z.number() }).optional(),
  /** A sentence on why this search was not run. */
  problem: z.string().optional(),
});
export type Arm = Read<typeof armSchema>;

/** A term of the question in BM25. The contributions of a passage add up to its score. */
const termSchema = z.object({
  term: z.string(),
  /** As written in the question. */
  word: z.string(),
  idf: z.number(),
  /** Passages of the corpus with the term. */
  passages: count,
  /** Occurrences in the passage. */
  frequency: count,
  contribution: z.number(),
  /** A word of the document with the same beginning as the question's word, if the passage lacks the term. */
  similar: z.string().optional(),
});
export type TermContribution = Read<typeof termSchema>;

/** The captured answer of a user's program to the question. */
const programAnswerSchema = z.object({
  /** The id of the captured retrieval. */
  id: z.string(),
  /** Display name: the retriever, or the call. */
  name: z.string(),
  /** Milliseconds since 1970. */
  at: z.number(),
  returned: count,
  /** Passages that are not in the corpus. The document may be among them under another text. */
  unmatched: count,
  /** The document's rank. `undefined` if it was not returned. */
  rank: rank.optional(),
  /** For an observed call: what is needed to ask it again. */
  live: z.object({ site: z.string(), retrieval: z.string() }).optional(),
});
export type ProgramAnswer = Read<typeof programAnswerSchema>;

/** The answer of a running program that was asked for more passages. */
export const programPoolSchema = programAnswerSchema
  .pick({ returned: true, unmatched: true, rank: true })
  .extend({ asked: rank });
export type ProgramPool = Read<typeof programPoolSchema>;

export const CHANGES = [
  'filter',
  'k',
  'reranker',
  'expansion',
  'weights',
  'candidates',
  'retriever',
  'embedder',
  'parameters',
  'splitter',
] as const;

/** A pipeline that differs in one setting, or the same pipeline on a corpus with another split. */
const changeSchema = z.object({
  kind: z.enum(CHANGES),
  /** The setting and its values, the same in every language: `k 5 → 8`. */
  label: z.string(),
  pipeline: pipelineSchema,
  /** For `splitter`: the split of the corpus. */
  split: splitSchema.optional(),
  /** For `splitter`: the number of passages of the corpus now, and with this split. */
  passages: z.object({ before: count, after: count }).optional(),
  /** The rank of the passage with this change. */
  rank: rank.optional(),
});
export type TriedChange = Read<typeof changeSchema>;

export const explanationSchema = z.object({
  cause: z.enum(CAUSES),
  k: rank,
  /** How many passages the rerankers see. */
  candidates: rank,
  /** The final rank of the best passage, over all passages. */
  rank: rank.optional(),
  /** Its rank before the rerankers. */
  retrievedRank: rank.optional(),
  passage: explainedPassageSchema.optional(),
  /** Other passages of its document, ranked ones first. Limited to the first if there are many. */
  others: z.array(z.object({ id: z.string(), name: z.string(), rank: rank.optional() })).optional(),
  /** The first passages in which `others` were looked for. */
  ranked: count.optional(),
  /** Documents that contain the text, if more than one does. */
  documents: z.array(z.string()).optional(),
  /** For `not-read`: the reader's error or the rule that leaves it out. */
  reason: z.string().optional(),
  /** For `filtered`: the filter, in the store's own language. */
  filter: z.string().optional(),
  /** For a text that is cut apart: the passages with its parts, in reading order. */
  parts: z.array(explainedPassageSchema).optional(),
  /** For `duplicate-above`: the passage that takes its place. */
  duplicate: explainedPassageSchema.extend({ rank }).optional(),
  /** For `moved-down`: the label of the reranker that moved it. */
  reranker: z.string().optional(),
  /** For MMR: the most similar passage within k, with the cosine. */
  alike: explainedPassageSchema.extend({ rank, cosine: z.number() }).optional(),
  /** For a cross-encoder: the scores of the passage and of the last passage within k. */
  relevance: z.object({ own: z.number(), needed: z.number() }).optional(),
  /** A retriever outside of the index, with the numbers of passages requested and returned. */
  elsewhere: z.object({ name: z.string(), asked: count, returned: count }).optional(),
  /** Newest first, one per call. */
  programs: z.array(programAnswerSchema).optional(),
  arms: z.array(armSchema),
  /** Empty if the pipeline does not use BM25. */
  terms: z.array(termSchema),
  /** Length of the passage in terms, and the mean over the corpus. */
  lengths: z.object({ passage: count, mean: z.number() }).optional(),
  /** The smallest change that brings the passage into the top k. `undefined` if none of the tried changes does. */
  change: changeSchema.optional(),
  /** All changes that were tried. */
  tried: z.array(changeSchema),
  /** Set if another splitter may help: no other change does, and the splitters are untried or cannot be tried. */
  splitters: z.enum(['untried', 'too-many']).optional(),
  /** The number of passages that had a vector at the time. `undefined` if all densely searched passages had one. */
  embedded: z.object({ done: count, of: count }).optional(),
});
export type Explanation = Read<typeof explanationSchema>;
