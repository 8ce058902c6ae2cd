/**
 * Drafts: items of an eval set as a model proposes them, for a person to review. A drafts file holds one JSON
 * object per line. It is meant to be edited; fields it does not know are kept, and drafts that were rejected stay
 * in it, so that they are not proposed again.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../read.ts';
import { ParallaxError } from '../errors.ts';
import { parseJson, type Line } from '../formats/lines.ts';
import { stanceSchema } from '../model.ts';
import { issueClause } from '../schema-issue.ts';
import { questionKey } from './questions.ts';

/**
 * - `proposed`: waits for a person;
 * - `accepted`, `rejected`: a person said so;
 * - `filtered`: a model said that the question is about personal experience. A person may say otherwise.
 */
export const REVIEWS = ['proposed', 'accepted', 'rejected', 'filtered'] as const;
export type Review = (typeof REVIEWS)[number];

const statement = z
  .string()
  .refine((text) => text.trim() !== '', { error: () => l10n.t('must not be empty') });

const perspectiveSchema = z.looseObject({
  id: z.string().min(1),
  text: statement,
  stance: stanceSchema.optional(),
  group: z.string().optional(),
  /** Names of the passages that gave rise to it; empty where a model expected it and did not find it in them. */
  from: z.array(z.string()).optional(),
});

const passageSchema = z.looseObject({
  /** Document id. */
  document: z.string().min(1),
  /** Name of the passage, file and section; older drafts do not have it. */
  name: z.string().optional(),
  /** Hash of the text: the label holds for passages with exactly this text. */
  hash: z.string().min(1),
  text: z.string(),
  /** Ids of the perspectives that it supports; it supports none of the others. */
  supports: z.array(z.string()),
});

const draftSchema = z
  .looseObject({
    v: z.literal(1),
    /** Names what was proposed first, whatever becomes of its words. */
    id: z.string().min(1),
    review: z.enum(REVIEWS),
    /** Why it was rejected or filtered. */
    because: z.string().optional(),
    /** The question. */
    text: statement,
    perspectives: z.array(perspectiveSchema),
    /** Passages whose labels are proposed together with the question. */
    passages: z.array(passageSchema).default([]),
    /** How it came about, and in which words the model gave its reason. */
    made: z.looseObject({
      from: z.enum(['corpus', 'questions', 'log']),
      /** Of the file of questions, from 1. */
      line: z.number().int().optional(),
      /** How often nearly the same question stands in the file. */
      times: z.number().int().optional(),
      /** Versions of the prompts. */
      prompts: z.array(z.string()),
      model: z.string(),
      /** Who judged the passages, where a judge did. */
      judge: z.string().optional(),
      reason: z.string().optional(),
      /** ISO 8601. */
      at: z.string(),
    }),
  })
  .superRefine(({ perspectives, passages }, context) => {
    const ids = perspectives.map(({ id }) => id);
    const repeated = ids.find((id, place) => ids.indexOf(id) < place);
    if (repeated !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['perspectives'],
        message: l10n.t`the id "${repeated}" occurs a second time`,
      });
    passages.forEach(({ supports }, place) => {
      const unknown = supports.find((id) => !ids.includes(id));
      if (unknown !== undefined)
        context.addIssue({
          code: 'custom',
          path: ['passages', place, 'supports'],
          message: l10n.t`there is no perspective "${unknown}"`,
        });
    });
  });
export type Draft = Read<typeof draftSchema>;
export type DraftPerspective = Draft['perspectives'][number];
export type DraftPassage = Draft['passages'][number];

export interface ParsedDrafts {
  readonly drafts: readonly Draft[];
  /** One sentence for each line that is no draft, or repeats one. */
  readonly warnings: readonly string[];
}

/**
 * Reads the lines of a drafts file; it may be empty. Bad lines are reported and left out, and of drafts with the same id
 * the first one counts. Errors do not name the file.
 */
export class DraftsReading {
  readonly #name: string;
  readonly #drafts = new Map<string, Draft>();
  /** Without the file's name. */
  readonly #problems: string[] = [];

  /** @param name of the file, for warnings */
  constructor(name: string) {
    this.#name = name;
  }

  take({ number, text }: Line): void {
    const draft = parseDraft(text);
    if (typeof draft === 'string') this.#problems.push(l10n.t`Line ${number}: ${draft}; left out.`);
    else if (this.#drafts.has(draft.id))
      this.#problems.push(l10n.t`Line ${number}: the draft "${draft.id}" occurs a second time; left out.`);
    else this.#drafts.set(draft.id, draft);
  }

  /** @throws ParallaxError `bad-file` where there were lines and none of them was a draft */
  end(): ParsedDrafts {
    const [problem] = this.#problems;
    if (this.#drafts.size === 0 && problem !== undefined)
      throw new ParallaxError('bad-file', l10n.t`Not a file of drafts. ${problem}`);
    return {
      drafts: [...this.#drafts.values()],
      warnings: this.#problems.map((each) => `${this.#name}: ${each}`),
    };
  }
}

/**
 * The id of a draft that proposes this question: nearly the same question has the same one.
 *
 * @param hash any hash in hexadecimal digits, at least 16 of them
 */
export function draftId(question: string, hash: (text: string) => string): string {
  return `d-${hash(questionKey(question)).slice(0, 16)}`;
}

/** A draft, or what is wrong with its line. */
export function parseDraft(line: string): Draft | string {
  const json = parseJson(line);
  if ('problem' in json) return json.problem;
  const result = draftSchema.safeParse(json.value);
  return result.success ? result.data : issueClause(result.error, json.value);
}

/** The line of a draft, with its line end. */
export function formatDraft(draft: Draft): string {
  return `${JSON.stringify(draft)}\n`;
}
