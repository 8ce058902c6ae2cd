/** The format of figures, differences and their certainty in all panels. */
import * as l10n from '@vscode/l10n';
import { measuredText } from '../../src/core/facts.ts';
import { atLeast } from '../../src/core/measured.ts';
import { shortP } from '../../src/shared/p-value.ts';
import { LANGUAGE } from './language.ts';

const oneDecimal = new Intl.NumberFormat(LANGUAGE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const share = new Intl.NumberFormat(LANGUAGE, {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

/** A format with this many decimals. */
export function decimals(least: number, most = least): (value: number) => string {
  const format = new Intl.NumberFormat(LANGUAGE, {
    minimumFractionDigits: least,
    maximumFractionDigits: most,
    useGrouping: false,
    signDisplay: 'negative',
  });
  return (value) => format.format(value);
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** `58.4%` */
export function shareText(value: number): string {
  return share.format(value);
}

/** A figure that further verdicts can only raise, if it is not the maximum: `≥ 58.4%` */
export function atLeastText(value: number): string {
  return measuredText(atLeast(value, 1), shareText);
}

/** Percentage points with a minus sign (U+2212); never `−0.0`. */
function inPoints(value: number): string {
  const text = oneDecimal.format(Math.abs(value) * 100);
  return value < 0 && text !== oneDecimal.format(0) ? `−${text}` : text;
}

/** `+1.2 pts` */
export function signedPoints(value: number): string {
  return l10n.t('{0} pts', `${value > 0 ? '+' : ''}${inPoints(value)}`);
}

/** `+1.2 pts?` if the interval includes zero, because the difference may be noise. */
export function unclearPoints(value: number): string {
  return l10n.t('{0}?', signedPoints(value));
}

/** In percentage points: `[−1.1, 6.8]` */
export function intervalText({ low, high }: Interval): string {
  return `[${inPoints(low)}, ${inPoints(high)}]`;
}

/** `p .031` */
export function pText(p: number): string {
  return `p ${shortP(p)}`;
}
