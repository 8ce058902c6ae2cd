/** A button that opens a popover below it. Escape and leaving the popover close it. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { codicon } from './icon.ts';

export interface PopoverOptions {
  /** Shown above the button. Without a label, `text` is the whole name of the button. */
  readonly label?: string;
  /** Text of the button: the current choice, or what a click shows. */
  readonly text: string;
  readonly open: boolean;
  readonly testId: string;
  readonly onToggle: (open: boolean) => void;
  /** Rendered only while it is open. */
  readonly content: () => TemplateResult;
}

export function popover(options: PopoverOptions): TemplateResult {
  const { label, text, open, testId, onToggle, content } = options;
  const name = label === undefined ? text : `${label}: ${text}`;
  const onKeydown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !open) return;
    event.preventDefault();
    (event.currentTarget as Element).querySelector<HTMLElement>('.popover-button')?.focus();
    onToggle(false);
  };
  const onFocusout = ({ currentTarget, relatedTarget }: FocusEvent): void => {
    // Clicking an element without focus, such as text, keeps it open.
    if (open && relatedTarget instanceof Node && !(currentTarget as Element).contains(relatedTarget))
      onToggle(false);
  };
  return html`<div class="field popover" @keydown=${onKeydown} @focusout=${onFocusout}>
    ${label === undefined ? nothing : html`<span class="field-label" aria-hidden="true">${label}</span>`}
    <button
      class="popover-button"
      aria-expanded=${open}
      aria-label=${name}
      title=${text}
      data-testid=${testId}
      @click=${() => onToggle(!open)}
    >
      <span class="popover-text">${text}</span>${codicon('chevron-down')}
    </button>
    ${
      open
        ? html`<div
            class="popover-surface"
            role="group"
            aria-label=${label ?? text}
            data-testid="${testId}-surface"
          >
            ${content()}
          </div>`
        : nothing
    }
  </div>`;
}
