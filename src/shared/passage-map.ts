/** Candidates as points of a plane, alone or among other passages of their corpus, as the request says it. */
import * as z from 'zod';
import type { Read } from '../core/read.ts';
import { likenessSchema } from './likeness.ts';

const place = { x: z.number(), y: z.number() };

/** The most candidates that are drawn. */
export const MAPPED_PASSAGES = 1000;
/** The most pipelines that have an outline. */
export const MAPPED_PIPELINES = 3;
/** Passages that are read at a time: the one that the pointer is on, or those that were encircled. */
export const LOOKED_AT = 200;
/** How many other passages of the corpus can be drawn beside the candidates. */
export const SAMPLES = [0, 1000, 10_000, 100_000] as const;
/** UMAP compares all passages with each other: it draws so many at most, the candidates among them. */
export const UMAP_PASSAGES = 5000;

/**
 * How passages get their places: in the plane in which the candidates differ most, or so that each stands beside those
 * that are most like it.
 */
export const LAYOUTS = ['pca', 'umap'] as const;
export type Layout = (typeof LAYOUTS)[number];

/** How the map is drawn, as the user chose it. */
export const mapChoiceSchema = z.object({
  layout: z.enum(LAYOUTS),
  /** The most other passages of the corpus. */
  sample: z.number().int().min(0).max(SAMPLES[3]),
});
export type MapChoice = Read<typeof mapChoiceSchema>;

/** A passage as the map shows it to a reader. */
export const mappedPassageSchema = z.object({
  slot: z.number().int(),
  id: z.string(),
  /** Name for people. */
  title: z.string(),
  path: z.string(),
  /** Its beginning. */
  text: z.string(),
});
export type MappedPassage = Read<typeof mappedPassageSchema>;

export const passageMapSchema = z.object({
  likeness: likenessSchema,
  layout: z.enum(LAYOUTS),
  /** Share of all differences between the candidates that the plane shows; absent for UMAP, which has no such figure. */
  explained: z.number().optional(),
  passages: z.array(mappedPassageSchema.extend(place)),
  /** Other passages of the corpus, drawn by lot, the same every time. */
  sample: z.object({
    slots: z.array(z.number().int()),
    /** x and y of each in turn. */
    places: z.array(z.number()),
    /** Passages in the corpus. */
    corpus: z.number().int(),
    /** Why there is none although it was asked for. */
    problem: z.string().optional(),
  }),
  question: z.object(place),
  /** In the order of the perspectives. */
  perspectives: z.array(z.object(place)),
  /** The query as projected for each perspective, in their order; empty where the method makes no such vector. */
  projections: z.array(z.object({ perspective: z.string(), ...place })),
  /** Ids of the first k of every pipeline, best first; with the reason where it could not be asked. */
  tops: z.array(z.object({ name: z.string(), ids: z.array(z.string()), problem: z.string().optional() })),
});
export type PassageMap = Read<typeof passageMapSchema>;
