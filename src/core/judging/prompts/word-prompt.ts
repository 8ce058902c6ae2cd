/**
 * Asks whether a passage supports a perspective, to be answered with one word. Its first token is the verdict, so that
 * the token's probability is the verdict's. The simple binary prompt of LARA (DREAM, appendix A.3).
 */
import { fence } from './fence.ts';
import { codeNotice, numberedCriteria } from './instructions.ts';
import { pairCut, pairMaterial, titleNotice, titleText, type PairTexts } from './pair-texts.ts';
import type { PairPrompt } from './prompt.ts';
import type { SupportStandard } from '../standard.ts';

/** Increment with any change to the wording below. */
export const WORD_PROMPT_VERSION = 'word-1';

export function wordPrompt(
  { passage, perspective, title }: PairTexts,
  standard: SupportStandard,
): PairPrompt {
  const { code, blocks } = fence<string>({ statement: perspective, ...titleText(title), passage });
  const shown = Object.values(blocks);
  return {
    messages: [
      { role: 'system', content: instructions(standard, title) },
      {
        role: 'user',
        content: `${codeNotice(shown.length > 2 ? 'All texts' : 'Both texts', code)}

${shown.map(({ block }) => block).join('\n\n')}

The texts end here. Does the passage support the statement? Answer with one word, yes or no.`,
      },
    ],
    cut: pairCut(blocks, { passage, perspective }),
  };
}

function instructions(standard: SupportStandard, title: string | undefined): string {
  return `You examine passages from a document collection. For one passage and one statement you decide whether the passage supports the statement.

How to decide:
${numberedCriteria(standard)}${titleNotice(title)}

${pairMaterial(title)}

How to answer: with the single word "yes" when the passage supports the statement, or the single word "no" when it does not. Nothing stands before the word and nothing after it.`;
}
