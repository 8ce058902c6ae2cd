/** Parses answers to user-defined prompts by the prompt's rule, without guessing. */
import type { Verdict } from '../../model.ts';
import type { AnswerRule } from '../prompts/template.ts';
import { jsonObjects, withoutThinking } from './json.ts';
import { agreed, unparsable, writtenVerdictSchema, type ParsedAnswer, type Unparsable } from './parse.ts';

/** Models put the first word of an answer in quotes, brackets or bold. */
const BEFORE = /^[\s*_"'`#([]*/u;
const WHOLE_NUMBER = /^-?\d+(?![\d.,]*\d)/u;

export function parseByRule(text: string, rule: AnswerRule): ParsedAnswer | Unparsable {
  if (text.trim() === '') return unparsable('The model gave an empty answer.');
  if ('field' in rule) return parseField(text, rule.field);
  const answer = answerIn(withoutThinking(text), rule.after);
  if (answer === undefined) return unparsable(`The model's answer does not hold the words "${rule.after}".`);
  const verdict = 'highest' in rule ? gradeOf(answer, rule) : wordOf(answer, rule);
  return verdict === undefined
    ? unparsable("The model's answer is none of those of the prompt.")
    : { verdict, evidence: [] };
}

/** The text from the beginning of the answer. */
function answerIn(text: string, after: string | undefined): string | undefined {
  if (after === undefined) return text.replace(BEFORE, '');
  const at = text.toLowerCase().lastIndexOf(after.toLowerCase());
  return at < 0 ? undefined : text.slice(at + after.length).replace(BEFORE, '');
}

function gradeOf(
  answer: string,
  { lowest, highest, yesFrom }: Extract<AnswerRule, { highest: number }>,
): Verdict | undefined {
  const grade = Number(WHOLE_NUMBER.exec(answer)?.[0] ?? Number.NaN);
  if (!(grade >= lowest && grade <= highest)) return undefined;
  return grade >= yesFrom ? 'yes' : 'no';
}

/** Tries the longer word first, so that "relevant" does not match "relevant in part". */
function wordOf(answer: string, { yes, no }: Extract<AnswerRule, { yes: string }>): Verdict | undefined {
  const words = [
    { word: yes.toLowerCase(), verdict: 'yes' },
    { word: no.toLowerCase(), verdict: 'no' },
  ] as const;
  const reply = answer.toLowerCase();
  const begins = ({ word }: { readonly word: string }): boolean =>
    reply.startsWith(word) && !/^[\p{L}\p{N}]/u.test(reply.slice(word.length));
  return words.toSorted((a, b) => b.word.length - a.word.length).find(begins)?.verdict;
}

function parseField(text: string, field: string): ParsedAnswer | Unparsable {
  const answers = [...jsonObjects(text)].flatMap((object): ParsedAnswer[] => {
    const value: unknown = Object.hasOwn(object, field)
      ? (object as Record<string, unknown>)[field]
      : undefined;
    const read = writtenVerdictSchema.safeParse(value);
    return read.success ? [{ verdict: read.data, evidence: [] }] : [];
  });
  return agreed(answers) ?? unparsable(`The model's answer holds no "${field}".`);
}
