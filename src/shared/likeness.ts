/** How alike retrieved passages are and where they come from, without anybody's judgement; for requests and panels. */
import * as z from 'zod';
import type { Read } from '../core/read.ts';
import { fieldSpreadSchema, spreadSchema } from '../core/likeness/spread.ts';

const themeSchema = z.object({
  /** Words that tell it from the others, in lower case; may be empty. */
  terms: z.array(z.string()),
  /** Candidates in it, and those of them that are shown. */
  passages: z.number().int(),
  top: z.number().int(),
  /** Ids of the candidates in it, best first. */
  members: z.array(z.string()),
  /** The candidate that is most like the rest of the theme. */
  nearest: z.object({ passageId: z.string(), title: z.string(), path: z.string() }),
});
export type ThemeView = Read<typeof themeSchema>;

export const likenessSchema = z.object({
  /** Whose vectors say what is alike. */
  embedder: z.string(),
  /** Passages shown, and the candidates that they are compared with. */
  passages: z.number().int(),
  candidates: z.number().int(),
  spreads: z.object({ documents: spreadSchema, folders: spreadSchema, sections: spreadSchema }),
  /** The same of the values that their documents have in fields such as an author or a date. */
  fields: z.array(fieldSpreadSchema),
  /** Names of all fields that the documents of the corpus have; the most common first. */
  foundFields: z.array(z.string()),
  /** Passages shown that are nearly the same text as one above them. */
  repeats: z.array(z.object({ passageId: z.string(), of: z.string() })),
  /** Vendi score of the passages shown, from 1 to their number; 0 of none. */
  vendi: z.number(),
  /** Mean cosine of their pairs; absent where there is no pair. */
  similarity: z.number().optional(),
  themes: z.object({
    /** The largest first. */
    larger: z.array(themeSchema),
    /** Candidates in no larger theme. */
    rest: z.object({ passages: z.number().int(), top: z.number().int() }),
    /** Whether themes lie clearly apart. */
    clear: z.boolean(),
  }),
});
export type LikenessView = Read<typeof likenessSchema>;
