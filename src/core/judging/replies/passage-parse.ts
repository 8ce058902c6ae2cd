/** Parses a model's answer about several perspectives to a verdict for each that it decided. */
import { jsonObjects } from './json.ts';
import {
  agreed,
  parseAnswer,
  readAnswer,
  unparsable,
  writtenVerdictSchema,
  type ParsedAnswer,
  type Unparsable,
} from './parse.ts';
import { statementLetter } from '../prompts/passage-prompt.ts';

/** Some models repeat the label of the text. */
const LETTER_KEY = /^\s*(?:statement[\s_-]*)?([a-z])[\s.:)]*$/i;

/**
 * Reads each statement's entry by its letter. A missing or contradictory entry is unparsable for this statement only.
 * One statement's answer never affects another's.
 *
 * @param count number of statements in the prompt
 * @returns one answer for each, in the order of the prompt
 */
export function parsePassageAnswer(text: string, count: number): readonly (ParsedAnswer | Unparsable)[] {
  const answersByLetter = new Map<string, ParsedAnswer[]>();
  for (const object of jsonObjects(text))
    for (const [letter, answer] of entriesOf(object))
      answersByLetter.set(letter, [...(answersByLetter.get(letter) ?? []), answer]);
  // Asked about a single statement, some models leave its letter out.
  if (answersByLetter.size === 0 && count === 1) return [parseAnswer(text)];
  const letters = Array.from({ length: count }, (_, place) => statementLetter(place));
  const answered = letters.filter((letter) => answersByLetter.has(letter)).length;
  return letters.map(
    (letter) => agreed(answersByLetter.get(letter) ?? []) ?? unparsable(whyNone(letter, answered, count)),
  );
}

function whyNone(letter: string, answered: number, count: number): string {
  return answered === 0
    ? `The model gave no verdict on statement ${letter}.`
    : `The model answered ${answered} of ${count} statements and gave no verdict on statement ${letter}.`;
}

/** The entries of an object by letter, or those of the objects within where a model wrapped its answer. */
function entriesOf(object: object): readonly (readonly [string, ParsedAnswer])[] {
  const answers = lettered(object);
  if (answers.length > 0) return answers;
  return Object.values(object).flatMap((value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? lettered(value) : [],
  );
}

function lettered(object: object): readonly (readonly [string, ParsedAnswer])[] {
  return Object.entries(object).flatMap(([key, value]: [string, unknown]) => {
    const letter = LETTER_KEY.exec(key)?.[1]?.toUpperCase();
    if (letter === undefined) return [];
    const answer = entryOf(value);
    return answer ? [[letter, answer] as const] : [];
  });
}

/** An entry is a complete answer or a bare verdict. */
function entryOf(value: unknown): ParsedAnswer | undefined {
  if (typeof value === 'object') return readAnswer(value);
  const verdict = writtenVerdictSchema.safeParse(value);
  return verdict.success ? { verdict: verdict.data, evidence: [] } : undefined;
}
