/** Percentages in the editor's language, for code that is independent of the editor. */
import { numberFormat } from '../../core/counted.ts';

/**
 * The judged share, rounded down, so that a share slightly below a limit or 100% does not appear to reach it.
 *
 * @param value a share, in [0, 1]
 */
export function judgedPercent(value: number): string {
  return numberFormat({ style: 'percent', maximumFractionDigits: 0, roundingMode: 'floor' }).format(value);
}

/** @param value a share, in [0, 1] */
export function percent(value: number): string {
  return numberFormat({ style: 'percent', maximumFractionDigits: 0 }).format(value);
}
