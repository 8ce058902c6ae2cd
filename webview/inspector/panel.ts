/** The side panel: what it draws, what it keeps, and what it makes of messages. */
import type { FromInspectorInput, InspectorState, TaskView } from '../../src/shared/panels/inspector.ts';
import { announced } from '../components/announcement.ts';
import type { Panel } from '../components/panel.ts';
import { isRunning, keep, PAGE, restore, type Draft } from './draft.ts';
import { isToInspector } from './message-guards.ts';
import { focusQuery } from './query-box.ts';
import { strings } from './strings.ts';
import { view } from './view.ts';

export const INSPECTOR: Panel<InspectorState, Draft, FromInspectorInput> = {
  view,
  keep,
  restore,
  settled,
  readState: (data) => (isToInspector(data) && data.type === 'state' ? data.state : undefined),
  onOther: (data, actions) => {
    if (!isToInspector(data) || data.type !== 'focus-query') return;
    const { query } = data;
    if (query !== undefined) actions.edit({ query, suggestionsOpen: false, historyAt: -1 });
    focusQuery();
  },
};

function settled(draft: Draft, previous: InspectorState | undefined, next: InspectorState): Partial<Draft> {
  const asked = draft.query?.trim() === next.query;
  const answered = answerKey(previous) !== answerKey(next) || ended('judge', previous, next);
  const started = next.tasks.find(
    ({ kind }) => kind !== 'search' && !previous?.tasks.some((task) => task.kind === kind),
  );
  const proposed = ended('stances', previous, next) && !next.error ? proposals(next) : undefined;
  const news = next.results && answered ? answer(next) : (started?.title ?? proposed);
  return {
    ...(asked ? { query: undefined, historyAt: -1 } : {}),
    ...(answerKey(previous) === answerKey(next) ? {} : { shown: PAGE, cell: { row: 0, column: 0 } }),
    ...(previous && news ? { announcement: announced(draft.announcement, news) } : {}),
  };
}

/** Tells one answer from the next; verdicts that arrive later do not make it another one. */
function answerKey(state: InspectorState | undefined): string | undefined {
  if (!state?.results) return undefined;
  const { items, milliseconds } = state.results;
  return JSON.stringify([state.query, milliseconds, items.map(({ passageId }) => passageId)]);
}

function ended(kind: TaskView['kind'], previous: InspectorState | undefined, next: InspectorState): boolean {
  return previous !== undefined && isRunning(previous, kind) && !isRunning(next, kind);
}

function proposals({ perspectives }: InspectorState): string {
  return strings.stancesProposed(perspectives.filter(({ proposal }) => proposal).length);
}

function answer({ results, perspectives }: InspectorState): string {
  return strings.answered(results?.items.length ?? 0, results?.metrics.covered ?? 0, perspectives.length);
}
