/**
 * Labelled pairs of passage and perspective, one JSON object per line, as a reference for judges. A file may mix two
 * forms:
 *
 * - with the passage's text, as in BERDS: `question, document, perspective, label`, or with gold `answers` in place of
 *   the perspective, of which any is enough (DREAM). `label` is 1, 0, true, false or a verdict, and may be missing if
 *   another judge is the reference. Optional fields: `title` of the document, `stance`
 *   (support, oppose), and `by`, the person who labelled it;
 * - a workspace's own labels, whose passages are looked up in the corpus (see labels.ts).
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../read.ts';
import { type Stance, type Verdict, stanceSchema, verdictSchema } from '../model.ts';
import { goldAnswersSchema, goldPerspective } from './gold-perspective.ts';
import { issueClause } from '../schema-issue.ts';
import { parseLabelLine, withoutWithdrawn, type Label, type LabelLine } from './labels.ts';
import { linesOf, LinesReading, parseJson, type Line } from './lines.ts';

const text = z.string().refine((value) => value.trim() !== '', { error: () => l10n.t('must not be empty') });

const verdict = z.union(
  [
    verdictSchema,
    z.union([z.literal(1), z.literal(true)]).transform((): Verdict => 'yes'),
    z.union([z.literal(0), z.literal(false)]).transform((): Verdict => 'no'),
  ],
  { error: () => l10n.t('expected 0, 1, "yes", "no" or "unsure"') },
);

/** One line of the first form. */
export const labelledPairSchema = z
  .object({
    question: z.string().nullish(),
    document: text,
    title: z.string().nullish(),
    perspective: text.nullish(),
    answers: goldAnswersSchema.nullish(),
    label: verdict.nullish(),
    stance: stanceSchema.nullish(),
    by: text.nullish(),
  })
  .refine(({ perspective, answers }) => perspective != null || (answers ?? []).length > 0, {
    path: ['perspective'],
    error: () => l10n.t('missing, and there are no "answers"'),
  });

export interface LabelledPair {
  readonly question?: string | undefined;
  readonly passage: string;
  readonly title?: string | undefined;
  readonly perspective: string;
  /** The gold answers that state the perspective. */
  readonly anyOf?: readonly string[] | undefined;
  readonly stance?: Stance | undefined;
  /** `undefined` if the pair is not labelled. */
  readonly verdict?: Verdict | undefined;
  readonly by?: string | undefined;
  /** Line of the file, from 1. */
  readonly line: number;
}

export interface ParsedLabelledPairs {
  readonly pairs: readonly LabelledPair[];
  /** Lines in the workspace's own form. */
  readonly labels: readonly Label[];
  readonly warnings: readonly string[];
}

/**
 * Bad lines are reported and skipped.
 *
 * @throws ParallaxError `bad-file` if no line is good, or too many are bad
 */
export function parseLabelledPairs(content: string): ParsedLabelledPairs {
  const reading = new LabelledPairsReading();
  for (const line of linesOf(content)) reading.take(line);
  return reading.end();
}

/** Incremental {@link parseLabelledPairs}. */
export class LabelledPairsReading {
  readonly #pairs: LabelledPair[] = [];
  readonly #labels: LabelLine[] = [];
  readonly #lines = new LinesReading(refusal(), (line) => this.#accept(line));

  /** @throws ParallaxError `bad-file` if too many lines are bad */
  take(line: Line): void {
    this.#lines.take(line);
  }

  /** @throws ParallaxError `bad-file` if no line was good */
  end(): ParsedLabelledPairs {
    const warnings = this.#lines.end();
    return { pairs: this.#pairs, labels: withoutWithdrawn(this.#labels).labels, warnings };
  }

  #accept({ number, text: line }: Line): string | undefined {
    const json = parseJson(line);
    if ('problem' in json) return json.problem;
    if (isObject(json.value) && 'perspectiveText' in json.value) {
      const label = parseLabelLine(json.value);
      if (typeof label === 'string') return label;
      this.#labels.push(label);
      return undefined;
    }
    const result = labelledPairSchema.safeParse(json.value);
    if (!result.success) return issueClause(result.error, json.value);
    this.#pairs.push(labelledPair(result.data, number));
    return undefined;
  }
}

const refusal = (): string =>
  l10n.t(
    'Not a file of labels (one JSON object per line with document, perspective and label, or the labels of a workspace)',
  );

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** @param line number in the file, from 1 */
export function labelledPair(record: Read<typeof labelledPairSchema>, line: number): LabelledPair {
  const { question, document, title, perspective, answers, label, stance, by } = record;
  const gold = perspective == null ? goldPerspective(question ?? '', answers!) : undefined;
  return {
    question: question ?? undefined,
    passage: document,
    ...(title && { title }),
    perspective: gold?.text ?? perspective!,
    ...(gold && { anyOf: gold.anyOf }),
    stance: stance ?? undefined,
    verdict: label ?? undefined,
    by: by ?? undefined,
    line,
  };
}
