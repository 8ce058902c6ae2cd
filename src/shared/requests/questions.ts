/** Questions in requests: as typed, or from an eval set with what a complete answer must cover. */
import * as z from 'zod';
import type { Query } from '../../core/model.ts';
import { stanceSchema } from '../../core/model-schemas.ts';

export const perspectiveSchema = z.object({
  id: z.string().min(1),
  text: z.string().min(1),
  stance: stanceSchema.optional(),
  group: z.string().optional(),
});

/** A query as typed (no id) or from an eval set. */
export const querySchema = z.object({ id: z.string().optional(), text: z.string() });

/** A query of an eval set with what a complete answer must cover. */
export const evalQuerySchema = z.object({
  id: z.string(),
  text: z.string(),
  perspectives: z.array(perspectiveSchema),
  /** Gold answers, any of which will do. */
  answers: z.array(z.string()).optional(),
  tags: z.array(z.string()).optional(),
});

/** A query of an eval set as requests take it. */
export function evalQueryOf({
  id,
  text,
  perspectives,
  answers,
  tags,
}: Query): z.output<typeof evalQuerySchema> {
  return {
    id,
    text,
    perspectives: perspectives.map((each) => ({ ...each })),
    ...(answers ? { answers: [...answers] } : {}),
    ...(tags ? { tags: [...tags] } : {}),
  };
}
