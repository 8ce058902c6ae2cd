/** Passes translations from the extension host to panels and other processes. Pure. */

/** By English text. `message` if the translator had a comment. */
export type Translations = Readonly<Record<string, string | { readonly message: string }>>;

/** The environment variable with the path of an engine process's texts. Not set in English. */
export const TEXTS_FILE = 'PARALLAX_TEXTS';

/** The environment variable with the BCP 47 tag of these texts. */
export const TEXTS_LANGUAGE = 'PARALLAX_LANGUAGE';

/** The id of the element with the texts of a page. */
export const TEXTS_ID = 'l10n';

/**
 * An element with all translations as data, which content security policies allow to be read. Empty without
 * translations, as in English.
 */
export function textsElement(translations: Translations | undefined): string {
  if (!translations) return '';
  const texts = Object.entries(translations).map(([text, translation]) => [
    text,
    typeof translation === 'string' ? translation : translation.message,
  ]);
  // Without `<`, no text can close the element.
  const json = JSON.stringify(Object.fromEntries(texts)).replaceAll('<', '\\u003c');
  return `<script type="application/json" id="${TEXTS_ID}">${json}</script>`;
}
