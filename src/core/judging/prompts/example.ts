/**
 * The example of the one-shot prompts. Its passage mentions a claim only to report the opposite, a case in which shared
 * words are misleading (as in the example of BERDS Table 14).
 */
import type { DecidedVerdict } from '../../model.ts';
import { fence } from './fence.ts';
import type { PromptForm } from './prompt-form.ts';

const PASSAGE =
  'When the old town was closed to cars, shop owners feared for their takings, and some put up signs that the ban would ruin them. Three years on, the chamber of commerce counts a fifth more customers on the car-free streets than before.';

interface ExampleAnswer {
  readonly statement: string;
  readonly evidence: string | null;
  readonly verdict: DecidedVerdict;
  readonly reason: string;
}

const REFUTED: ExampleAnswer = {
  statement: 'Closing city centres to cars drives customers away.',
  evidence: null,
  verdict: 'no',
  reason: 'The loss of customers is a fear that the passage reports and then refutes with the count.',
};

const SUPPORTED: ExampleAnswer = {
  statement: 'After the old town was closed to cars, more customers came to its streets.',
  evidence:
    'Three years on, the chamber of commerce counts a fifth more customers on the car-free streets than before.',
  verdict: 'yes',
  reason: 'The count says so of the same streets.',
};

/** A passage and a statement with the right answer. */
export function pairExample(form: PromptForm): string {
  const { blocks } = fence({ statement: REFUTED.statement, passage: PASSAGE });
  return shown([blocks.statement.block, blocks.passage.block], answerTo(REFUTED, form, 'alone'));
}

/** A passage and two statements with the right answer. */
export function passageExample(form: PromptForm): string {
  const { blocks } = fence({
    asked: `A: ${REFUTED.statement}\nB: ${SUPPORTED.statement}`,
    passage: PASSAGE,
  });
  return shown(
    Object.values(blocks).map(({ block }) => block),
    { A: answerTo(REFUTED, form, 'listed'), B: answerTo(SUPPORTED, form, 'listed') },
  );
}

function answerTo(
  { evidence, verdict, reason }: ExampleAnswer,
  { explain }: PromptForm,
  place: 'alone' | 'listed',
): object | string {
  if (explain) return { evidence, verdict, reason };
  return place === 'alone' ? { verdict } : verdict;
}

function shown(blocks: readonly string[], answer: object | string): string {
  return `An example of such a request, with a code of its own, and the right answer to it:

${blocks.join('\n\n')}

${JSON.stringify(answer)}`;
}
