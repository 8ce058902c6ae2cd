/** Entry of the map's script. */
import '../components/l10n.ts';
import type { FromMap } from '../../src/shared/panels/map-panel.ts';
import { mountPanel, type VsCodeApi } from '../components/panel.ts';
import { registerMap } from './map-element.ts';
import './map.css';
import { MAP } from './panel.ts';

declare function acquireVsCodeApi(): VsCodeApi<FromMap>;

registerMap();
mountPanel(MAP, acquireVsCodeApi);
