import { userName } from '../../../extension/platform/dialogs.ts';
import type { ComparisonPanel, QuestionPanel } from '../../../extension/services/panels.ts';
import type { Services } from '../../../extension/services/services.ts';
import type { ReviewSurface } from './review-surface.ts';
import { Review } from './review.ts';

/** Creates the review of what the side panel and the compare panel show. */
export function createReview(
  { context, engine, changes, memory, log, note }: Services,
  surface: ReviewSurface,
  sidePanel: QuestionPanel,
  compare: ComparisonPanel,
): Review {
  const review = new Review({
    engine,
    surface,
    memory,
    userName,
    services: { context, log },
    asked: () => sidePanel.asked,
    judgingTask: () => sidePanel.judgingTask,
    comparison: () => compare.shown,
    onLabelled: () => changes.figuresChanged('review'),
    log: note,
  });
  changes.subscribe('review', { figuresChanged: () => review.changed() });
  context.subscriptions.push(review);
  return review;
}
