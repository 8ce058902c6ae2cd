/**
 * A user's own prompt about one passage and one perspective, such as a published one for comparison: its wording with
 * placeholders for the texts, and the rule for reading answers.
 *
 * The wording of published prompts is not part of the product. Only the answer forms of three are known.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../../read.ts';
import type { ChatMessage } from '../chat-message.ts';
import { fence } from './fence.ts';
import { cutNotice } from './instructions.ts';

const PLACES = ['question', 'perspective', 'passage', 'title'] as const;
type Place = (typeof PLACES)[number];
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
  .strictObject({ field: z.string().min(1).describe('Holds true or false, or "yes" or "no".') })
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
function problemOf(text: string): string | undefined {
  const places = [...text.matchAll(PLACE)].map(([, place]) => place!);
  const unknown = places.find((place) => !(PLACES as readonly string[]).includes(place));
  if (unknown !== undefined) return l10n.t`has ${`{${unknown}}`}; places for texts are ${SHOWN_PLACES}`;
  for (const needed of ['passage', 'perspective'] as const)
    if (!places.includes(needed)) return l10n.t`has no ${`{${needed}}`}: the model would never see it`;
  return undefined;
}

export const promptTemplateSchema = z
  .strictObject({
    name: z.string().trim().min(1).max(60).describe('For people, e.g. "BERDS, Table 14".'),
    system: z.string().min(1).optional().describe('The system message; none when left out.'),
    user: z
      .string()
      .min(1)
      .describe(
        'The message, with {passage} and {perspective}, and {question} and {title} where they are wanted, in the place of the texts.',
      ),
    answer: z
      .union([publishedSchema, answerRuleSchema], {
        error: () =>
          l10n.t`expected "berds", "dream" or "umbrela", or {"yes": …, "no": …}, {"highest": …, "yesFrom": …} or {"field": …}`,
      })
      .describe(
        'How answers are read. berds: "Yes" or "No"; dream: {"is_supported": true}; umbrela: grades from 0 to 3, yes from 2. What reads otherwise stays unjudged.',
      ),
    maxTokens: z.number().int().min(1).max(32_768).default(1_024).describe('Of an answer, at most.'),
  })
  .superRefine(({ system = '', user }, context) => {
    const message = problemOf(`${system}\n${user}`);
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['user'], message });
  });
export type PromptTemplate = Read<typeof promptTemplateSchema>;

/** The rule that a template names or contains. */
export function answerRuleOf({ answer }: Pick<PromptTemplate, 'answer'>): AnswerRule {
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
 * the template defines the surrounding text.
 *
 * @param texts the title may be empty
 */
export function filledTemplate(
  { system, user }: PromptTemplate,
  texts: Readonly<Record<Place, string>>,
): FilledTemplate {
  const { blocks } = fence(texts);
  const shown = (text: string): string =>
    // In one pass, so that braces in a passage are kept.
    text.replace(PLACE, (_, place: Place) => blocks[place].harmless);
  const content = shown(user);
  return {
    messages:
      system === undefined
        ? [{ role: 'user', content }]
        : [
            { role: 'system', content: shown(system) },
            { role: 'user', content },
          ],
    cut:
      cutNotice('passage', blocks.passage, texts.passage) ??
      cutNotice('perspective', blocks.perspective, texts.perspective),
  };
}
