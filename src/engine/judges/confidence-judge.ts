/**
 * A chat model as a judge with a confidence: it answers with one word, and the probability of that word is its
 * confidence.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import { WORD_FORM } from '../../core/judging/answer-form.ts';
import { unparsable, type Unparsable } from '../../core/judging/replies/parse.ts';
import { probabilityOfYes } from '../../core/judging/replies/token-probability.ts';
import { WORD_PROMPT_VERSION, wordPrompt } from '../../core/judging/prompts/word-prompt.ts';
import type { DecidedVerdict } from '../../core/model.ts';
import { CUT_OFF, type ChatModel } from '../models/chat-model.ts';
import type { Judge } from './judge.ts';
import { pairJudge, type ModelJudgeSettings } from './model-judge.ts';
import { recordTitle } from './record-title.ts';
import type { PaidReply } from '../models/reply-cache.ts';

/**
 * Judgements whose
 * `confidence` is P(yes) / (P(yes) + P(no)). Endpoints without token probabilities fail with `bad-config`.
 */
export function createConfidenceJudge(settings: ModelJudgeSettings): Judge {
  const { standard } = settings;
  const model = withTokenProbabilities(settings.model);
  return pairJudge(
    { ...settings, model },
    {
      identity: {
        label: model.label,
        key: JSON.stringify(['confidence', model.id, WORD_PROMPT_VERSION, standard.id]),
        titleOf: recordTitle,
      },
      promptVersion: WORD_PROMPT_VERSION,
      form: WORD_FORM,
      promptOf({ passage, perspective }) {
        const texts = { passage: passage.text, perspective: perspective.text, title: recordTitle(passage) };
        return wordPrompt(texts, standard);
      },
      read(reply) {
        const confidence = probabilityIn(reply);
        return typeof confidence === 'number' ? { verdict: verdictOf(confidence), confidence } : confidence;
      },
    },
  );
}

/** The verdict and confidence that follow from a probability of support. */
export function verdictOf(probability: number): DecidedVerdict {
  return probability >= 0.5 ? 'yes' : 'no';
}

/** Only the first word is needed, so an answer beyond the limit is not missed. */
function probabilityIn({ incomplete, tokens = [] }: PaidReply): number | Unparsable {
  return incomplete === undefined || incomplete === CUT_OFF
    ? probabilityOfYes(tokens)
    : unparsable(incomplete);
}

/** The model with a required request for token probabilities. */
function withTokenProbabilities(model: ChatModel): ChatModel {
  return {
    id: model.id,
    model: model.model,
    label: model.label,
    complete: async (messages, options) => {
      const answer = await model.complete(messages, { ...options, tokenProbabilities: true });
      if (answer.tokens || answer.incomplete !== undefined) return answer;
      throw new ParallaxError(
        'bad-config',
        l10n.t`${model.label} answers without token probabilities. Name a judge whose endpoint gives "logprobs".`,
      );
    },
  };
}
