/** Entry point of the compare panel. */
import '../components/l10n.ts';
import './compare.css';
import type { FromCompare, CompareState, ToCompare } from '../../src/features/compare/contract/panel.ts';
import { registerCharts } from '../charts/chart-element.ts';
import { mountPanel, type VsCodeApi, type Panel } from '../components/panel.ts';
import { announced } from '../components/announcement.ts';
import { isAligned } from './aligned.ts';
import { broughtFor, LIST_TOP, keep, restore, shownComparison, type Actions, type Draft } from './draft.ts';
import { compareWords } from './strings.ts';
import { view } from './view.ts';

const COMPARE: Panel<CompareState, Draft, FromCompare, ToCompare> = {
  view,
  keep,
  restore,
  settled,
  onOther,
};

/**
 * A comparison arrives before the state that shows it. Until that state arrives, the panel keeps showing the previous
 * comparison. A comparison with inconsistent figures is ignored; the view reports it when it should be shown.
 */
function onOther(message: ToCompare, actions: Actions): void {
  if (message.type === 'comparison' && isAligned(message.comparison))
    actions.edit({ arrived: message.comparison });
}

/** A new comparison is announced and resets its lists to the top; the user's filters stay. */
function settled(draft: Draft, previous: CompareState | undefined, next: CompareState): Partial<Draft> {
  const { shown, task } = next;
  const another = shown !== previous?.shown;
  const brought = broughtFor(draft, shown);
  const comparison = another ? shownComparison({ state: next, draft: { ...draft, ...brought } }) : undefined;
  const started = task !== undefined && previous?.task === undefined;
  const news = [
    ...newsOfJudging(previous, next),
    ...(comparison ? [compareWords.compared(comparison)] : started ? [task.title] : []),
  ].join(' ');
  return {
    ...brought,
    ...(another ? { ...LIST_TOP, lead: undefined, moving: undefined } : {}),
    ...(previous && news ? { announcement: announced(draft.announcement, news) } : {}),
  };
}

function newsOfJudging(previous: CompareState | undefined, { judging }: CompareState): string[] {
  const report = judging?.report;
  const same = JSON.stringify(report) === JSON.stringify(previous?.judging?.report);
  return report && !same
    ? [compareWords.judgingReport(report), compareWords.noResult(report) ?? ''].filter(Boolean)
    : [];
}

declare function acquireVsCodeApi(): VsCodeApi<FromCompare>;

registerCharts();
mountPanel(COMPARE, acquireVsCodeApi);
