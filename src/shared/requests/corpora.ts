/** Requests about a corpus: indexing, and showing its content. */
import * as z from 'zod';
import type { Read } from '../../core/read.ts';
import { openAiEmbedderSchema } from '../config.ts';
import { storedPassageSchema } from './passages.ts';

/** Sentences on components that could not be loaded on this machine, and the consequences. */
export const noticesSchema = z.array(z.string());

/** Progress of embedding a corpus with the included encoder. */
export const meaningSoFarSchema = z.object({
  /** Passages that have a vector. */
  embedded: z.number().int(),
  /** The number of all passages. */
  of: z.number().int(),
  /** `undefined` if unknown. */
  secondsLeft: z.number().optional(),
});
export type MeaningSoFar = Read<typeof meaningSoFarSchema>;

export const corpusStatusSchema = z.object({
  indexed: z.boolean(),
  documents: z.number().int(),
  passages: z.number().int(),
  skipped: z.number().int(),
  notices: noticesSchema,
  /** `undefined` if nothing is being embedded in the background. */
  meaning: meaningSoFarSchema.optional(),
  /** Label of the corpus's store. `passages` is then the last known number. */
  store: z.string().optional(),
});
export type CorpusStatus = Read<typeof corpusStatusSchema>;

const skippedFileSchema = z.object({ path: z.string(), reason: z.string(), message: z.string() });
/** A file, or a part of one, that could not be read. */
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

/** Changed files, by size and time only. */
const fileChangesSchema = z.object({
  added: z.number().int(),
  changed: z.number().int(),
  deleted: z.number().int(),
  /** Indexed files, with their size at that time. */
  indexed: z.object({ files: z.number().int(), bytes: z.number() }),
  /** Bytes that new and changed files add. */
  addedBytes: z.number(),
  /** The largest of them, relative to parallax.json if possible. */
  largest: z.string().optional(),
});
export type FileChanges = Read<typeof fileChangesSchema>;

/** The files to index. */
export const corpusSurveySchema = z.object({
  /** `name` is empty for files outside of folders. */
  folders: z.array(
    z.object({
      name: z.string(),
      /** The number of prose files, and of code and settings files. */
      prose: z.number().int(),
      code: z.number().int(),
      /** Extensions of prose files, most frequent first. */
      kinds: z.array(z.string()),
    }),
  ),
  /** Whether code would be indexed. */
  withCode: z.boolean(),
  /** Whether folders can be excluded by name. */
  canChoose: z.boolean(),
  unread: z.object({
    /** Extensions of unsupported files, most frequent first. */
    kinds: z.array(z.object({ extension: z.string(), files: z.number().int() })),
    /** Documents that `.gitignore` excludes, and folders of them with a trailing slash. */
    ignored: z.array(z.string()),
  }),
});
export type CorpusSurvey = Read<typeof corpusSurveySchema>;

export const corpusRequests = {
  /**
   * Waits until the included encoder has embedded what a search left to the background. Cancelling pauses it until the
   * next question; existing vectors are kept.
   */
  embedded: { params: z.object({ corpus: z.string() }), result: z.object({ complete: z.boolean() }) },
  /** Sends one real request to an embedding endpoint that is not configured yet. */
  testEmbedder: {
    params: z.object({ config: openAiEmbedderSchema, key: z.string().optional() }),
    result: z.object({ dimensions: z.number().int() }),
  },
  /** Estimates the least effort of embedding corpora again, with tokens from a sample. Nothing is embedded. */
  embeddingEffort: {
    params: z.object({ corpora: z.array(z.string()).min(1) }),
    result: z.object({ passages: z.number().int(), tokens: z.number() }),
  },
  status: { params: z.object({ corpus: z.string() }), result: corpusStatusSchema },
  skipped: {
    params: z.object({ corpus: z.string() }),
    result: z.object({ files: z.array(skippedFileSchema) }),
  },
  /** Folders with counts and kinds. No file is read. */
  surveyCorpus: { params: z.object({ corpus: z.string() }), result: corpusSurveySchema },
  /** Whether files changed since indexing. No file is read. */
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
      /** How many are parts of a document, named by their number in it. */
      numbered: z.number().int(),
    }),
  },
  /** The passages of documents, for labels. Empty for missing documents. */
  documentPassages: {
    params: z.object({ corpus: z.string(), documentIds: z.array(z.string()) }),
    result: z.object({
      /** The `type` of the corpus's split. */
      split: z.string(),
      documents: z.array(
        z.object({
          documentId: z.string(),
          /** As stored in labels, see `documentHash` in core/formats/labels.ts. */
          hash: z.string().optional(),
          passages: z.array(storedPassageSchema.pick({ id: true, hash: true, text: true })),
        }),
      ),
    }),
  },
  /** The extracted text of a document, for formats that the editor cannot show. */
  documentText: {
    params: z.object({ corpus: z.string(), documentId: z.string() }),
    result: z.object({ text: z.string(), title: z.string() }),
  },
} as const;
