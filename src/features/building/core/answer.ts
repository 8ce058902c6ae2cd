/** Parses the JSON object that the prompts of this folder ask for. */
import * as z from 'zod';
import { jsonObjects } from '../../../core/judging/replies/json.ts';
import { unparsable, type Unparsable } from '../../../core/judging/replies/parse.ts';

/** A text with at least one word. */
export const wording = z
  .string()
  .transform((text) => text.replace(/\s+/gu, ' ').trim())
  .refine((text) => /[\p{L}\p{N}]/u.test(text));

/** The model's reason. An invalid one does not invalidate the answer. */
export const reason = z
  .string()
  .transform((text) => text.replace(/\s+/gu, ' ').trim() || undefined)
  .optional()
  .catch(undefined);

/** `true` and `false`, optionally as words. */
export const yesOrNo = z.union([
  z.boolean(),
  z
    .string()
    .transform((word) => word.trim().toLowerCase().replace(/[.!]$/, ''))
    .pipe(z.enum(['yes', 'no', 'true', 'false']))
    .transform((word) => word === 'yes' || word === 'true'),
]);

/**
 * The valid object of an answer, with or without surrounding words, code fences and reasoning. Does not guess: several
 * valid objects that differ (apart from reasons) are no answer.
 *
 * @param missing a sentence for answers without such an object
 */
export function onlyAnswer<T extends { readonly reason?: string | undefined }>(
  answer: string,
  schema: z.ZodType<T>,
  missing: string,
): T | Unparsable {
  const answers = [...jsonObjects(answer)].flatMap((object) => {
    const parsed = schema.safeParse(object);
    return parsed.success ? [parsed.data] : [];
  });
  const [first] = answers;
  if (!first) return unparsable(missing);
  if (new Set(answers.map(withoutReason)).size > 1)
    return unparsable('The answer says several things that contradict each other.');
  return first;
}

function withoutReason<T extends object>(answer: T): string {
  return JSON.stringify({ ...answer, reason: undefined });
}
