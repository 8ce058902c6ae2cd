/** A difference to the baseline: as text, and as an interval drawn around zero. */
import * as l10n from '@vscode/l10n';
import { html, nothing, svg, type TemplateResult } from 'lit/html.js';
import { SIGNIFICANT } from '../../src/shared/p-value.ts';
import { intervalText, pText, signedPoints, unclearPoints, type Interval } from './figures.ts';

export interface Difference extends Interval {
  readonly value: number;
  readonly p?: number | undefined;
}

/**
 * Classifies a difference. `none`: no query differs. `unclear`: the interval includes zero, so the difference may be
 * noise, unlike no difference. `open`: the interval excludes zero, but the test over all comparisons does not confirm
 * it, or there is no test because a judge would count its own errors as gains; the difference then has no sign.
 */
export function direction({ value, low, high, p }: Difference): keyof typeof GLYPHS {
  if (value === 0 && low === 0 && high === 0) return 'none';
  if (low <= 0 && high >= 0) return 'unclear';
  if (p === undefined || p >= SIGNIFICANT) return 'open';
  return low > 0 ? 'better' : 'worse';
}

const GLYPHS = { better: '▲', worse: '▼', open: '', unclear: '', none: '' };

/** @param scale the largest absolute end of an interval in the column, so that bars are comparable */
export function differenceLine(difference: Difference, scale: number): TemplateResult {
  const trend = direction(difference);
  if (trend === 'none')
    return html`<span class="difference none"
      ><span class="difference-text">${l10n.t('no difference')}</span></span
    >`;
  const glyph = GLYPHS[trend];
  return html`<span class="difference ${trend}"
    ><span class="difference-text"
      >${glyph === '' ? nothing : html`<span class="glyph" aria-hidden="true">${glyph}</span>`}${
        trend === 'unclear' ? unclearPoints(difference.value) : signedPoints(difference.value)
      }</span
    ><span class="interval">${intervalText(difference)}</span>${
      difference.p === undefined
        ? nothing
        : html` <span class="p-value ${difference.p < SIGNIFICANT ? 'significant' : ''}"
            >${pText(difference.p)}</span
          >`
    }${intervalBar(difference, scale)}</span
  >`;
}

/** The position of a value on the bar in percent of its width; zero is in the middle. */
function position(value: number, scale: number): number {
  return scale === 0 ? 50 : 50 + (value / scale) * 46;
}

function intervalBar({ value, low, high }: Difference, scale: number): TemplateResult {
  const [from, at, to] = [low, value, high].map((one) => position(one, scale)) as [number, number, number];
  return html`<svg class="interval-bar" aria-hidden="true">
    ${svg`<line class="zero" x1="50%" x2="50%" y1="0" y2="100%"></line>
      <rect class="range" x="${from}%" width="${Math.max(to - from, 1)}%" y="35%" height="30%"></rect>
      <circle class="estimate" cx="${at}%" cy="50%" r="2.5"></circle>`}
  </svg>`;
}
