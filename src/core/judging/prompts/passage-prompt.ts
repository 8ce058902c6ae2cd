/** Prompt about one passage and several perspectives at a time. */
import { passageExample } from './example.ts';
import { fence, type FencedText } from './fence.ts';
import { codeNotice, cutNotice, materialNotice, numberedCriteria, type Messages } from './instructions.ts';
import type { PromptForm } from './prompt-form.ts';
import type { SupportStandard } from '../standard.ts';

/** With more statements models begin to skip some; the rest go into a request of their own. */
export const MAX_STATEMENTS = 16;

export interface PassagePrompt {
  readonly messages: Messages;
  /** By place of the perspective: set when it or the passage was too long to be shown whole. */
  readonly cuts: readonly (string | undefined)[];
}

/** `A` for the first statement of a prompt, `B` for the second, … */
export function statementLetter(place: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + place);
}

/**
 * The question which of several perspectives a passage supports. The answer asked for is one JSON object
 * with an entry for each letter.
 *
 * @param perspectives 1 to {@link MAX_STATEMENTS}
 */
export function passagePrompt(
  passage: string,
  perspectives: readonly string[],
  standard: SupportStandard,
  form: PromptForm,
): PassagePrompt {
  const letters = perspectives.map((_, place) => statementLetter(place));
  const labels = letters.map((letter) => `statement-${letter}`);
  const { code, blocks } = fence<string>({
    ...Object.fromEntries(labels.map((label, place) => [label, perspectives[place]!])),
    passage,
  });
  const passageCut = cutNotice('passage', blocks['passage']!, passage);
  return {
    messages: [
      { role: 'system', content: instructions(standard, form) },
      { role: 'user', content: question(letters, Object.values(blocks), code, form) },
    ],
    cuts: labels.map(
      (label, place) => passageCut ?? cutNotice('perspective', blocks[label]!, perspectives[place]!),
    ),
  };
}

const EXPLAINED = `How to answer: one JSON object and nothing around it. It has one key for each statement, its letter, in the order of the statements. Each value is an object with these keys in this order:
"evidence": the sentence of the passage that best supports the statement, copied exactly as it stands there; null when there is none.
"verdict": "yes" when the passage supports the statement, "no" when it does not, "unsure" only when the passage is too garbled or ambiguous to tell.
"reason": one short sentence on what decided it.`;

const VERDICTS_ONLY = `How to answer: one JSON object and nothing around it. It has one key for each statement, its letter, in the order of the statements. Each value is "yes" when the passage supports the statement, "no" when it does not. Give no explanation.`;

function instructions(standard: SupportStandard, form: PromptForm): string {
  const example = form.shots === 0 ? '' : `\n\n${passageExample(form)}`;
  return `You examine passages from a document collection. For one passage and several statements you decide, statement by statement, whether the passage supports it. Statements may say the same or contradict each other; decide on each as if it were the only one.

How to decide:
${numberedCriteria(standard)}

${materialNotice('The passage and the statements', 'any of them')}

${form.explain ? EXPLAINED : VERDICTS_ONLY}${example}`;
}

function question(
  letters: readonly string[],
  blocks: readonly FencedText[],
  code: string,
  { explain }: PromptForm,
): string {
  const value = explain
    ? '{"evidence": string or null, "verdict": "yes", "no" or "unsure", "reason": string}'
    : '"yes" or "no"';
  return `${codeNotice('All texts', code)}

${blocks.map(({ block }) => block).join('\n\n')}

The texts end here. Which of the statements does the passage support? Answer with the JSON object, which has exactly the keys ${letters.join(', ')}; the value of each: ${value}`;
}
