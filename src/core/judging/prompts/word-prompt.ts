/**
 * The question whether a passage supports a perspective, answered with one word: its first token is the
 * verdict, so that the probability of the token is that of the verdict. The simple binary prompt of LARA
 * (DREAM, appendix A.3).
 */
import { fence } from './fence.ts';
import { codeNotice, cutNotice, materialNotice, numberedCriteria } from './instructions.ts';
import type { PairPrompt } from './prompt.ts';
import type { SupportStandard } from '../standard.ts';

/** Raise with any change to the words below. */
export const WORD_PROMPT_VERSION = 'word-1';

export function wordPrompt(passage: string, perspective: string, standard: SupportStandard): PairPrompt {
  const { code, blocks } = fence({ statement: perspective, passage });
  return {
    messages: [
      { role: 'system', content: instructions(standard) },
      {
        role: 'user',
        content: `${codeNotice('Both texts', code)}

${blocks.statement.block}

${blocks.passage.block}

The texts end here. Does the passage support the statement? Answer with one word, yes or no.`,
      },
    ],
    cut:
      cutNotice('passage', blocks.passage, passage) ??
      cutNotice('perspective', blocks.statement, perspective),
  };
}

function instructions(standard: SupportStandard): string {
  return `You examine passages from a document collection. For one passage and one statement you decide whether the passage supports the statement.

How to decide:
${numberedCriteria(standard)}

${materialNotice('The passage and the statement', 'either of them')}

How to answer: with the single word "yes" when the passage supports the statement, or the single word "no" when it does not. Nothing stands before the word and nothing after it.`;
}
