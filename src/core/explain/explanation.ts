/** Why a document is, or is not, among the passages that a pipeline returns for a question. */
import * as z from 'zod';
import { pipelineSchema } from '../pipeline.ts';
import type { Read } from '../read.ts';

const count = z.number().int().min(0);
const rank = z.number().int().min(1);

/** In the order in which a pipeline decides: the first that applies is the cause. */
export const CAUSES = [
  /** Within the first k. */
  'retrieved',
  /** A file that indexing leaves out or cannot read. */
  'not-read',
  /** A file that the next indexing will read. */
  'not-indexed',
  /** The text is in the document, but no single passage contains all of it. */
  'cut-apart',
  /** A filter of the store excludes it. */
  'filtered',
  /** No search of the pipeline ranks it among the candidates. */
  'outside-candidates',
  /** A candidate, and the rerankers leave it below k. */
  'below-k',
  /** The retriever ranks it within k, and a reranker moves it below. */
  'moved-down',
  /** A passage within k says nearly the same, and takes its place. */
  'duplicate-above',
  /** Nothing here can tell. */
  'unknown',
] as const;
export type Cause = (typeof CAUSES)[number];

/** A document of a corpus, as it is offered to somebody who types its name. */
export const namedDocumentSchema = z.object({ id: z.string(), title: z.string() });
export type NamedDocument = Read<typeof namedDocumentSchema>;

const explainedPassageSchema = z.object({
  id: z.string(),
  documentId: z.string(),
  /** For people. */
  name: z.string(),
  text: z.string(),
});
export type ExplainedPassage = Read<typeof explainedPassageSchema>;

/** One search of the retriever, ranking all passages. */
const armSchema = z.object({
  /** For people, as `retrieverLabel` has it. */
  name: z.string(),
  /** Of the passage that is explained; absent if this search does not return it. */
  rank: rank.optional(),
  score: z.number().optional(),
  /** The score of the last candidate, which a passage has to reach. */
  needed: z.number().optional(),
  /** The passages that were ranked. */
  searched: count,
  /** Another passage of the document, if this search ranks that one better. */
  better: z.object({ passageId: z.string(), rank }).optional(),
  /** For a search by meaning: the sentence of the passage that is nearest to the question, and how near it is. */
  nearest: z.object({ text: z.string(), score: z.number() }).optional(),
  /** Why this search was not made, as a sentence. */
  problem: z.string().optional(),
});
export type Arm = Read<typeof armSchema>;

/** A term of the question in BM25. The contributions of a passage add up to its score. */
const termSchema = z.object({
  term: z.string(),
  /** As the question has it. */
  word: z.string(),
  idf: z.number(),
  /** Passages of the corpus with the term. */
  passages: count,
  /** Occurrences in the passage. */
  frequency: count,
  contribution: z.number(),
  /** A word of the document that begins like the one of the question, if the passage lacks the term. */
  similar: z.string().optional(),
});
export type TermContribution = Read<typeof termSchema>;

/** What a program of the user returned for the question when it was captured. */
const programAnswerSchema = z.object({
  /** Of the captured retrieval. */
  id: z.string(),
  /** For people: the retriever, or the call. */
  name: z.string(),
  /** Milliseconds since 1970. */
  at: z.number(),
  returned: count,
  /** Passages that the corpus does not have: the document may be among them under another text. */
  unmatched: count,
  /** Of the document; absent if it is not among them. */
  rank: rank.optional(),
  /** Of a call that was observed: by which it can be asked again. */
  live: z.object({ site: z.string(), retrieval: z.string() }).optional(),
});
export type ProgramAnswer = Read<typeof programAnswerSchema>;

/** The same when a running program is asked for more passages. */
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
] as const;

/** A pipeline that differs in one setting. */
const changeSchema = z.object({
  kind: z.enum(CHANGES),
  /** The setting and its values, for people and the same in every language: `k 5 → 8`. */
  label: z.string(),
  pipeline: pipelineSchema,
  /** The rank of the passage with it. */
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
  /** Documents that contain the text, if more than one does. */
  documents: z.array(z.string()).optional(),
  /** For `not-read`: the sentence of the reader or the rule that leaves it out. */
  reason: z.string().optional(),
  /** For `filtered`: the filter, in the store's own language. */
  filter: z.string().optional(),
  /** For `cut-apart`: the passages that share the text, in reading order. */
  parts: z.array(explainedPassageSchema).optional(),
  /** For `duplicate-above`: the passage that takes its place. */
  duplicate: explainedPassageSchema.extend({ rank }).optional(),
  /** For `moved-down`: the reranker that did it, as it is labelled. */
  reranker: z.string().optional(),
  /** For MMR: the passage within k that it is most like, by their cosine. */
  alike: explainedPassageSchema.extend({ rank, cosine: z.number() }).optional(),
  /** For a cross-encoder: what it gives to the passage, and to the last of the first k. */
  relevance: z.object({ own: z.number(), needed: z.number() }).optional(),
  /** A retriever outside of the index: the passages that it was asked for, and those that it returned. */
  elsewhere: z.object({ name: z.string(), asked: count, returned: count }).optional(),
  /** Newest first, one for each call. */
  programs: z.array(programAnswerSchema).optional(),
  arms: z.array(armSchema),
  /** Empty if BM25 takes no part. */
  terms: z.array(termSchema),
  /** Length of the passage in terms, and the mean over the corpus. */
  lengths: z.object({ passage: count, mean: z.number() }).optional(),
  /** The smallest change that brings the passage into the first k; absent if no change that was tried does. */
  change: changeSchema.optional(),
  /** All that was tried. */
  tried: z.array(changeSchema),
});
export type Explanation = Read<typeof explanationSchema>;
