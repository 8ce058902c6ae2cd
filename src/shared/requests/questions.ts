/** Questions in requests, as typed or from an eval set. */
import * as z from 'zod';
import type { Read } from '../../core/read.ts';
import { perspectiveSchema, querySchema } from '../../core/model.ts';

/** Without `stanceBy`, which the engine does not need. */
export const askedPerspectiveSchema = perspectiveSchema.omit({ stanceBy: true });

/** A query as typed (without an id) or from an eval set. */
export const askedQuerySchema = querySchema.pick({ id: true, text: true }).partial({ id: true });
export type AskedQuery = Read<typeof askedQuerySchema>;

/** A query of an eval set with its perspectives. */
export const evalQuerySchema = querySchema.extend({
  perspectives: z.array(askedPerspectiveSchema).readonly(),
});
