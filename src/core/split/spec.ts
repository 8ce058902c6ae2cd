/**
 * How documents are cut into passages: the `split` of a corpus in `parallax.json`.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../read.ts';

/** With an overlap of the full size, a window would never advance. */
const overlapFits = (spec: { size: number; overlap: number }) => spec.overlap < spec.size;
const OVERLAP_TOO_LARGE = {
  error: () => l10n.t('The overlap must be smaller than the size'),
  path: ['overlap'],
};

export const splitSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('none') }).describe('Every document or record is one passage.'),
  z
    .strictObject({
      type: z.literal('words'),
      size: z.number().int().min(1).max(10_000).default(100),
      overlap: z.number().int().min(0).max(9_999).default(0),
    })
    .refine(overlapFits, OVERLAP_TOO_LARGE)
    .describe('Passages of a number of words, as in BERDS.'),
  z
    .strictObject({
      type: z.literal('tokens'),
      size: z.number().int().min(1).max(100_000).default(256),
      overlap: z.number().int().min(0).max(99_999).default(0),
    })
    .refine(overlapFits, OVERLAP_TOO_LARGE)
    .describe('Passages of a number of tokens (o200k vocabulary).'),
  z
    .strictObject({
      type: z.literal('sentences'),
      size: z.number().int().min(1).max(1_000).default(5),
      overlap: z.number().int().min(0).max(999).default(1),
    })
    .refine(overlapFits, OVERLAP_TOO_LARGE)
    .describe('A window of sentences that moves by size − overlap.'),
  z
    .strictObject({
      type: z.literal('headings'),
      maxWords: z.number().int().min(1).max(100_000).default(300),
    })
    .describe('One passage per section under a heading; long sections are split by words.'),
  z
    .strictObject({
      type: z.literal('sections'),
      size: z.number().int().min(1).max(10_000).default(120),
    })
    .describe(
      'Whole sentences of one section under a heading, about as many words as the size and at most one and a half times as many, a heading with one short line together with its neighbour; code and data are cut between lines.',
    ),
]);

/** A split with all defaults. */
export type SplitSpec = Read<typeof splitSchema>;

/** Passages of 100 words, as in BERDS (Table 2). */
export const BERDS_SPLIT: SplitSpec = { type: 'words', size: 100, overlap: 0 };

/**
 * The default split. Its largest passage, 180 words, is about 240 English tokens, which small sentence encoders can
 * read.
 */
export const SECTIONS_SPLIT: SplitSpec = { type: 'sections', size: 120 };

/** Passages with half overlap. One of them contains any text of up to half its size, even across headings. */
const WINDOWS: SplitSpec = { type: 'words', size: 200, overlap: 100 };

/** A section may be this many times its size. */
const SECTION_FACTOR = 1.5;

/** The approximate number of words per token. */
const TOKEN_WORDS = 0.75;

interface Splitter<Spec extends SplitSpec> {
  /** The setting that limits a passage. */
  readonly sizeField?: Exclude<keyof Spec, 'type' | 'overlap'>;
  /** In the terms of `parallax.json`: `words 100 (overlap 50)`. */
  readonly label: (spec: Spec) => string;
  /** In a few words of the display language. */
  readonly text: (spec: Spec) => string;
  /** An upper bound of a passage's words. Unbounded for sentences. */
  readonly maxWords: (spec: Spec) => number;
  /** Other splits to try, closest first. Some may not differ, or may be invalid. */
  readonly others: (spec: Spec) => readonly SplitSpec[];
}

/** What is known of each type of split besides its settings. `split.ts` splits. */
const SPLITTERS: { readonly [T in SplitSpec['type']]: Splitter<Extract<SplitSpec, { type: T }>> } = {
  none: {
    label: ({ type }) => type,
    text: () => l10n.t('whole documents'),
    maxWords: () => Infinity,
    others: () => [SECTIONS_SPLIT, WINDOWS],
  },
  words: {
    sizeField: 'size',
    label: windowLabel,
    text: ({ size }) => l10n.t`${size}-word passages`,
    maxWords: ({ size }) => size,
    others: otherWindows,
  },
  tokens: {
    sizeField: 'size',
    label: windowLabel,
    text: ({ size }) => l10n.t`${size}-token passages`,
    maxWords: ({ size }) => Math.ceil(size * TOKEN_WORDS),
    others: otherWindows,
  },
  sentences: {
    sizeField: 'size',
    label: windowLabel,
    text: ({ size }) => l10n.t`passages of ${size} sentences`,
    maxWords: () => Infinity,
    others: otherWindows,
  },
  headings: {
    sizeField: 'maxWords',
    label: ({ type, maxWords }) => `${type} ${maxWords}`,
    text: () => l10n.t('passages by heading'),
    maxWords: ({ maxWords }) => maxWords,
    others: (split) => [
      { ...split, maxWords: 2 * split.maxWords },
      { ...split, maxWords: half(split.maxWords) },
      SECTIONS_SPLIT,
      WINDOWS,
    ],
  },
  sections: {
    sizeField: 'size',
    label: ({ type, size }) => `${type} ${size}`,
    text: ({ size }) => l10n.t`passages of about ${size} words`,
    maxWords: ({ size }) => size * SECTION_FACTOR,
    others: (split) => [{ ...split, size: 2 * split.size }, { ...split, size: half(split.size) }, WINDOWS],
  },
};

/** Splits of a number of units that may overlap. */
export type WindowSpec = Extract<SplitSpec, { overlap: number }>;

function windowLabel({ type, size, overlap }: WindowSpec): string {
  return `${type} ${size}${overlap > 0 ? ` (overlap ${overlap})` : ''}`;
}

function otherWindows(split: WindowSpec): readonly SplitSpec[] {
  const { size, overlap } = split;
  return [
    ...[Math.round(size / 4), half(size)]
      .filter((more) => more > overlap)
      .map((more): SplitSpec => ({ ...split, overlap: more })),
    { ...split, size: 2 * size, overlap: 2 * overlap },
    { ...split, size: half(size), overlap: Math.floor(overlap / 2) },
    SECTIONS_SPLIT,
    WINDOWS,
  ];
}

const half = (size: number): number => Math.max(1, Math.round(size / 2));

export function splitterOf<S extends SplitSpec>({ type }: S): Splitter<S> {
  return SPLITTERS[type] as unknown as Splitter<S>;
}

/** The split of a short form such as `words:100`, unchecked. */
export function shortSplit(text: string): Readonly<Record<string, unknown>> {
  const [type = '', size] = text.split(':');
  const splitter: { readonly sizeField?: string } = Object.hasOwn(SPLITTERS, type)
    ? SPLITTERS[type as SplitSpec['type']]
    : {};
  return { type, ...(size === undefined ? {} : { [splitter.sizeField ?? 'size']: Number(size) }) };
}

/** The short form of every type of split with its default size. */
export const SHORT_SPLITS: readonly string[] = Object.entries(SPLITTERS).map(
  ([type, { sizeField }]: readonly [string, { readonly sizeField?: string }]) => {
    const spec: Readonly<Record<string, unknown>> = splitSchema.parse({ type });
    return sizeField === undefined ? type : `${type}:${String(spec[sizeField])}`;
  },
);
