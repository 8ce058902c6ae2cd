/** The MCP App of two tools: its place, and the parts of their answers that it draws. */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { changePriceSchema } from '../../../evaluation/change-price.ts';

export const APP_URI = 'ui://parallax/answer.html';
/** SEP-1865. */
export const APP_TYPE = 'text/html;profile=mcp-app';

const missingSchema = z.object({
  document: z.string(),
  query: z.string(),
  pipeline: z.string(),
  says: z.string(),
  k: z.number(),
  rank: z.number().optional(),
  change: z.object({ says: z.string(), price: changePriceSchema.optional() }).nullable(),
});

const interval = { value: z.number(), low: z.number(), high: z.number() };

const evaluationSchema = z.object({
  queries: z.number(),
  k: z.number(),
  baseline: z.string(),
  pipelines: z.array(
    z.object({
      name: z.string(),
      /** Only of rebuilt and measured pipelines. */
      origin: z.string().optional(),
      figures: z
        .record(
          z.string(),
          z.object({
            value: z.number(),
            bound: z.string(),
            low: z.number().optional(),
            high: z.number().optional(),
          }),
        )
        .default({}),
      judgedShare: z.number().optional(),
      differenceToBaseline: z
        .record(z.string(), z.object({ ...interval, p: z.number().optional() }))
        .default({}),
      /** Why there are no figures. */
      unjudged: z.string().optional(),
      error: z.string().optional(),
      worstQueries: z.array(z.object({ query: z.string(), lost: z.array(z.string()) })).default([]),
    }),
  ),
});

export type MissingView = Read<typeof missingSchema>;
export type EvaluationView = Read<typeof evaluationSchema>;
export type AppAnswer =
  | { readonly missing: MissingView }
  | { readonly evaluation: EvaluationView }
  | { readonly text: string };

const resultSchema = z.object({
  structuredContent: z.unknown().optional(),
  content: z.array(z.object({ text: z.string().optional() })).default([]),
});

/** The result of a call of a tool, as a host passes it on. Its text, if it is another answer or an error. */
export function appAnswer(result: unknown): AppAnswer {
  const { structuredContent, content } = resultSchema.safeParse(result).data ?? { content: [] };
  const missing = missingSchema.safeParse(structuredContent);
  if (missing.success) return { missing: missing.data };
  const evaluation = evaluationSchema.safeParse(structuredContent);
  if (evaluation.success) return { evaluation: evaluation.data };
  return { text: content.flatMap(({ text }) => text ?? []).join('\n') };
}

/** What a host says of its look, at the beginning or when it changes. */
const contextSchema = z.object({
  theme: z.enum(['light', 'dark']).optional(),
  styles: z.object({ variables: z.record(z.string(), z.string().optional()).optional() }).optional(),
});
export type HostLook = Read<typeof contextSchema>;

export function hostLook(context: unknown): HostLook {
  return contextSchema.safeParse(context).data ?? {};
}
