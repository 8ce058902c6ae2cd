/** Percentages in the editor's language, for code that is independent of the editor. */
import { numberFormat } from '../../core/counted.ts';

/** @param value a share, in [0, 1] */
export function percent(value: number): string {
  return numberFormat({ style: 'percent', maximumFractionDigits: 0 }).format(value);
}
