/** Likeness and origin of retrieved passages, independent of judgements, for requests and panels. */
import * as z from 'zod';
import type { Read } from '../core/read.ts';
import { fieldSpreadSchema, spreadSchema } from '../core/likeness/spread.ts';

const themeSchema = z.object({
  /** Distinguishing words, in lower case. May be empty. */
  terms: z.array(z.string()),
  /** The number of candidates in it, and of those that are shown. */
  passages: z.number().int(),
  top: z.number().int(),
  /** Ids of its candidates, best first. */
  members: z.array(z.string()),
  /** The candidate most similar to the rest of the theme. */
  nearest: z.object({ passageId: z.string(), title: z.string(), path: z.string() }),
});
export type ThemeView = Read<typeof themeSchema>;

export const likenessSchema = z.object({
  /** The embedder whose vectors measure likeness. */
  embedder: z.string(),
  /** The number of shown passages, and of the candidates they are compared with. */
  passages: z.number().int(),
  candidates: z.number().int(),
  spreads: z.object({ documents: spreadSchema, folders: spreadSchema, sections: spreadSchema }),
  /** The spread of values in their documents' fields, such as an author or a date. */
  fields: z.array(fieldSpreadSchema),
  /** Names of all fields of the corpus's documents, most common first. */
  foundFields: z.array(z.string()),
  /** Shown passages that are nearly the same text as a higher-ranked one. */
  repeats: z.array(z.object({ passageId: z.string(), of: z.string() })),
  /** Vendi score of the shown passages, from 1 to their number. 0 without passages. */
  vendi: z.number(),
  /** Mean cosine of their pairs. `undefined` without pairs. */
  similarity: z.number().optional(),
  themes: z.object({
    /** Largest first. */
    larger: z.array(themeSchema),
    /** Candidates without a larger theme. */
    rest: z.object({ passages: z.number().int(), top: z.number().int() }),
    /** Whether themes are clearly separated. */
    clear: z.boolean(),
  }),
});
export type LikenessView = Read<typeof likenessSchema>;
