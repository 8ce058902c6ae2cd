/** Perspectives of a question that a chat model finds in passages, or misses in them. */
import { WRITTEN_FORM } from '../../core/judging/answer-form.ts';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import {
  parseSuggested,
  passagesToShow,
  suggestPrompt,
  type SuggestedPerspective,
} from '../../core/judging/suggest.ts';
import type { ChatModel } from '../models/chat-model.ts';
import type { GenerateOptions } from './generate-perspectives.ts';

/**
 * @param passages texts, the most different first; as many as fit are shown
 * @returns between 1 and `count` perspectives, with indexes of passages
 * @throws ParallaxError as {@link ChatModel.complete}, and `model-answer` if the answer contains none
 */
export async function suggestPerspectives(
  model: ChatModel,
  question: string,
  passages: readonly string[],
  { count, timeoutMs, signal }: GenerateOptions & { readonly count: number },
): Promise<readonly SuggestedPerspective[]> {
  const shown = passagesToShow(passages);
  const { text, incomplete } = await model.complete(suggestPrompt(question, shown, count), {
    signal,
    timeoutMs,
    form: WRITTEN_FORM,
  });
  const suggestions = parseSuggested(text, shown.length, count);
  if (!('unparsable' in suggestions)) return suggestions;
  throw new ParallaxError(
    'model-answer',
    l10n.t`${model.label} proposed no perspectives. ${incomplete ?? suggestions.reason} Try again, or type them yourself.`,
  );
}
