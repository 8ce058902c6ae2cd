/** The history panel: what it draws, what it keeps, and what it makes of messages. */
import type { FromHistory, HistoryState, ToHistory } from '../../src/shared/panels/history-panel.ts';
import { announced } from '../components/announcement.ts';
import type { Panel } from '../components/panel.ts';
import { keep, restore, type Actions, type Draft } from './draft.ts';
import { strings } from './strings.ts';
import { view } from './view.ts';

export const HISTORY: Panel<HistoryState, Draft, FromHistory, ToHistory> = {
  view,
  keep,
  restore,
  settled,
  onOther,
};

/** Runs come before the state that counts them. */
function onOther(message: ToHistory, actions: Actions): void {
  if (message.type === 'runs') actions.edit({ runs: message });
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
