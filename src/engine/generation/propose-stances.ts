/** The sides of a question that its perspectives take, according to a chat model. */
import { WRITTEN_FORM } from '../../core/judging/answer-form.ts';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import {
  parseStances,
  STANCE_PROMPT_VERSION,
  stancePrompt,
  type ProposedStance,
} from '../../core/judging/stance.ts';
import type { ChatModel, CompleteOptions } from '../models/chat-model.ts';
import type { GenerationCache } from './generation-cache.ts';

/**
 * A proposal for a person to check, stored because it was paid for.
 *
 * @param perspectives at least one
 * @returns one for each perspective, in their order
 * @throws ParallaxError as {@link ChatModel.complete}, and `model-answer` if the answer cannot be read
 */
export async function proposeStances(
  model: ChatModel,
  generations: GenerationCache,
  question: string,
  perspectives: readonly string[],
  options: CompleteOptions,
): Promise<readonly ProposedStance[]> {
  const key = JSON.stringify([question, ...perspectives]);
  const stances = await generations.get(`${STANCE_PROMPT_VERSION} ${model.id}`, key, async () => {
    const { text, incomplete } = await model.complete(stancePrompt(question, perspectives), {
      ...options,
      form: WRITTEN_FORM,
    });
    const parsed = parseStances(text, perspectives.length);
    if (!('unparsable' in parsed)) return parsed;
    throw new ParallaxError(
      'model-answer',
      l10n.t`${model.label} did not give the sides of the perspectives of "${question}". ${incomplete ?? parsed.reason}`,
    );
  });
  return stances as readonly ProposedStance[];
}
