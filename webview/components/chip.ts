/** The sign of a perspective: its letter in its colour. */
import { html, type TemplateResult } from 'lit/html.js';
import type { PerspectiveView } from '../../src/features/inspector/contract/panel.ts';

/** The fields of a perspective that its sign needs. */
export type PerspectiveSign = Pick<PerspectiveView, 'letter' | 'color' | 'text'>;

/** The letter in a box; `dashed` if there is no verdict yet. Screen readers read the letter. */
export function letter(perspective: PerspectiveSign, style: 'solid' | 'dashed' = 'solid'): TemplateResult {
  return html`<span class="letter ${style}" data-color=${perspective.color} title=${perspective.text}
    >${perspective.letter}</span
  >`;
}
