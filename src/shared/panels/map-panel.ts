/**
 * Messages between the map and the extension host. The host sends the newest whole {@link MapState}; the panel keeps only
 * what the user is looking at.
 */
import * as z from 'zod';
import type { Read } from '../../core/read.ts';
import { verdictSchema } from '../../core/model.ts';
import {
  LOOKED_AT,
  MAPPED_PIPELINES,
  mapChoiceSchema,
  mappedPassageSchema,
  passageMapSchema,
} from '../passage-map.ts';
import { failureSchema, remedySchema } from './failure.ts';
import { saveChartSchema } from './save-chart.ts';

const markSchema = z.object({ letter: z.string().min(1), color: z.number().int().min(0).max(7) });

const mapStateSchema = z.object({
  /** Absent while nothing was asked in the side panel. */
  question: z.string().optional(),
  /** The perspectives of the question, in their order. */
  perspectives: z.array(markSchema.extend({ text: z.string() })),
  /** The map of the last question, until that of the next is worked out. */
  map: passageMapSchema.optional(),
  /** By the id of a passage: the perspectives that it is known to support, by their places. Absent: unjudged. */
  supports: z.record(z.string(), z.array(z.number().int())),
  /** Passages of the sample that were looked at. */
  looked: z.array(mappedPassageSchema),
  /** How it is drawn next; the map in view may still be another. */
  choice: mapChoiceSchema,
  /** Whose top k is outlined: the pipeline of the answer first, then others that were chosen. */
  pipelines: z.array(z.string()),
  chosen: z.array(z.string()),
  working: z.boolean(),
  error: failureSchema.optional(),
});
export type MapState = Read<typeof mapStateSchema>;

/** Host → panel. */
export const toMapSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('state'), state: mapStateSchema }),
]);
export type ToMap = Read<typeof toMapSchema>;

/** Panel → host. */
export const fromMapSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('open'), passageId: z.string() }),
  /** Other pipelines whose top k is outlined. */
  z.object({ type: z.literal('set-pipelines'), names: z.array(z.string()).max(MAPPED_PIPELINES - 1) }),
  z.object({ type: z.literal('set-choice'), choice: mapChoiceSchema }),
  /** Asks for the passages at these places of the sample. */
  z.object({ type: z.literal('look'), slots: z.array(z.number().int()).max(LOOKED_AT) }),
  z.object({
    type: z.literal('label'),
    slot: z.number().int(),
    /** By its place. */
    perspective: z.number().int().min(0),
    verdict: verdictSchema,
  }),
  z.object({ type: z.literal('add-perspective'), text: z.string().min(1).max(2_000) }),
  /** Stop what is being drawn, and draw again what was stopped. */
  z.object({ type: z.literal('cancel') }),
  z.object({ type: z.literal('draw') }),
  saveChartSchema,
  remedySchema,
  z.object({ type: z.literal('dismiss-error') }),
]);
export type FromMap = Read<typeof fromMapSchema>;
