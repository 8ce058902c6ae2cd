/**
 * A chat model as a judge that says how sure it is: it answers with one word, and the probability of that word
 * is its confidence.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import { WORD_FORM } from '../../core/judging/answer-form.ts';
import { unparsable, type Unparsable } from '../../core/judging/replies/parse.ts';
import { probabilityOfYes } from '../../core/judging/replies/token-probability.ts';
import { WORD_PROMPT_VERSION, wordPrompt } from '../../core/judging/prompts/word-prompt.ts';
import type { DecidedVerdict, Judgement } from '../../core/model.ts';
import { CUT_OFF, type ChatModel } from '../models/chat-model.ts';
import {
  judgeOf,
  type Judge,
  type JudgeIdentity,
  type JudgeOptions,
  type JudgePair,
  type JudgeReport,
} from './judge.ts';
import type { ModelJudgeSettings } from './model-judge.ts';
import { recordTitle } from './record-title.ts';
import { JudgingRun, type Answered } from '../judgements/judging-run.ts';
import { costOf, PaidReplies } from '../models/paid-replies.ts';
import type { PaidReply } from '../models/reply-cache.ts';

/** Judgements whose `confidence` is P(yes) / (P(yes) + P(no)). Endpoints without token probabilities fail with `bad-config`. */
export function createConfidenceJudge(settings: ModelJudgeSettings): Judge {
  const { name, model, standard } = settings;
  const identity: JudgeIdentity = {
    name,
    label: model.label,
    source: 'llm',
    expense: 'paid',
    heuristic: false,
    key: JSON.stringify(['confidence', model.id, WORD_PROMPT_VERSION, standard.id]),
    titleOf: recordTitle,
    standard: standard.id,
  };
  return judgeOf(identity, new ConfidenceJudging(settings));
}

class ConfidenceJudging {
  readonly #settings: ModelJudgeSettings;
  readonly #model: ChatModel;
  readonly #now: () => number;
  readonly #replies: PaidReplies;

  constructor(settings: ModelJudgeSettings) {
    const { model, now = Date.now } = settings;
    this.#settings = settings;
    this.#model = withTokenProbabilities(model);
    this.#now = now;
    this.#replies = new PaidReplies(undefined, now);
  }

  judge(pairs: readonly JudgePair[], options: JudgeOptions = {}): Promise<JudgeReport> {
    const { standard, timeoutMs, concurrency } = this.#settings;
    const run = new JudgingRun(pairs.length, options);
    const units = pairs.map((_, index) => [index]);
    return run.through(units, concurrency, async (unit, signal) => {
      for (const index of unit) {
        const { passage, perspective } = pairs[index]!;
        const texts = { passage: passage.text, perspective: perspective.text, title: recordTitle(passage) };
        const { messages, cut } = wordPrompt(texts, standard);
        const asking = { timeoutMs, signal, tally: run.tally, onRetry: run.onRetry, form: WORD_FORM };
        await this.#replies.ask(this.#model, messages, asking, (reply) =>
          run.deliver(index, this.#answered(reply, cut)),
        );
      }
    });
  }

  #answered(reply: PaidReply, cut: string | undefined): Answered {
    const probability = probabilityIn(reply);
    const isRead = typeof probability === 'number';
    const judgement: Judgement = {
      verdict: isRead ? verdictOf(probability) : 'unsure',
      evidence: [],
      source: 'llm',
      judge: this.#settings.name,
      rationale: [isRead ? '' : probability.reason, cut].filter(Boolean).join(' ') || undefined,
      confidence: isRead ? probability : undefined,
      model: this.#model.model,
      promptVersion: WORD_PROMPT_VERSION,
      standard: this.#settings.standard.id,
      at: new Date(this.#now()).toISOString(),
      cost: costOf(reply),
    };
    return { judgement, unparsable: !isRead };
  }
}

/** The verdict and confidence that follow from a probability of support. */
export function verdictOf(probability: number): DecidedVerdict {
  return probability >= 0.5 ? 'yes' : 'no';
}

/** The first word is all that is asked for: what a model says beyond the limit is not missed. */
function probabilityIn({ incomplete, tokens = [] }: PaidReply): number | Unparsable {
  return incomplete === undefined || incomplete === CUT_OFF
    ? probabilityOfYes(tokens)
    : unparsable(incomplete);
}

/** The model, asked for its token probabilities, which it must give. */
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
