/** The perspective that gold answers make: a passage supports it if it supports any of them (DREAM, equation 1). */
import * as z from 'zod';
import * as l10n from '@vscode/l10n';
import type { Perspective } from '../model.ts';
import { hasWords } from '../text/words.ts';
import { PLAIN_PERSPECTIVE } from '../words.ts';

const goldAnswer = z
  .union([z.string(), z.number()], { error: () => l10n.t('expected a string') })
  .transform(String)
  .refine(hasWords, { error: () => l10n.t('needs a letter or a digit') });

/** A list of texts, one text, or `{"text": […]}` as in SQuAD. */
export const goldAnswersSchema = z.preprocess(
  (value) => {
    const texts = value instanceof Object && 'text' in value ? value.text : value;
    return typeof texts === 'string' ? [texts] : texts;
  },
  z.array(goldAnswer, { error: () => l10n.t('expected a list of strings') }),
);

/**
 * Its id is that of plain qrels. Its text is a statement that every judge understands, with the question, because
 * answers are stored by their statement and "1889" is the answer to many questions.
 *
 * @param answers at least one
 */
export function goldPerspective(
  question: string,
  answers: readonly string[],
): Perspective & { readonly anyOf: readonly string[] } {
  const quoted = answers.map((answer) => `“${answer}”`).join(', ');
  const text =
    answers.length === 1
      ? `The answer to “${question}” is ${quoted}.`
      : `At least one of these answers to “${question}” is right: ${quoted}.`;
  return { id: PLAIN_PERSPECTIVE, text, anyOf: answers };
}

/** Whether a query has no perspectives but gold answers. */
export function isOfGold({ perspectives }: { readonly perspectives: readonly Perspective[] }): boolean {
  return perspectives.length === 1 && perspectives[0]!.anyOf !== undefined;
}
