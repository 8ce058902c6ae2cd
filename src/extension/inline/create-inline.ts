import type { CapturedRun } from '../../shared/capture/captured.ts';
import type { ComparisonPanel } from '../services/panels.ts';
import type { Services } from '../services/services.ts';
import { Inline } from './inline.ts';

/**
 * Figures beside the code, and what was captured there.
 *
 * @param captured what running programs were seen to retrieve, newest first
 * @param configured until the engine knows the newest parallax.json
 */
export function createInline(
  { context, engineOf, workspace, configFile, memory, changes, keys, note }: Services,
  compare: ComparisonPanel,
  captured: () => readonly CapturedRun[] | undefined,
  configured: () => Promise<unknown>,
): Inline {
  const inline = new Inline({
    extensionUri: context.extensionUri,
    engine: engineOf('inline'),
    snapshot: () => workspace.snapshot,
    captured,
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
  });
  context.subscriptions.push(inline);
  return inline;
}
