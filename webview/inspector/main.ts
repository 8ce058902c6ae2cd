/** Entry point of the side panel. */
import '../components/l10n.ts';
import type { FromInspectorInput } from '../../src/features/inspector/contract/panel.ts';
import { mountPanel, type VsCodeApi } from '../components/panel.ts';
import './inspector.css';
import { INSPECTOR } from './panel.ts';

declare function acquireVsCodeApi(): VsCodeApi<FromInspectorInput>;

mountPanel(INSPECTOR, acquireVsCodeApi);
