/** Navigates from a figure to its result. */
import { PAGE, type Context } from './draft.ts';

export const resultId = (rank: number): string => `result-${rank}`;

/** Scrolls to a result and focuses it. Shows more results first if needed. */
export function goToResult({ state, draft, actions }: Context, rank: number): void {
  const position = (state.results?.items.findIndex((item) => item.rank === rank) ?? -1) + 1;
  if (position > draft.shown) actions.edit({ shown: Math.ceil(position / PAGE) * PAGE });
  const result = document.getElementById(resultId(rank));
  result?.focus({ preventScroll: true });
  result?.scrollIntoView({ block: 'start' });
}
