/** Entry point of the panel of a run. */
import '../components/l10n.ts';
import './capture.css';
import type { FromRun, RunState, ToRun } from '../../src/features/capture/contract/panel.ts';
import { announced } from '../components/announcement.ts';
import { mountPanel, type Panel, type VsCodeApi } from '../components/panel.ts';
import { EMPTY_DRAFT, type Draft } from './draft.ts';
import { strings } from './strings.ts';
import { view } from './view.ts';

const RUN: Panel<RunState, Draft, FromRun, ToRun> = {
  view,
  keep: () => ({}),
  restore: () => EMPTY_DRAFT,
  settled,
};

function settled(draft: Draft, previous: RunState | undefined, next: RunState): Partial<Draft> {
  const news = [
    ...(next.task && !previous?.task ? [next.task.title] : []),
    ...(previous?.task && !next.task && next.picture?.again ? [strings.askedAgain()] : []),
  ].join(' ');
  const another = previous?.picture?.question !== next.picture?.question;
  return {
    ...(another ? { search: undefined } : {}),
    ...(news ? { announcement: announced(draft.announcement, news) } : {}),
  };
}

declare function acquireVsCodeApi(): VsCodeApi<FromRun>;

mountPanel(RUN, acquireVsCodeApi);
