/** Requests and results of the map: candidates as points of a plane, optionally among other passages of the corpus. */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { likenessSchema } from '../../../shared/likeness.ts';

const place = { x: z.number(), y: z.number() };

/** The most candidates on the map. */
export const MAPPED_PASSAGES = 1000;
/** The most pipelines with an outline. */
export const MAPPED_PIPELINES = 3;
/** The most passages to read at once: the one under the pointer, or those in a selection. */
export const LOOKED_AT = 200;
/** Offered numbers of other passages of the corpus. */
export const SAMPLES = [0, 1000, 10_000, 100_000] as const;
/** The most other passages of the corpus on the map. */
export const sampleSizeSchema = z.number().int().min(0).max(SAMPLES[3]);

/** A passage on the map with its details. */
export const mappedPassageSchema = z.object({
  slot: z.number().int(),
  id: z.string(),
  /** Display name. */
  title: z.string(),
  path: z.string(),
  /** The beginning of its text. */
  text: z.string(),
});
export type MappedPassage = Read<typeof mappedPassageSchema>;

export const passageMapSchema = z.object({
  likeness: likenessSchema,
  /** Share of the candidates' variance that the plane shows. */
  explained: z.number(),
  passages: z.array(mappedPassageSchema.extend(place)),
  /** Other passages of the corpus, drawn at random but reproducibly. */
  sample: z.object({
    slots: z.array(z.number().int()),
    /** Alternating x and y coordinates. */
    places: z.array(z.number()),
    /** The number of passages in the corpus. */
    corpus: z.number().int(),
    /** Why there is no sample although one was requested. */
    problem: z.string().optional(),
  }),
  question: z.object(place),
  /** In the order of the perspectives. */
  perspectives: z.array(z.object(place)),
  /** The query as projected for each perspective, in order. Empty if the method has no such vector. */
  projections: z.array(z.object({ perspective: z.string(), ...place })),
  /** Ids of the first k of every pipeline, best first, or the problem if it failed. */
  tops: z.array(z.object({ name: z.string(), ids: z.array(z.string()), problem: z.string().optional() })),
});
export type PassageMap = Read<typeof passageMapSchema>;
