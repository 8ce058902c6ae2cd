/** From a model's reply to an answer, or to the statement that there is none in it. */
import * as z from 'zod';
import { jsonObjects, withoutThinking } from '../../../core/judging/replies/json.ts';
import { unparsable, type Unparsable } from '../../../core/judging/replies/parse.ts';

export interface WrittenAnswer {
  /** Empty where the model says that there is nothing to answer with. */
  readonly text: string;
  /** The part of the question that the model says it could not answer. */
  readonly missing?: string | undefined;
}

const words = z.string().trim();
const answerSchema = z.object({
  answer: words.nullable().transform((text) => text ?? ''),
  missing: words.nullish().catch(undefined),
});

/** A code fence around the whole of a reply. */
const FENCED = /^```[^\n]*\n([\s\S]*?)\n?```$/;

/**
 * Takes the JSON object with an answer; where there is none, the reply itself, since models that cannot keep to a
 * form still answer in words. Nothing is guessed: JSON that was cut off or means something else is no answer, nor
 * are two that differ.
 */
export function parseWrittenAnswer(reply: string): WrittenAnswer | Unparsable {
  const answers = [...jsonObjects(reply)].flatMap((object) => {
    const parsed = answerSchema.safeParse(object);
    return parsed.success ? [parsed.data] : [];
  });
  const [first] = answers;
  if (!first) return prose(reply);
  if (answers.some(({ answer }) => answer !== first.answer))
    return unparsable('The model gave several answers that differ.');
  return { text: first.answer, ...(first.missing ? { missing: first.missing } : {}) };
}

function prose(reply: string): WrittenAnswer | Unparsable {
  const whole = withoutThinking(reply).trim();
  const text = (FENCED.exec(whole)?.[1] ?? whole).trim();
  if (text === '') return unparsable('The model gave an empty answer.');
  if (/^(?:```[^\n]*\n\s*)?[{[]\s*(?:"|$)/.test(text))
    return unparsable('The model began a JSON object without an answer in it.');
  return { text };
}

/** `[2]`, `[1, 3]`, `[1; 3]`. */
const CITATION = /\[(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\]/g;

/**
 * Which passages an answer names as its sources.
 *
 * @param count how many passages it was given
 * @returns numbers from 1 to count, ascending; others do not exist and are left out
 */
export function citedPassages(answer: string, count: number): number[] {
  const numbers = [...answer.matchAll(CITATION)].flatMap(([, list]) => numbersIn(list!));
  return [...new Set(numbers)].filter((number) => number >= 1 && number <= count).sort((a, b) => a - b);
}

/** An answer without the brackets that name passages it was given; others, such as a year, stay. */
export function withoutCitations(answer: string, count: number): string {
  return answer.replace(CITATION, (bracket, list: string) =>
    numbersIn(list).every((number) => number >= 1 && number <= count) ? ' ' : bracket,
  );
}

const numbersIn = (list: string): number[] => list.split(/[,;]/).map(Number);
