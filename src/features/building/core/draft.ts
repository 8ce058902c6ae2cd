/**
 * Drafts: items of an eval set that a model proposes and a person reviews. A drafts file has one JSON object per line
 * and may be edited by hand. Unknown fields are kept. Rejected drafts stay in the file, so that they are not proposed
 * again.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { ParallaxError } from '../../../core/errors.ts';
import { parseJson, type Line } from '../../../core/formats/lines.ts';
import { stanceSchema } from '../../../core/model.ts';
import { issueClause } from '../../../core/schema-issue.ts';
import { questionKey } from './questions.ts';

/**
 * - `proposed`: not reviewed yet;
 * - `accepted`, `rejected`: reviewed by a person;
 * - `filtered`: a model classified the question as personal. A person may overrule it.
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
  /** Names of the passages it comes from. Empty if a model expected it but did not find it in them. */
  from: z.array(z.string()).optional(),
});

const passageSchema = z.looseObject({
  /** Document id. */
  document: z.string().min(1),
  /** Name of the passage: file and section. Missing in older drafts. */
  name: z.string().optional(),
  /** Hash of the text. The label applies to passages with exactly this text. */
  hash: z.string().min(1),
  text: z.string(),
  /** Ids of the perspectives that it supports. It supports no others. */
  supports: z.array(z.string()),
});

const draftSchema = z
  .looseObject({
    v: z.literal(1),
    /** Identifies the original proposal, even after rewording. */
    id: z.string().min(1),
    review: z.enum(REVIEWS),
    /** Why it was rejected or filtered. */
    because: z.string().optional(),
    text: statement,
    perspectives: z.array(perspectiveSchema),
    /** Passages with proposed labels. */
    passages: z.array(passageSchema).default([]),
    /** Origin of the draft, and the model's reason. */
    made: z.looseObject({
      from: z.enum(['corpus', 'questions', 'log']),
      /** Line in the file of questions, from 1. */
      line: z.number().int().optional(),
      /** How often nearly the same question occurs in the file. */
      times: z.number().int().optional(),
      /** Versions of the prompts. */
      prompts: z.array(z.string()),
      model: z.string(),
      /** The judge of the passages, if there was one. */
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
  /** One sentence for each line that is not a draft or repeats one. */
  readonly warnings: readonly string[];
}

/**
 * Reads the lines of a drafts file, which may be empty. Bad lines are reported and left out. The first draft of an id
 * counts. Errors do not name the file.
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

  /** @throws ParallaxError `bad-file` if there were lines but no draft */
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
 * The id of a draft with this question. Nearly equal questions share an id.
 *
 * @param hash any hash in hexadecimal digits, at least 16 of them
 */
export function draftId(question: string, hash: (text: string) => string): string {
  return `d-${hash(questionKey(question)).slice(0, 16)}`;
}

/** A draft, or a clause about the problem of its line. */
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
