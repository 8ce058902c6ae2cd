/** The effect of one change of a pipeline on an eval set, and its cost per question. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { counted } from '../core/counted.ts';
import type { Read } from '../core/read.ts';
import { measuredSchema } from '../core/measured.ts';
import { measureSchema, type MeasureDifference } from './evaluation.ts';
import { measuredText } from '../core/facts.ts';

/** A mean over questions. */
const perQuestion = z.object({ before: z.number().min(0), after: z.number().min(0) });

export const changePriceSchema = z.object({
  /** Path of the eval set. */
  evalSet: z.string(),
  queries: z.number().int(),
  measures: z.array(
    z.object({
      /** Without a cutoff, as each pipeline is measured with its own k. */
      family: z.string(),
      before: measuredSchema,
      /** With the difference, if there is a question on which both values are exact. */
      after: measureSchema,
    }),
  ),
  /** Tokens of the returned passages, estimated from their characters. */
  tokens: perQuestion,
  milliseconds: perQuestion,
});
export type ChangePrice = Read<typeof changePriceSchema>;

/** One line per measure, and one for tokens and time. */
export function priceLines({ evalSet, queries, measures, tokens, milliseconds }: ChangePrice): string[] {
  const lines = measures.map(({ family, before, after }) => {
    const values = `${family} ${measuredText(before, share)} → ${measuredText(after, share)}`;
    return `${values}; ${differenceText(after.difference, queries)}`;
  });
  return [
    counted(
      l10n.t('On the {0} [0:question|questions] of {1}, with the judgements that there are:'),
      queries,
      evalSet,
    ),
    ...lines,
    l10n.t`Each question: about ${whole(tokens.before)} → ${whole(tokens.after)} tokens, ${time(milliseconds.before)} → ${time(milliseconds.after)} ms`,
  ];
}

function differenceText(difference: MeasureDifference | undefined, queries: number): string {
  if (!difference) return l10n.t('difference not known, because the passages are not judged');
  const { value, low, high, wins, losses, ties } = difference;
  const exact = wins + losses + ties;
  const text = l10n.t`${points(value)} pts (95% interval ${points(low)} to ${points(high)}), ${wins} won, ${losses} lost`;
  return exact === queries ? text : l10n.t`${text}, on the ${exact} that are fully judged`;
}

const share = (value: number): string => `${(value * 100).toFixed(1)}%`;
const whole = (value: number): string => value.toFixed(0);
const time = (value: number): string => value.toFixed(value < 10 ? 1 : 0);

function points(value: number): string {
  const text = Math.abs(value * 100).toFixed(1);
  return text === '0.0' ? text : `${value < 0 ? '−' : '+'}${text}`;
}
