/** Perspectives of a question, proposed by a chat model. */
import { WRITTEN_FORM } from '../../core/judging/answer-form.ts';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import { generatePrompt, parsePerspectives, type ProposedPerspective } from '../../core/judging/generate.ts';
import { MAX_PERSPECTIVES } from '../../core/rerank/rerankers.ts';
import type { ChatModel } from '../models/chat-model.ts';

export interface GenerateOptions {
  /** How many perspectives to ask for, at least 1. With `auto`, the model decides. */
  readonly count: number | 'auto';
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly onRequest?: (() => void) | undefined;
}

/**
 * @returns between 1 and `count` distinct perspectives; at most {@link MAX_PERSPECTIVES} if the model decides
 * @throws ParallaxError as {@link ChatModel.complete}, and `model-answer` if the answer contains none
 */
export async function generatePerspectives(
  model: ChatModel,
  query: string,
  { count, timeoutMs, signal, onRequest }: GenerateOptions,
): Promise<readonly ProposedPerspective[]> {
  if (query.trim() === '') throw new ParallaxError('bad-argument', l10n.t('Type a question first.'));
  const { text, incomplete } = await model.complete(generatePrompt(query, count), {
    signal,
    onRequest,
    timeoutMs,
    form: WRITTEN_FORM,
  });
  const perspectives = parsePerspectives(text, count === 'auto' ? MAX_PERSPECTIVES : count);
  if ('unparsable' in perspectives)
    throw new ParallaxError(
      'model-answer',
      l10n.t`${model.label} proposed no perspectives. ${incomplete ?? perspectives.reason} Try again, or type them yourself.`,
    );
  return perspectives;
}
