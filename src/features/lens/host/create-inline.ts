import type { CapturedRun } from '../../capture/contract/captured.ts';
import type { LivePrograms } from '../../../extension/services/live-programs.ts';
import type { ComparisonPanel } from '../../../extension/services/panels.ts';
import type { Services } from '../../../extension/services/services.ts';
import { Inline } from './inline.ts';

interface CapturedRuns {
  /** The retrievals of running programs, newest first. */
  readonly runs: () => readonly CapturedRun[] | undefined;
  /** Has retrievals judged. @param ids newest first */
  readonly judge: (ids: readonly string[]) => Promise<void>;
}

/**
 * Creates the inline figures, including those of captured retrievals.
 *
 * @param configured settles once the engine has the newest parallax.json
 * @param live running programs; called once the editor shows a call
 */
export function createInline(
  { context, engineOf, workspace, configFile, memory, changes, keys, note }: Services,
  compare: ComparisonPanel,
  { runs: captured, judge: judgeCaptured }: CapturedRuns,
  configured: () => Promise<unknown>,
  live: () => LivePrograms,
): Inline {
  const inline = new Inline({
    extensionUri: context.extensionUri,
    engine: engineOf('inline'),
    snapshot: () => workspace.snapshot,
    captured,
    judgeCaptured,
    live,
    memory,
    indexed: (corpus) => compare.indexed(corpus),
    showComparison: (id) => compare.showKept(id),
    editConfig: async (edit) => {
      await configFile.edit(edit);
      await configured();
    },
    addKey: (name, value) => keys.add(name, value),
    log: note,
  });
  changes.subscribe('inline', {
    figuresChanged: () => inline.figuresChanged(),
    comparedAgain: (before, after) => inline.comparedAgain(before, after),
    capturedChanged: () => inline.capturedChanged(),
    observedChanged: () => inline.observedChanged(),
  });
  context.subscriptions.push(inline);
  return inline;
}
