/**
 * Messages between the map and the extension host. The host always sends the complete {@link MapState}, and the panel
 * only keeps the user's view.
 */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { verdictSchema } from '../../../core/model.ts';
import {
  LOOKED_AT,
  MAPPED_PIPELINES,
  mappedPassageSchema,
  passageMapSchema,
  sampleSizeSchema,
} from './passage-map.ts';
import { failureSchema, remedySchema } from '../../../shared/panels/failure.ts';
import { saveChartSchema } from '../../../shared/panels/save-chart.ts';

const markSchema = z.object({ letter: z.string().min(1), color: z.number().int().min(0).max(7) });

const mapStateSchema = z.object({
  /** `undefined` if nothing was asked in the side panel. */
  question: z.string().optional(),
  /** The perspectives of the question, in order. */
  perspectives: z.array(markSchema.extend({ text: z.string() })),
  /** The map of the last question, until the next one is computed. */
  map: passageMapSchema.optional(),
  /** Indices of the perspectives that each passage is known to support, by passage id. Missing: unjudged. */
  supports: z.record(z.string(), z.array(z.number().int())),
  /** Passages of the sample with details. */
  looked: z.array(mappedPassageSchema),
  /** The most other passages on the next map. The visible one may have another number. */
  sample: sampleSizeSchema,
  /** The pipelines whose top k are outlined: the answer's first, then chosen ones. */
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
  /** Other pipelines to outline the top k of. */
  z.object({ type: z.literal('set-pipelines'), names: z.array(z.string()).max(MAPPED_PIPELINES - 1) }),
  z.object({ type: z.literal('set-sample'), sample: sampleSizeSchema }),
  /** Requests the passages at these slots of the sample. */
  z.object({ type: z.literal('look'), slots: z.array(z.number().int()).max(LOOKED_AT) }),
  z.object({
    type: z.literal('label'),
    slot: z.number().int(),
    /** Index of the perspective. */
    perspective: z.number().int().min(0),
    verdict: verdictSchema,
  }),
  z.object({ type: z.literal('add-perspective'), text: z.string().min(1).max(2_000) }),
  /** Stop drawing, and draw again after stopping. */
  z.object({ type: z.literal('cancel') }),
  z.object({ type: z.literal('draw') }),
  saveChartSchema,
  remedySchema,
  z.object({ type: z.literal('dismiss-error') }),
]);
export type FromMap = Read<typeof fromMapSchema>;
