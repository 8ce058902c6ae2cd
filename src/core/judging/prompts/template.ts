/**
 * A user's own prompt, such as a published one for comparison: its wording with placeholders for the texts, and the
 * rule for reading answers. Its placeholders determine the task: judging a passage, writing an answer from passages, or
 * comparing an answer with gold answers.
 *
 * The wording of published prompts is not part of the product. Only the answer forms of three are known.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../../read.ts';
import type { ChatMessage } from '../chat-message.ts';
import { fence } from './fence.ts';
import { cutNotice } from './instructions.ts';

const PLACES = ['question', 'perspective', 'answers', 'passage', 'title', 'passages', 'prediction'] as const;
type Place = (typeof PLACES)[number];

/** What the model has to see for a task: one of each list. */
const TASKS = {
  judge: [['passage'], ['perspective', 'answers']],
  write: [['passages'], ['question']],
  compare: [['prediction'], ['answers']],
} as const satisfies Readonly<Record<string, readonly (readonly Place[])[]>>;
export type PromptTask = keyof typeof TASKS;

const PLACE = /\{([a-z_]+)\}/gu;
const SHOWN_PLACES = PLACES.map((place) => `{${place}}`).join(' ');

const after = z
  .string()
  .min(1)
  .optional()
  .describe('Words that stand before the answer, where it is not the first thing said; the last ones count.');

const wordsSchema = z
  .strictObject({ yes: z.string().trim().min(1), no: z.string().trim().min(1), after })
  .refine(({ yes, no }) => yes.toLowerCase() !== no.toLowerCase(), {
    path: ['no'],
    error: () => l10n.t('is the word for yes, too'),
  })
  .describe('The answer begins with one of two words.');

const gradeSchema = z
  .strictObject({
    lowest: z.number().int().default(0),
    highest: z.number().int(),
    yesFrom: z.number().int().describe('The lowest grade that means yes.'),
    after,
  })
  .refine(({ lowest, highest, yesFrom }) => lowest < yesFrom && yesFrom <= highest, {
    path: ['yesFrom'],
    error: () => l10n.t('has to be above "lowest", and no higher than "highest"'),
  })
  .describe('The answer begins with a whole number.');

const fieldSchema = z
  .strictObject({
    field: z.string().min(1).describe('Holds true or false, or "yes" or "no"; with {passages}, the answer.'),
  })
  .describe('The answer is a JSON object.');

const answerRuleSchema = z.union([wordsSchema, gradeSchema, fieldSchema]);
/** The rule for reading an answer. */
export type AnswerRule = Read<typeof answerRuleSchema>;

/** The answer forms of published prompts. */
const PUBLISHED = {
  /** BERDS, Table 14: one word. */
  berds: { yes: 'Yes', no: 'No' },
  /** DREAM, Table 17. */
  dream: { field: 'is_supported' },
  /** UMBRELA (Upadhyay et al. 2024): grades from 0 to 3. The upper two count as relevant. */
  umbrela: { lowest: 0, highest: 3, yesFrom: 2, after: '##final score:' },
} as const satisfies Readonly<Record<string, AnswerRule>>;

const publishedSchema = z.enum(
  Object.keys(PUBLISHED) as [keyof typeof PUBLISHED, ...(keyof typeof PUBLISHED)[]],
);

/** Validates the placeholders of a template. Returns the end of a sentence on the problem, or `undefined`. */
function problemOf(template: Pick<PromptTemplate, 'system' | 'user' | 'answer'>): string | undefined {
  const places = placesIn(template);
  const unknown = places.find((place) => !(PLACES as readonly string[]).includes(place));
  if (unknown !== undefined) return l10n.t`has ${`{${unknown}}`}; places for texts are ${SHOWN_PLACES}`;
  const task = promptTask(template);
  for (const needed of TASKS[task])
    if (!needed.some((place) => places.includes(place)))
      return l10n.t`has no ${`{${needed[0]}}`}: the model would never see it`;
  const writes =
    template.answer === 'text' || (typeof template.answer === 'object' && 'field' in template.answer);
  if (task === 'write' && !writes)
    return l10n.t`has {passages}, so "answer" has to be "text" or {"field": …}`;
  if (task !== 'write' && template.answer === 'text')
    return l10n.t`has no {passages}, so "answer" cannot be "text"`;
  return undefined;
}

function placesIn({ system = '', user }: Pick<PromptTemplate, 'system' | 'user'>): string[] {
  return [...`${system}\n${user}`.matchAll(PLACE)].map(([, place]) => place!);
}

