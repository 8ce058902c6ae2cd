/** Entry point of the MCP App that draws the answers of two tools in the window of an agent. It is no panel of the editor. */
import '../components/l10n.ts';
import './agents.css';
import { render } from 'lit/html.js';
import { appAnswer, type HostLook } from '../../src/features/agents/contract/app-answer.ts';
import { connect } from './host.ts';
import { view } from './view.ts';

const root = document.getElementById('root')!;

connect({ onResult: (result) => render(view(appAnswer(result)), root), onLook: wear });

/** The host's theme and its variables, which the style sheet gives the names of the editor's. */
function wear({ theme, styles }: HostLook): void {
  const { style } = document.documentElement;
  if (theme) {
    style.colorScheme = theme;
    document.body.className = `vscode-${theme}`;
  }
  for (const [name, value] of Object.entries(styles?.variables ?? {}))
    if (name.startsWith('--') && value !== undefined) style.setProperty(name, value);
}
