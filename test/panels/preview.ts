/**
 * Stands in for the editor around a panel's real script: theme variables, the API of a webview, and a state to
 * show. The address says which: `/compare?state=ready&theme=light`. What the panel is answered is in the page, since
 * making all states would take longer than drawing one.
 */
import { SHOWN_ID, type Shown } from './shown.ts';
import { THEMES } from './themes.ts';

/** Available to tests and the developer tools as `window.preview`. */
export interface Preview {
  /** Everything that the panel sent, oldest first. */
  readonly sent: { readonly type: string }[];
  /** Sends something to the panel, as the extension host would. */
  post(message: unknown): void;
}

declare global {
  var preview: Preview;
  var acquireVsCodeApi: () => unknown;
}

/** Where the panel's own state is kept, so that reloading the page is like reloading the view. */
const KEPT = 'parallax-preview';

function applyTheme(name: string, background: string): void {
  const theme = Object.hasOwn(THEMES, name) ? THEMES[name as keyof typeof THEMES] : THEMES.dark;
  for (const [variable, value] of Object.entries(theme.variables))
    document.documentElement.style.setProperty(`--vscode-${variable}`, value);
  document.documentElement.style.background = `var(--vscode-${background})`;
  document.body.className = theme.kind;
  document.body.dataset['vscodeThemeKind'] = theme.kind;
}

const { searchParams } = new URL(location.href);
const shown = JSON.parse(document.getElementById(SHOWN_ID)!.textContent) as Shown;
const post = (message: unknown): void => window.postMessage(message, location.origin);

globalThis.preview = { sent: [], post };
globalThis.acquireVsCodeApi = () => ({
  postMessage(message: { type: string }) {
    // As the editor does: what cannot be cloned cannot be sent.
    preview.sent.push(structuredClone(message));
    if (message.type === 'ready') for (const answer of shown.messages) post(answer);
  },
  getState: (): unknown => JSON.parse(sessionStorage.getItem(KEPT) ?? 'null'),
  setState: (kept: unknown) => sessionStorage.setItem(KEPT, JSON.stringify(kept)),
});
applyTheme(searchParams.get('theme') ?? 'dark', shown.background);
