/** The compare panel: what it draws, what it keeps, and what it makes of messages. */
import type { CompareState, FromCompare } from '../../src/shared/compare.ts';
import { announced } from '../components/announcement.ts';
import type { Panel } from '../components/panel.ts';
import { FIRST_CELL, keep, PAGE, restore, type Draft } from './draft.ts';
import { readState } from './messages.ts';
import { strings } from './strings.ts';
import { view } from './view.ts';

export const COMPARE: Panel<CompareState, Draft, FromCompare> = { view, keep, restore, readState, settled };

/** A new comparison is announced and begins at the top of its lists; what the user filtered by stays. */
function settled(draft: Draft, previous: CompareState | undefined, next: CompareState): Partial<Draft> {
  const { comparison, task } = next;
  const compared = comparison !== undefined && comparison.at !== previous?.comparison?.at;
  const started = task !== undefined && previous?.task === undefined;
  const news = compared ? strings.compared(comparison) : started ? task.title : undefined;
  return {
    ...(compared ? { shown: PAGE, cell: FIRST_CELL } : {}),
    ...(previous && news ? { announcement: announced(draft.announcement, news) } : {}),
  };
}
