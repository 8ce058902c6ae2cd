/** Entry point of the history panel. */
import '../components/l10n.ts';
import './history.css';
import type { FromHistory, HistoryState, ToHistory } from '../../src/features/history/contract/panel.ts';
import { mountPanel, type VsCodeApi, type Panel } from '../components/panel.ts';
import { registerCharts } from '../charts/chart-element.ts';
import { announced } from '../components/announcement.ts';
import { keep, restore, type Actions, type Draft } from './draft.ts';
import { strings } from './strings.ts';
import { view } from './view.ts';

const HISTORY: Panel<HistoryState, Draft, FromHistory, ToHistory> = {
  view,
  keep,
  restore,
  settled,
  onOther,
};

/** Runs arrive before the state that refers to their revision. */
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

declare function acquireVsCodeApi(): VsCodeApi<FromHistory>;

registerCharts();
mountPanel(HISTORY, acquireVsCodeApi);
