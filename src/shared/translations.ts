/** Translations on their way from the extension host to the pages of panels, and to other processes. Pure. */

/** By English text; `message` where the translator was told more. */
export type Translations = Readonly<Record<string, string | { readonly message: string }>>;

/** The environment variable that tells a process of the engine which file its texts are in; none in English. */
export const TEXTS_FILE = 'PARALLAX_TEXTS';

/** The id of the element that holds the texts of a page. */
export const TEXTS_ID = 'l10n';

/**
 * An element that holds all translations as data, which no content policy keeps from being read; nothing where there
 * are none, as in English.
 */
export function textsElement(translations: Translations | undefined): string {
  if (!translations) return '';
  const texts = Object.entries(translations).map(([text, translation]) => [
    text,
    typeof translation === 'string' ? translation : translation.message,
  ]);
  // Without this sign in it, no text can end the element.
  const json = JSON.stringify(Object.fromEntries(texts)).replaceAll('<', '\\u003c');
  return `<script type="application/json" id="${TEXTS_ID}">${json}</script>`;
}
