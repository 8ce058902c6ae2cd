import type { Compare } from '../compare/compare.ts';
import type { SidePanel } from '../inspector/side-panel.ts';
import { userName } from '../platform/dialogs.ts';
import type { Services } from '../services.ts';
import type { ReviewSurface } from './review-surface.ts';
import { Review } from './review.ts';

/** The review, of what the side panel and the compare panel show. */
export function createReview(
  { context, engine, decorations, changes, note }: Services,
  surface: ReviewSurface,
  { inspector }: SidePanel,
  compare: Compare,
): Review {
  const review = new Review({
    engine,
    surface,
    userName,
    panelMarks: decorations,
    asked: () => inspector.asked,
    judgingTask: () => inspector.judgingTask,
    comparison: () => compare.controller.state().shown,
    onLabelled: () => changes.figuresChanged('review'),
    log: note,
  });
  changes.subscribe('review', { figuresChanged: () => review.changed() });
  context.subscriptions.push(review);
  return review;
}
