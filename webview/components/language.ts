/** The language of the page. */

/** Set on the page by src/extension/platform/webview-html.ts; tests have no page. */
export const LANGUAGE = typeof document === 'undefined' ? 'en' : document.documentElement.lang || 'en';

const items = new Intl.ListFormat(LANGUAGE, { type: 'unit', style: 'short' });

/** `a, b, c` */
export function listed(names: readonly string[]): string {
  return items.format(names);
}
