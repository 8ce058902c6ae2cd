/** Entry of the history panel's script. */
import '../components/l10n.ts';
import type { FromHistory } from '../../src/shared/panels/history-panel.ts';
import { mountPanel, type VsCodeApi } from '../components/panel.ts';
import { registerCharts } from '../charts/chart-element.ts';
import './history.css';
import { HISTORY } from './panel.ts';

declare function acquireVsCodeApi(): VsCodeApi<FromHistory>;

registerCharts();
mountPanel(HISTORY, acquireVsCodeApi);
