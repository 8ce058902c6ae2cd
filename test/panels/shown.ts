/** The state of a panel, from the server of the previews to the page. */

export interface Shown {
  /** A colour of the theme. */
  readonly background: string;
  /** Answers of the extension host to `ready`, in order. */
  readonly messages: readonly unknown[];
}

/** The id of the element that holds it. */
export const SHOWN_ID = 'preview-shown';

/** An element of the page, as HTML. */
export function shownElement(shown: Shown): string {
  // Without this sign in it, no text can end the element.
  const json = JSON.stringify(shown).replaceAll('<', '\\u003c');
  return `<script type="application/json" id="${SHOWN_ID}">${json}</script>`;
}