/** What a template asks for: the verdict on a passage, an answer, or whether an answer is right. */
export function promptTask(template: Pick<PromptTemplate, 'system' | 'user'>): PromptTask {
  const places = placesIn(template);
  if (places.includes('passages')) return 'write';
  return places.includes('prediction') ? 'compare' : 'judge';
}

export const promptTemplateSchema = z
  .strictObject({
    name: z.string().trim().min(1).max(60).describe('For people, e.g. "BERDS, Table 14".'),
    system: z.string().min(1).optional().describe('The system message; none when left out.'),
    user: z
      .string()
      .min(1)
      .describe(
        "The message, with the texts' places. A judge of passages: {passage} and {perspective} or {answers} (the gold answers), and {question} and {title}. A generator: {question} and {passages}. A judge of answers: {prediction} and {answers}, and {question}.",
      ),
    answer: z
      .union([publishedSchema, z.literal('text'), answerRuleSchema], {
        error: () =>
          l10n.t`expected "berds", "dream", "umbrela" or "text", or {"yes": …, "no": …}, {"highest": …, "yesFrom": …} or {"field": …}`,
      })
      .describe(
        'How answers are read. berds: "Yes" or "No"; dream: {"is_supported": true}; umbrela: grades from 0 to 3, yes from 2; text: the whole reply is the answer of a generator. What reads otherwise stays unjudged.',
      ),
    maxTokens: z.number().int().min(1).max(32_768).default(1_024).describe('Of an answer, at most.'),
  })
  .superRefine((template, context) => {
    const message = problemOf(template);
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['user'], message });
  });
export type PromptTemplate = Read<typeof promptTemplateSchema>;

/** The rule that a template names or contains. A generator's `text` is not one. */
export function answerRuleOf({ answer }: Pick<PromptTemplate, 'answer'>): AnswerRule {
  if (answer === 'text') return { field: '' };
  return typeof answer === 'string' ? PUBLISHED[answer] : answer;
}

/** The cache key of answers: everything that they depend on, without the name and the origin of the wording. */
export function templateIdentity(template: PromptTemplate): string {
  const { system = '', user, maxTokens } = template;
  return JSON.stringify([system, user, answerRuleOf(template), maxTokens]);
}

/** Whether answers depend on this text. */
export function usesPlace({ system = '', user }: PromptTemplate, place: Place): boolean {
  return `${system}${user}`.includes(`{${place}}`);
}

export interface FilledTemplate {
  readonly messages: readonly ChatMessage[];
  /** A sentence on the cut if the passage or the perspective was too long to be shown completely. */
  readonly cut: string | undefined;
}

/**
 * The prompt with its texts, which are neutralised as everywhere (src/core/judging/prompts/fence.ts) but not fenced, as
 * the template defines the surrounding text. Answers and passages are numbered.
 *
 * @param texts the title may be empty
 */
export function filledTemplate(
  { system, user }: PromptTemplate,
  texts: Readonly<Partial<Record<Place, string | readonly string[]>>>,
): FilledTemplate {
  const parts = Object.entries(texts).flatMap(([place, text]) =>
    typeof text === 'string' ? [[place, text]] : text.map((one, at) => [`${place}-${at}`, one]),
  );
  const { blocks } = fence<string>(Object.fromEntries(parts));
  const harmlessOf = (place: Place): string => {
    const text = texts[place];
    if (typeof text === 'string') return blocks[place]!.harmless;
    const listed = (text ?? []).map((_, at) => blocks[`${place}-${at}`]!.harmless);
    return place === 'passages'
      ? listed.map((one, at) => `[${at + 1}] ${one}`).join('\n\n')
      : listed.map((one, at) => `${at + 1}. ${one}`).join('\n');
  };
  const shown = (text: string): string =>
    // In one pass, so that braces in a passage are kept.
    text.replace(PLACE, (_, place: Place) => harmlessOf(place));
  const content = shown(user);
  const cut = (['passage', 'perspective'] as const).map((place) => {
    const text = texts[place];
    return typeof text === 'string' ? cutNotice(place, blocks[place]!, text) : undefined;
  });
  return {
    messages:
      system === undefined
        ? [{ role: 'user', content }]
        : [
            { role: 'system', content: shown(system) },
            { role: 'user', content },
          ],
    cut: cut[0] ?? cut[1],
  };
}
