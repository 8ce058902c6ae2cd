/** Reading the one JSON object that a prompt of this folder asks for. */
import * as z from 'zod';
import { jsonObjects } from '../judging/replies/json.ts';
import { unparsable, type Unparsable } from '../judging/replies/parse.ts';

/** A text with at least one word in it. */
export const wording = z
  .string()
  .transform((text) => text.replace(/\s+/gu, ' ').trim())
  .refine((text) => /[\p{L}\p{N}]/u.test(text));

/** Why a model answered so; never a reason to refuse the answer. */
export const reason = z
  .string()
  .transform((text) => text.replace(/\s+/gu, ' ').trim() || undefined)
  .optional()
  .catch(undefined);

/** `true` and `false`, also as words. */
export const yesOrNo = z.union([
  z.boolean(),
  z
    .string()
    .transform((word) => word.trim().toLowerCase().replace(/[.!]$/, ''))
    .pipe(z.enum(['yes', 'no', 'true', 'false']))
    .transform((word) => word === 'yes' || word === 'true'),
]);

/**
 * The object of an answer that has the form asked for, with or without words, code fences and thinking around
 * it. Nothing is guessed: several such objects that say different things (their reasons aside) are no answer.
 *
 * @param missing what to say where there is no such object, as a sentence
 */
export function onlyAnswer<T extends { readonly reason?: string | undefined }>(
  answer: string,
  schema: z.ZodType<T>,
  missing: string,
): T | Unparsable {
  const found = [...jsonObjects(answer)].flatMap((object) => {
    const parsed = schema.safeParse(object);
    return parsed.success ? [parsed.data] : [];
  });
  const [first] = found;
  if (!first) return unparsable(missing);
  if (new Set(found.map(withoutReason)).size > 1)
    return unparsable('The answer says several things that contradict each other.');
  return first;
}

function withoutReason<T extends object>(answer: T): string {
  return JSON.stringify({ ...answer, reason: undefined });
}
