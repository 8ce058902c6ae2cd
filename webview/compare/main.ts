/** Entry of the compare panel's script. */
import '../components/l10n.ts';
import './compare.css';
import type { FromCompare } from '../../src/shared/panels/compare.ts';
import { registerCharts } from '../charts/chart-element.ts';
import { mountPanel, type VsCodeApi } from '../components/panel.ts';
import { COMPARE } from './panel.ts';

declare function acquireVsCodeApi(): VsCodeApi<FromCompare>;

registerCharts();
mountPanel(COMPARE, acquireVsCodeApi);
