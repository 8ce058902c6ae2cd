import type { Capture } from '../capture/capture.ts';
import type { Compare } from '../compare/compare.ts';
import type { Services } from '../services.ts';
import { Inline } from './inline.ts';

/** Figures beside the code, and what was captured there. */
export function createInline(
  { context, engineOf, workspace, memory, changes, note }: Services,
  compare: Compare,
  capture: Capture,
): Inline {
  const inline = new Inline({
    extensionUri: context.extensionUri,
    engine: engineOf('inline'),
    snapshot: () => workspace.snapshot,
    captured: () => capture.runs,
    memory,
    indexed: (corpus) => compare.indexed(corpus),
    showComparison: (id) => compare.showKept(id),
    log: note,
  });
  changes.subscribe('inline', {
    figuresChanged: () => inline.figuresChanged(),
    capturedChanged: () => inline.capturedChanged(),
  });
  context.subscriptions.push(inline);
  return inline;
}
