/** A chat model as a judge that is asked with a prompt of the user's own, one pair at a time. */
import {
  answerRuleOf,
  filledTemplate,
  templateIdentity,
  usesPlace,
  type PromptTemplate,
} from '../../core/judging/prompts/template.ts';
import { unparsable, type ParsedAnswer, type Unparsable } from '../../core/judging/replies/parse.ts';
import { parseByRule } from '../../core/judging/replies/template-parse.ts';
import type { Judgement } from '../../core/model.ts';
import { JudgingRun, type Answered } from '../judgements/judging-run.ts';
import { costOf, PaidReplies } from '../models/paid-replies.ts';
import type { PaidReply } from '../models/reply-cache.ts';
import { textHash } from '../text-sums.ts';
import {
  judgeOf,
  type Judge,
  type JudgeIdentity,
  type JudgeOptions,
  type JudgePair,
  type JudgeReport,
} from './judge.ts';
import type { ModelJudgeSettings } from './model-judge.ts';

export interface TemplateJudgeSettings extends ModelJudgeSettings {
  /** Says in its own words what support is; the judgements count as those of the standard. */
  readonly template: PromptTemplate;
}

/** Digits that tell prompts apart. */
const HASH_DIGITS = 12;

export function createTemplateJudge(settings: TemplateJudgeSettings): Judge {
  const { name, model, template, standard } = settings;
  const identity: JudgeIdentity = {
    name,
    label: `${model.label}, ${template.name}`,
    source: 'llm',
    expense: 'paid',
    heuristic: false,
    key: JSON.stringify(['template', model.id, templateVersion(template), standard.id]),
    usesQuestion: usesPlace(template, 'question'),
    ...(usesPlace(template, 'title') && { titleOf: ({ title }) => title || undefined }),
    standard: standard.id,
  };
  return judgeOf(identity, new TemplateJudging(settings));
}

/** Another word of the prompt makes it another one; another name does not. */
function templateVersion(template: PromptTemplate): string {
  return `template-${textHash(templateIdentity(template)).slice(0, HASH_DIGITS)}`;
}

class TemplateJudging {
  readonly #settings: TemplateJudgeSettings;
  readonly #version: string;
  readonly #replies = new PaidReplies(undefined, Date.now);

  constructor(settings: TemplateJudgeSettings) {
    this.#settings = settings;
    this.#version = templateVersion(settings.template);
  }

  judge(pairs: readonly JudgePair[], options: JudgeOptions = {}): Promise<JudgeReport> {
    const { concurrency } = this.#settings;
    const run = new JudgingRun(pairs.length, options);
    const units = pairs.map((_, index) => [index]);
    return run.through(units, concurrency, async ([index], signal) => {
      await this.#ask(index!, pairs[index!]!, run, signal);
    });
  }

  async #ask(index: number, pair: JudgePair, run: JudgingRun, signal: AbortSignal): Promise<void> {
    const { model, template, timeoutMs } = this.#settings;
    if (pair.question === undefined && usesPlace(template, 'question')) {
      const missing = unparsable('The prompt has {question}, and the pair has no question.');
      return run.deliver(index, this.#answered(missing, undefined));
    }
    const { messages, cut } = filledTemplate(template, {
      question: pair.question ?? '',
      perspective: pair.perspective.text,
      passage: pair.passage.text,
      title: pair.passage.title ?? '',
    });
    const form = { maxTokens: template.maxTokens };
    const asking = { timeoutMs, signal, tally: run.tally, onRetry: run.onRetry, form };
    await this.#replies.ask(model, messages, asking, (reply) => {
      const answered = this.#answered(this.#read(reply), cut);
      run.deliver(index, { ...answered, judgement: { ...answered.judgement, cost: costOf(reply) } });
    });
  }

  #read({ incomplete, text }: PaidReply): ParsedAnswer | Unparsable {
    if (incomplete !== undefined) return unparsable(incomplete);
    return parseByRule(text, answerRuleOf(this.#settings.template));
  }

  #answered(parsed: ParsedAnswer | Unparsable, cut: string | undefined): Answered {
    const { name, model, standard } = this.#settings;
    const isRead = 'verdict' in parsed;
    const judgement: Judgement = {
      verdict: isRead ? parsed.verdict : 'unsure',
      evidence: [],
      source: 'llm',
      judge: name,
      rationale: [isRead ? '' : parsed.reason, cut].filter(Boolean).join(' ') || undefined,
      model: model.model,
      promptVersion: this.#version,
      standard: standard.id,
      at: new Date().toISOString(),
    };
    return { judgement, unparsable: !isRead };
  }
}
