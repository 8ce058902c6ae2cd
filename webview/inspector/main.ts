/** Entry of the side panel's script. */
import { registerControls } from '../components/toolkit.ts';
import './inspector.css';
import { startPanel, type VsCodeApi } from './panel.ts';

declare function acquireVsCodeApi(): VsCodeApi;

registerControls();
const root = document.getElementById('root');
if (!root) throw new Error('The page has no element with the id "root".');
startPanel(root, acquireVsCodeApi());
