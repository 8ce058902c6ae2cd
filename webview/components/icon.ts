/** Icons of the editor's own font (`@vscode/codicons`). */
import { html, type TemplateResult } from 'lit/html.js';
import { ifDefined } from 'lit/directives/if-defined.js';

export type Codicon =
  | 'add'
  | 'arrow-both'
  | 'arrow-down'
  | 'beaker'
  | 'check'
  | 'checklist'
  | 'chevron-down'
  | 'chevron-right'
  | 'circle-slash'
  | 'close'
  | 'copy'
  | 'edit'
  | 'error'
  | 'folder-opened'
  | 'go-to-file'
  | 'graph-scatter'
  | 'history'
  | 'law'
  | 'loading'
  | 'play'
  | 'question'
  | 'refresh'
  | 'search'
  | 'search-stop'
  | 'sparkle'
  | 'stop-circle'
  | 'thumbsdown'
  | 'thumbsup'
  | 'trash'
  | 'warning'
  | 'workspace-untrusted'
  | 'screen-full'
  | 'zoom-in'
  | 'zoom-out';

/** An icon without a name, because the text beside it or the control around it has one. */
export function codicon(name: Codicon, slot?: string): TemplateResult {
  const spin = name === 'loading' ? ' codicon-modifier-spin' : '';
  return html`<span
    class="codicon codicon-${name}${spin}"
    slot=${ifDefined(slot)}
    aria-hidden="true"
  ></span>`;
}
