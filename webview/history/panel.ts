/** The history panel: what it draws, what it keeps, and what it makes of messages. */
import type { FromHistory, HistoryState } from '../../src/shared/panels/history-panel.ts';
import { announced } from '../components/announcement.ts';
import type { Panel } from '../components/panel.ts';
import { keep, restore, type Actions, type Draft } from './draft.ts';
import { readRuns, readState } from './messages.ts';
import { strings } from './strings.ts';
import { view } from './view.ts';

export const HISTORY: Panel<HistoryState, Draft, FromHistory> = {
  view,
  keep,
  restore,
  readState,
  settled,
  onOther,
};

/** Runs come before the state that counts them. Those that are not understood are left out: the view says so then. */
function onOther(data: unknown, actions: Actions): void {
  const message = readRuns(data);
  if (message) actions.edit({ runs: message });
}

function settled(draft: Draft, previous: HistoryState | undefined, next: HistoryState): Partial<Draft> {
  const another =
    next.compared?.then !== previous?.compared?.then || next.compared?.now !== previous?.compared?.now;
  const news = [
    ...(next.task && !previous?.task ? [next.task.title] : []),
    ...(previous && next.revision > previous.revision && draft.runs
      ? [strings.runsNow(draft.runs.runs.length)]
      : []),
    ...(another && next.compared ? [strings.comparedNow(next.compared)] : []),
  ].join(' ');
  return {
    ...(another ? { queryRow: 0 } : {}),
    ...(previous && news ? { announcement: announced(draft.announcement, news) } : {}),
  };
}
