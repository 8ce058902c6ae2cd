/**
 * If the judge that made a ranking also scores it, its errors count as gains. `src/engine/experiment/circular.ts`
 * detects this.
 */
import type { Correction } from './correction.ts';
import type { PairedDifference } from './differences.ts';
import { definitionNamed } from './measures.ts';

export interface MaybeCircular {
  /** The judge that both made the ranking and scores it. */
  readonly circular?: string | undefined;
}

/** A tested difference, or one without a p-value because one of the rankings is circular. */
export type MaybeTested = Omit<PairedDifference, 'p'> & { readonly p?: number | undefined };

/**
 * The judge that makes a comparison circular. Such a comparison is not tested, as a test would count the judge's errors
 * as gains.
 */
export function circularAmong(...compared: readonly MaybeCircular[]): string | undefined {
  return compared.find(({ circular }) => circular !== undefined)?.circular;
}

/** The difference without its p-value, for comparisons with a circular ranking. */
export function untested({ difference, low, high, wins, losses, ties }: PairedDifference): MaybeTested {
  return { difference, low, high, wins, losses, ties };
}

export function isAnyCorrected(correction: Correction | undefined): boolean {
  return Object.keys(correction?.figures ?? {}).length > 0;
}

/**
 * Whether a figure is marked as circular. Figures that are corrected by people's labels or need no judgements are not.
 */
export function isMarked(
  { circular, correction }: MaybeCircular & { readonly correction?: Correction | undefined },
  measure: string,
): boolean {
  return (
    circular !== undefined &&
    definitionNamed(measure)?.needs !== 'passages' &&
    correction?.figures[measure] === undefined
  );
}
