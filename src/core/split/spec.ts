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
