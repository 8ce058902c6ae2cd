/** Entry of the script that reviews drafts. */
import '../components/l10n.ts';
import type { FromDrafts } from '../../src/shared/panels/drafts-panel.ts';
import { mountPanel, type VsCodeApi } from '../components/panel.ts';
import './drafts.css';
import { DRAFTS } from './panel.ts';

declare function acquireVsCodeApi(): VsCodeApi<FromDrafts>;

mountPanel(DRAFTS, acquireVsCodeApi);
