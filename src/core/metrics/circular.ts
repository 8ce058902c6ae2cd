/**
 * Where the judge that made a ranking also scores it, its errors count as gains. When that is so, is said by
 * `src/engine/experiment/circular.ts`.
 */
import type { Correction } from './correction.ts';
import type { PairedDifference } from './differences.ts';
import { definitionNamed } from './measures.ts';

/** Figures of a ranking. */
export interface MaybeCircular {
  /** The judge that both made the ranking and scores it. */
  readonly circular?: string | undefined;
}

/** A difference that is tested, or of which a test would certify nothing: without p then. */
export type MaybeTested = Omit<PairedDifference, 'p'> & { readonly p?: number | undefined };

/** The judge because of which a difference between rankings is not tested: a test would count its errors as gains. */
export function circularAmong(...compared: readonly MaybeCircular[]): string | undefined {
  return compared.find(({ circular }) => circular !== undefined)?.circular;
}

/** A difference as it is said of rankings of which one is circular. */
export function untested({ difference, low, high, wins, losses, ties }: PairedDifference): MaybeTested {
  return { difference, low, high, wins, losses, ties };
}

export function isAnyCorrected(correction: Correction | undefined): boolean {
  return Object.keys(correction?.figures ?? {}).length > 0;
}

/** Whether a figure is marked as circular: not one that is corrected by what people said, or rests on no judgement. */
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
