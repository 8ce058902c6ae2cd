/** Requests about a corpus as it is: indexing it, and showing what is in it. */
import * as z from 'zod';
import type { Read } from '../../core/read.ts';
import { openAiEmbedderSchema } from '../config.ts';
import { storedPassageSchema } from './passages.ts';

/** Parts that could not be loaded on this machine, and what is missing because of it, as sentences. */
export const noticesSchema = z.array(z.string());

/** How far the encoder that ships has come with the passages of a corpus. */
export const meaningSoFarSchema = z.object({
  /** Passages that have a vector. */
  embedded: z.number().int(),
  /** Passages that there are. */
  of: z.number().int(),
  /** As far as it is known. */
  secondsLeft: z.number().optional(),
});
export type MeaningSoFar = Read<typeof meaningSoFarSchema>;

export const corpusStatusSchema = z.object({
  indexed: z.boolean(),
  documents: z.number().int(),
  passages: z.number().int(),
  skipped: z.number().int(),
  notices: noticesSchema,
  /** Absent while nothing is embedded in the background. */
  meaning: meaningSoFarSchema.optional(),
  /** Label of the store in which the corpus lives; `passages` are those it had when it was asked last. */
  store: z.string().optional(),
});
export type CorpusStatus = Read<typeof corpusStatusSchema>;

const skippedFileSchema = z.object({ path: z.string(), reason: z.string(), message: z.string() });
/** A file that could not be read, or a part of one. */
export type SkippedFile = Read<typeof skippedFileSchema>;

const indexReportSchema = z.object({
  added: z.number().int(),
  changed: z.number().int(),
  deleted: z.number().int(),
  unchanged: z.number().int(),
  skipped: z.number().int(),
  documents: z.number().int(),
  passages: z.number().int(),
  milliseconds: z.number(),
});
export type IndexReport = Read<typeof indexReportSchema>;

/** Files, by their sizes and times alone. */
const fileChangesSchema = z.object({
  added: z.number().int(),
  changed: z.number().int(),
  deleted: z.number().int(),
  /** Files that were indexed, and their bytes then. */
  indexed: z.object({ files: z.number().int(), bytes: z.number() }),
  /** Bytes that new and changed files add. */
  addedBytes: z.number(),
  /** The file that adds most of them, relative to parallax.json where it can be. */
  largest: z.string().optional(),
});
export type FileChanges = Read<typeof fileChangesSchema>;

/** The files that indexing would read. */
export const corpusSurveySchema = z.object({
  /** `name` is empty for files beside the folders. */
  folders: z.array(
    z.object({
      name: z.string(),
      /** Files to read, and files of code and settings. */
      prose: z.number().int(),
      code: z.number().int(),
      /** Extensions of the former, most frequent first. */
      kinds: z.array(z.string()),
    }),
  ),
  /** Whether code would be indexed. */
  withCode: z.boolean(),
  /** Whether folders can be left out by their names. */
  canChoose: z.boolean(),
  unread: z.object({
    /** Extensions of files that no reader knows, most frequent first. */
    kinds: z.array(z.object({ extension: z.string(), files: z.number().int() })),
    /** Documents, and folders of them with a slash behind, that `.gitignore` leaves out. */
    ignored: z.array(z.string()),
  }),
});
export type CorpusSurvey = Read<typeof corpusSurveySchema>;

export const corpusRequests = {
  /**
   * Waits until the encoder that ships has embedded what a search left to the background. Cancelling stops it until the next
   * question; what has a vector keeps it.
   */
  embedded: { params: z.object({ corpus: z.string() }), result: z.object({ complete: z.boolean() }) },
  /** One real request to an endpoint with embeddings that no configuration names yet. */
  testEmbedder: {
    params: z.object({ config: openAiEmbedderSchema, key: z.string().optional() }),
    result: z.object({ dimensions: z.number().int() }),
  },
  /** The least that embedding corpora again takes; nothing is embedded. Tokens are estimated from a sample. */
  embeddingEffort: {
    params: z.object({ corpora: z.array(z.string()).min(1) }),
    result: z.object({ passages: z.number().int(), tokens: z.number() }),
  },
  status: { params: z.object({ corpus: z.string() }), result: corpusStatusSchema },
  skipped: {
    params: z.object({ corpus: z.string() }),
    result: z.object({ files: z.array(skippedFileSchema) }),
  },
  /** Folders with counts and kinds; nothing is read. */
  surveyCorpus: { params: z.object({ corpus: z.string() }), result: corpusSurveySchema },
  /** Whether the files are another than those that were indexed; nothing is read. */
  fileChanges: { params: z.object({ corpus: z.string() }), result: fileChangesSchema },
  index: { params: z.object({ corpus: z.string(), rebuild: z.boolean() }), result: indexReportSchema },
  passage: {
    params: z.object({ corpus: z.string(), passageId: z.string() }),
    result: storedPassageSchema,
  },
  /** Which of these passages are not in the corpus. */
  unknownPassages: {
    params: z.object({ corpus: z.string(), passageIds: z.array(z.string()) }),
    result: z.object({
      unknown: z.array(z.string()),
      /** How many are parts of a document, which are called by their number in it. */
      numbered: z.number().int(),
    }),
  },
  /** The passages of documents, to be named by labels; a document that is not there has none. */
  documentPassages: {
    params: z.object({ corpus: z.string(), documentIds: z.array(z.string()) }),
    result: z.object({
      /** The `type` of the corpus' split. */
      split: z.string(),
      documents: z.array(
        z.object({
          documentId: z.string(),
          /** As labels keep it; see `documentHash` in core/formats/labels.ts. */
          hash: z.string().optional(),
          passages: z.array(storedPassageSchema.pick({ id: true, hash: true, text: true })),
        }),
      ),
    }),
  },
  /** The extracted text of a document, for formats that the editor cannot show as text. */
  documentText: {
    params: z.object({ corpus: z.string(), documentId: z.string() }),
    result: z.object({ text: z.string(), title: z.string() }),
  },
} as const;
