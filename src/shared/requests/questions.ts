/** Questions in requests: as typed, or from an eval set with what a complete answer must cover. */
import * as z from 'zod';
import type { Read } from '../../core/read.ts';
import { perspectiveSchema, querySchema } from '../../core/model.ts';

/** The engine has no use for who gave a stance. */
export const askedPerspectiveSchema = perspectiveSchema.omit({ stanceBy: true });

/** A query as typed (no id) or from an eval set. */
export const askedQuerySchema = querySchema.pick({ id: true, text: true }).partial({ id: true });
export type AskedQuery = Read<typeof askedQuerySchema>;

/** A query of an eval set with what a complete answer must cover. */
export const evalQuerySchema = querySchema.extend({
  perspectives: z.array(askedPerspectiveSchema).readonly(),
});
