/**
 * Asks a chat model for the perspectives on a question in its retrieved passages, and for those that the passages lack.
 * generate.ts has the form of BERDS, which only shows the question.
 */
import * as z from 'zod';
import type { Read } from '../read.ts';
import { distinctPerspectives, parsePerspectives, wordsOf, type ProposedPerspective } from './generate.ts';
import { fence } from './prompts/fence.ts';
import { codeNotice, materialNotice, type Messages } from './prompts/instructions.ts';
import { jsonObjects } from './replies/json.ts';
import type { Unparsable } from './replies/parse.ts';

export const SUGGEST_PROMPT_VERSION = 'suggest-1';

/** The most passages, and the most characters in total and per passage: about 6,000 tokens. */
export const SUGGEST_PASSAGES = 50;
const MAX_CHARACTERS = 24_000;
const MAX_EACH = 1_500;

/** A perspective with the indices of the passages it comes from. Empty if it is expected but was not found. */
export interface SuggestedPerspective extends ProposedPerspective {
  readonly passages: readonly number[];
}

/**
 * The passages that fit into a prompt, each cut at the end.
 *
 * @param texts in order of preference
 */
export function passagesToShow(texts: readonly string[]): string[] {
  let left = MAX_CHARACTERS;
  const shown: string[] = [];
  for (const text of texts.slice(0, SUGGEST_PASSAGES)) {
    const cut = text.slice(0, MAX_EACH);
    if (cut.length > left) break;
    left -= cut.length;
    shown.push(cut);
  }
  return shown;
}

/**
 * @param passages from {@link passagesToShow}, at least one
 * @param limit the most perspectives, at least 1
 */
export function suggestPrompt(question: string, passages: readonly string[], limit: number): Messages {
  const numbered = passages.map((text, place) => [`passage-${place + 1}`, text] as const);
  const { code, blocks } = fence<string>({ question, ...Object.fromEntries(numbered) });
  const texts = Object.values(blocks).map(({ block }) => block);
  return [
    {
      role: 'system',
      content: `You are given a question and numbered passages that a search found for it, and name the perspectives that a complete answer has to cover.

- Every perspective is a full, self-contained statement in one plain sentence that answers the question and that someone could seriously hold.
- "perspectives" are those that stand in the passages, each with the numbers of the passages that state or imply it. Add nothing that no passage says.
- "expected" are those that a complete answer would need and that none of the passages holds. Leave it empty where nothing is missing.
- The perspectives differ in substance. Two wordings of the same view are one perspective.

${materialNotice('The question and the passages', 'any of them')}

Answer with one JSON object and nothing around it:
{"perspectives": [{"name": "short, telling name", "statement": "…", "passages": [1, 2]}], "expected": [{"name": "…", "statement": "…"}]}`,
    },
    {
      role: 'user',
      content: `${codeNotice('All texts', code)}

${texts.join('\n\n')}

The texts end here. Name at most ${limit} perspectives in all, those of the passages first, as the JSON object.`,
    },
  ];
}

const place = z.union([
  z.number().int(),
  z
    .string()
    .regex(/^\s*(?:passage-)?\d+\s*$/u)
    .transform((text) => Number(text.replace(/\D/gu, ''))),
]);
const proposal = z.object({
  name: z.string().catch(''),
  statement: z.string(),
  passages: z.array(place.catch(0)).catch([]),
});
const answerSchema = z.object({
  perspectives: z.array(proposal).catch([]),
  expected: z.array(proposal).catch([]),
});

/**
 * Ignores numbers of passages that were not shown. A perspective without valid passages counts as expected.
 *
 * @param answer a model's whole answer
 * @param shown the number of passages in the prompt
 * @param limit the most perspectives to keep
 * @returns at least one perspective, all different, found ones first; indices are from 0
 */
export function parseSuggested(
  answer: string,
  shown: number,
  limit: number,
): readonly SuggestedPerspective[] | Unparsable {
  for (const object of jsonObjects(answer)) {
    const parsed = answerSchema.parse(object);
    const perspectives = suggested([...parsed.perspectives, ...parsed.expected.map(expected)], shown);
    if (perspectives.length > 0) return perspectives.slice(0, limit);
  }
  // Some models only return names and statements.
  const plain = parsePerspectives(answer, limit);
  if ('unparsable' in plain) return plain;
  return plain.map((each) => ({ ...each, passages: [] }));
}

type Written = Read<typeof proposal>;

const expected = (written: Written): Written => ({ ...written, passages: [] });

function suggested(written: readonly Written[], shown: number): SuggestedPerspective[] {
  const places = new Map<string, number[]>();
  for (const { statement, passages } of written) {
    const known = passages.filter((number) => number >= 1 && number <= shown).map((number) => number - 1);
    const words = wordsOf(statement);
    places.set(words, [...new Set([...(places.get(words) ?? []), ...known])]);
  }
  return distinctPerspectives(written.map(({ name, statement }) => [name, statement]))
    .map((each) => ({ ...each, passages: places.get(wordsOf(each.text)) ?? [] }))
    .sort((a, b) => Number(a.passages.length === 0) - Number(b.passages.length === 0));
}
