/** A difference to the baseline: in words, and as its interval drawn around zero. */
import { html, nothing, svg, type TemplateResult } from 'lit/html.js';
import type { MeasureView } from '../../src/shared/compare.ts';
import { strings } from './strings.ts';

export type Difference = NonNullable<MeasureView['difference']>;

/** `unclear` where the interval includes zero: then nothing is claimed. */
export function direction({ low, high }: Difference): 'better' | 'worse' | 'unclear' {
  if (low > 0) return 'better';
  return high < 0 ? 'worse' : 'unclear';
}

const GLYPHS = { better: '▲', worse: '▼', unclear: '' };

/** @param scale the largest absolute end of an interval in the column, so that bars can be compared */
export function differenceLine(difference: Difference, scale: number): TemplateResult {
  const told = direction(difference);
  return html`<span class="difference ${told}" title=${strings.differenceHint(difference, told !== 'unclear')}
    >${intervalBar(difference, scale)}<span class="difference-text"
      >${told === 'unclear' ? nothing : html`<span class="glyph" aria-hidden="true">${GLYPHS[told]}</span>`}${
        told === 'unclear' ? strings.noDifference() : strings.differenceShown(difference)
      } <span class="interval">${strings.interval(difference)}</span></span
    ></span
  >`;
}

/** Where a value lies on the bar, as a share of its width; zero is in the middle. */
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
