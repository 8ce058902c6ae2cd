/** Messages from the extension host, checked before the view relies on them. */
import type { HistoryState, ToHistory } from '../../src/shared/panels/history-panel.ts';
import { isToHistory } from './message-guards.ts';

/** The state in a message, or `undefined` when the message is not one that this panel understands. */
export function readState(data: unknown): HistoryState | undefined {
  return isToHistory(data) && data.type === 'state' ? data.state : undefined;
}

/** The runs in a message, or `undefined` when the message is not one that this panel understands. */
export function readRuns(data: unknown): Extract<ToHistory, { type: 'runs' }> | undefined {
  return isToHistory(data) && data.type === 'runs' ? data : undefined;
}
