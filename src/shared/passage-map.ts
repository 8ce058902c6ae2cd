/** Candidates in the plane in which their vectors differ most, as the request says it. */
import * as z from 'zod';
import { likenessSchema } from './likeness.ts';

const place = { x: z.number(), y: z.number() };

/** So many candidates are drawn at most. */
export const MAPPED_PASSAGES = 1000;
/** So many pipelines have an outline at most. */
export const MAPPED_PIPELINES = 3;

export const passageMapSchema = z.object({
  likeness: likenessSchema,
  /** Share of all differences between the passages that the plane shows. */
  explained: z.number(),
  passages: z.array(
    z.object({
      slot: z.number().int(),
      id: z.string(),
      title: z.string(),
      path: z.string(),
      /** Its beginning. */
      text: z.string(),
      ...place,
    }),
  ),
  question: z.object(place),
  /** In the order of the perspectives. */
  perspectives: z.array(z.object(place)),
  /** Ids of the first k of every pipeline, best first; with the reason where it could not be asked. */
  tops: z.array(z.object({ name: z.string(), ids: z.array(z.string()), problem: z.string().optional() })),
});
export type PassageMap = z.output<typeof passageMapSchema>;
