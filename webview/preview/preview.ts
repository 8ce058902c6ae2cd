/**
 * Stands in for the editor around the panel's real script: theme variables, the API of a webview, and a state to
 * show. The address says which: `?state=answered&theme=light`.
 */
import type { FromInspectorInput, InspectorState, ToInspector } from '../../src/shared/inspector.ts';
import { FIXTURES } from './fixtures.ts';
import { THEMES } from './themes.ts';

/** What tests and the developer tools see as `window.preview`. */
export interface Preview {
  /** Everything that the panel sent, oldest first. */
  readonly sent: FromInspectorInput[];
  /** Sends something to the panel, as the extension host would. */
  post(message: unknown): void;
}

declare global {
  var preview: Preview;
  var acquireVsCodeApi: () => unknown;
}

/** Where the panel's own state is kept, so that reloading the page is like reloading the view. */
const KEPT = 'parallax-preview';

function applyTheme(name: string): void {
  const theme = Object.entries(THEMES).find(([key]) => key === name)?.[1] ?? THEMES.dark;
  for (const [variable, value] of Object.entries(theme.variables))
    document.documentElement.style.setProperty(`--vscode-${variable}`, value);
  document.documentElement.style.background = 'var(--vscode-sideBar-background)';
  document.body.className = theme.kind;
  document.body.dataset['vscodeThemeKind'] = theme.kind;
}

function stateNamed(name: string): InspectorState | undefined {
  return Object.entries(FIXTURES).find(([key]) => key === name)?.[1];
}

const address = new URL(location.href);
const state = stateNamed(address.searchParams.get('state') ?? 'answered');
const post = (message: unknown): void => window.postMessage(message, location.origin);

globalThis.preview = { sent: [], post };
globalThis.acquireVsCodeApi = () => ({
  postMessage(message: FromInspectorInput) {
    // As the editor does: what cannot be cloned cannot be sent.
    preview.sent.push(structuredClone(message));
    if (message.type === 'ready' && state) post({ type: 'state', state } satisfies ToInspector);
  },
  getState: (): unknown => JSON.parse(sessionStorage.getItem(KEPT) ?? 'null'),
  setState: (kept: unknown) => sessionStorage.setItem(KEPT, JSON.stringify(kept)),
});
applyTheme(address.searchParams.get('theme') ?? 'dark');
