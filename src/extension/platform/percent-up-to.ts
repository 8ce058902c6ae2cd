/** Figures that further verdicts may raise, as the editor writes them. */
import { mayRise } from '../../core/metrics/unjudged.ts';
import { percent } from './numbers.ts';

/** `≥ 40%` where further verdicts can only raise it, to `most`; all is all. */
export function percentUpTo(value: number, most: number): string {
  return value < 1 && mayRise({ low: value, high: most }) ? `≥ ${percent(value)}` : percent(value);
}
