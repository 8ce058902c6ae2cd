/** Parses the answer of a foreign retriever into results, or throws a message about the problem. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { ParallaxError } from '../errors.ts';
import { aboutRecord } from './about-record.ts';
import type { ExternalResult } from './spec.ts';

/** Numeric ids become strings. A result without a score is scored by its position. */
const resultSchema = z
  .object({
    id: z.union([z.string(), z.number()]).nullish(),
    text: z.string().nullish(),
    score: z.number().nullish(),
    /** Its source, as frameworks write it. */
    metadata: z.unknown().optional(),
  })
  .refine(({ id, text }) => (id ?? '') !== '' || (text ?? '') !== '');

/**
 * @param source names the retriever in errors
 * @param results an unvalidated list, best first
 * @throws ParallaxError `retriever-failed` naming the first invalid result
 */
export function parseResults(source: string, results: unknown): ExternalResult[] {
  if (!Array.isArray(results))
    throw new ParallaxError('retriever-failed', l10n.t`${source} answered without a list of results.`);
  return results.map((result: unknown, place) => {
    const parsed = resultSchema.safeParse(result);
    if (!parsed.success)
      throw new ParallaxError('retriever-failed', problemOf(parsed.error, source, place + 1));
    const { id, text, score, metadata } = parsed.data;
    const about = aboutRecord({ metadata });
    return {
      ...(id === null || id === undefined || id === '' ? {} : { id: String(id) }),
      ...(text ? { text } : {}),
      // Scores may be distances or similarities, so the given order counts.
      score: score ?? 0 - place,
      ...(about ? { about } : {}),
    };
  });
}

function problemOf(error: z.ZodError, source: string, result: number): string {
  const [issue] = error.issues;
  const field = issue?.path.join('.');
  if (field)
    return l10n.t`${source}: result ${result} has a wrong ${field}; it needs an id or a text, and may have a score.`;
  return issue?.code === 'custom'
    ? l10n.t`${source}: result ${result} has neither id nor text; it needs an id or a text, and may have a score.`
    : l10n.t`${source}: result ${result} is not an object; it needs an id or a text, and may have a score.`;
}

/**
 * The value at a path such as `hits.hits` or `choices[0].message`. An empty path returns the value itself. Field names
 * may be quoted: `meta['doc.id']`.
 */
export function valueAt(value: unknown, path: string): unknown {
  const steps = [...path.matchAll(/\['([^']*)'\]|([^.[\]]+)/g)].map(([, quoted, name]) => quoted ?? name!);
  return steps.reduce<unknown>(
    (node, step) =>
      typeof node === 'object' && node !== null && Object.hasOwn(node, step)
        ? (node as Record<string, unknown>)[step]
        : undefined,
    value,
  );
}
