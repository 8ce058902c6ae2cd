/** Entry point of the panel that shows a pair under review. */
import '../components/l10n.ts';
import './review.css';
import type { FromReview, ReviewState, ToReview } from '../../src/features/review/contract/panel.ts';
import { announced } from '../components/announcement.ts';
import { mountPanel, type Panel, type VsCodeApi } from '../components/panel.ts';
import { EMPTY_DRAFT, type Draft } from './draft.ts';
import { strings } from './strings.ts';
import { focusPair, view } from './view.ts';

const REVIEW: Panel<ReviewState, Draft, FromReview, ToReview> = {
  view,
  keep: () => ({}),
  restore: () => EMPTY_DRAFT,
  settled,
};

function settled(draft: Draft, previous: ReviewState | undefined, next: ReviewState): Partial<Draft> {
  const isOther = next.pair?.perspective !== previous?.pair?.perspective || next.left !== previous?.left;
  if (!isOther) return {};
  // The next pair is read from its beginning. The list keeps the focus if it has it.
  if (document.hasFocus()) requestAnimationFrame(focusPair);
  scrollTo({ top: 0 });
  if (!previous) return {};
  return { announcement: announced(draft.announcement, strings.news(next.left, next.pair?.perspective)) };
}

addEventListener('focus', focusPair);

declare function acquireVsCodeApi(): VsCodeApi<FromReview>;

mountPanel(REVIEW, acquireVsCodeApi);
