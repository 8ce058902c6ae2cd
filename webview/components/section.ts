/** A part of the panel under a heading. */
import { html, nothing, type TemplateResult } from 'lit/html.js';

export interface SectionHead {
  readonly id: string;
  readonly heading: string;
  /** Says what the figures below are figures of. */
  readonly note: string;
  /** The meaning of the heading, in one sentence, where its words do not say so. */
  readonly definition?: string;
  /** At the far end of the heading's line. */
  readonly aside?: TemplateResult;
}

export function section(
  { id, heading, note, definition, aside }: SectionHead,
  content: TemplateResult,
): TemplateResult {
  return html`<section class="part" aria-labelledby="${id}-heading" data-testid="section-${id}">
    <header>
      <h2 id="${id}-heading" tabindex="-1" title=${definition ?? nothing}>${heading}</h2>
      ${definition === undefined ? nothing : html`<span class="sr-only">${definition}</span>`}
      <span class="muted grow">${note}</span>
      ${aside ?? nothing}
    </header>
    ${content}
  </section>`;
}

/** Goes to a section as a link would: the keyboard goes on from its heading. */
export function bringIntoSight(section: string): void {
  const heading = document.getElementById(`${section}-heading`);
  heading?.focus({ preventScroll: true });
  heading?.scrollIntoView({ block: 'start' });
}
