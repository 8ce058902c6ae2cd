/** A chat model as a judge with a prompt of the user's own, asked about one pair at a time. */
import {
  answerRuleOf,
  filledTemplate,
  templateIdentity,
  usesPlace,
  type PromptTemplate,
} from '../../core/judging/prompts/template.ts';
import { unparsable } from '../../core/judging/replies/parse.ts';
import { parseByRule } from '../../core/judging/replies/template-parse.ts';
import { textHash } from '../text-sums.ts';
import type { Judge } from './judge.ts';
import { pairJudge, type ModelJudgeSettings } from './model-judge.ts';

export interface TemplateJudgeSettings extends ModelJudgeSettings {
  /** Defines support in its own words. The judgements count as those of the standard. */
  readonly template: PromptTemplate;
}

/** Digits that distinguish prompts. */
const HASH_DIGITS = 12;

export function createTemplateJudge(settings: TemplateJudgeSettings): Judge {
  const { model, template, standard } = settings;
  const version = templateVersion(template);
  return pairJudge(settings, {
    identity: {
      label: `${model.label}, ${template.name}`,
      key: JSON.stringify(['template', model.id, version, standard.id]),
      usesQuestion: usesPlace(template, 'question'),
      ...(usesPlace(template, 'title') && { titleOf: ({ title }) => title || undefined }),
    },
    promptVersion: version,
    form: { maxTokens: template.maxTokens },
    promptOf({ question, perspective, passage }) {
      if (question === undefined && usesPlace(template, 'question'))
        return unparsable('The prompt has {question}, and the pair has no question.');
      return filledTemplate(template, {
        question: question ?? '',
        perspective: perspective.text,
        answers: perspective.anyOf ?? [perspective.text],
        passage: passage.text,
        title: passage.title ?? '',
      });
    },
    read: ({ incomplete, text }) =>
      incomplete === undefined ? parseByRule(text, answerRuleOf(template)) : unparsable(incomplete),
  });
}

/** Changes with the words of the prompt, not with its name. */
function templateVersion(template: PromptTemplate): string {
  return `template-${textHash(templateIdentity(template)).slice(0, HASH_DIGITS)}`;
}
