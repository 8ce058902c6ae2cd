/** Prompt about one passage and one perspective. */
import { pairExample } from './example.ts';
import { fence, type FencedText } from './fence.ts';
import { codeNotice, numberedCriteria, type Messages } from './instructions.ts';
import { pairCut, pairMaterial, titleNotice, titleText, type PairTexts } from './pair-texts.ts';
import { DEFAULT_FORM, type PromptForm } from './prompt-form.ts';
import type { SupportStandard } from '../standard.ts';

export interface PairPrompt {
  readonly messages: Messages;
  /** A sentence on the cut if the passage or the perspective was too long to be shown completely. */
  readonly cut?: string | undefined;
}

/**
 * Asks whether a passage supports a perspective. The expected answer is one JSON object with `evidence` before
 * `verdict`, so that a model looks before it decides, or only the verdict.
 */
export function pairPrompt(
  { passage, perspective, title }: PairTexts,
  standard: SupportStandard,
  form: PromptForm = DEFAULT_FORM,
): PairPrompt {
  const { code, blocks } = fence<string>({ statement: perspective, ...titleText(title), passage });
  return {
    messages: [
      { role: 'system', content: instructions(standard, form, title) },
      { role: 'user', content: question(Object.values(blocks), code, form) },
    ],
    cut: pairCut(blocks, { passage, perspective }),
  };
}

const EXPLAINED = `How to answer: one JSON object and nothing around it, with these keys in this order:
"evidence": the sentence of the passage that best supports the statement, copied exactly as it stands there; null when there is none.
"verdict": "yes" when the passage supports the statement, "no" when it does not, "unsure" only when the passage is too garbled or ambiguous to tell.
"reason": one short sentence on what decided it.`;

const VERDICT_ONLY = `How to answer: one JSON object and nothing around it, with the single key "verdict": "yes" when the passage supports the statement, "no" when it does not. Give no explanation.`;

function instructions(standard: SupportStandard, form: PromptForm, title: string | undefined): string {
  const example = form.shots === 0 ? '' : `\n\n${pairExample(form)}`;
  return `You examine passages from a document collection. For one passage and one statement you decide whether the passage supports the statement.

How to decide:
${numberedCriteria(standard)}${titleNotice(title)}

${pairMaterial(title)}

${form.explain ? EXPLAINED : VERDICT_ONLY}${example}`;
}

function question(
  blocks: readonly Pick<FencedText, 'block'>[],
  code: string,
  { explain }: PromptForm,
): string {
  const answer = explain
    ? '{"evidence": string or null, "verdict": "yes", "no" or "unsure", "reason": string}'
    : '{"verdict": "yes" or "no"}';
  return `${codeNotice(blocks.length > 2 ? 'All texts' : 'Both texts', code)}

${blocks.map(({ block }) => block).join('\n\n')}

The texts end here. Does the passage support the statement? Answer with the JSON object: ${answer}`;
}
