/** Parses the answer in a model's reply, or the claim that there is none. */
import * as z from 'zod';
import { jsonObjects, withoutThinking } from '../../../../core/judging/replies/json.ts';
import type { PromptTemplate } from '../../../../core/judging/prompts/template.ts';
import { unparsable, type Unparsable } from '../../../../core/judging/replies/parse.ts';

export interface WrittenAnswer {
  /** Empty if the model claims that it has nothing to answer with. */
  readonly text: string;
  /** The part of the question that the model claims it could not answer. */
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
 * Takes the JSON object with an answer, else the reply itself, because models that cannot keep to a format still answer
 * in words. Guesses nothing: truncated or unrelated JSON is no answer, nor are two different answers.
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

/** The answer in a reply to a generator's own prompt: the text of a field, or the whole reply. */
export function parseAnswerByRule(
  reply: string,
  { answer: rule }: Pick<PromptTemplate, 'answer'>,
): WrittenAnswer | Unparsable {
  if (typeof rule !== 'object' || !('field' in rule)) return prose(reply);
  const texts = [...jsonObjects(reply)].flatMap((object) => {
    const value: unknown = (object as Record<string, unknown>)[rule.field];
    return typeof value === 'string' ? [value.trim()] : [];
  });
  const [first] = texts;
  if (first === undefined) return unparsable(`The model's answer holds no "${rule.field}".`);
  if (texts.some((text) => text !== first)) return unparsable('The model gave several answers that differ.');
  return { text: first };
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
 * The passages that an answer cites.
 *
 * @param count the number of passages that it was given
 * @returns numbers from 1 to count, ascending; others are ignored
 */
export function citedPassages(answer: string, count: number): number[] {
  const numbers = [...answer.matchAll(CITATION)].flatMap(([, list]) => numbersIn(list!));
  return [...new Set(numbers)].filter((number) => number >= 1 && number <= count).sort((a, b) => a - b);
}

/** An answer without the brackets that cite given passages; other brackets, such as a year, stay. */
export function withoutCitations(answer: string, count: number): string {
  return answer.replace(CITATION, (bracket, list: string) =>
    numbersIn(list).every((number) => number >= 1 && number <= count) ? ' ' : bracket,
  );
}

const numbersIn = (list: string): number[] => list.split(/[,;]/).map(Number);
