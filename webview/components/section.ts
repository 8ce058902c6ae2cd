/** A section of the panel with a heading. */
import { html, nothing, type TemplateResult } from 'lit/html.js';

export interface SectionHead {
  readonly id: string;
  readonly heading: string;
  /** Describes the figures below. */
  readonly note: string;
  /** The meaning of the heading in one sentence, if it is not obvious. */
  readonly definition?: string;
  /** At the end of the heading's line. */
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

/** Goes to a section like a link: focus continues from its heading. */
export function bringIntoSight(section: string): void {
  const heading = document.getElementById(`${section}-heading`);
  heading?.focus({ preventScroll: true });
  heading?.scrollIntoView({ block: 'start' });
}
