import type { QuestionPanel } from '../../../extension/services/panels.ts';
import type { Services } from '../../../extension/services/services.ts';
import type { TestingSurface } from './testing-surface.ts';
import { Testing } from './testing.ts';

/** @param configured settles once the engine has the newest configuration */
export function createTesting(
  { context, engineOf, workspace, costSettings, ready, changes, reports, note }: Services,
  surface: TestingSurface,
  sidePanel: QuestionPanel,
  configured: () => Promise<unknown>,
): Testing {
  const testing = new Testing({
    extensionUri: context.extensionUri,
    engine: engineOf('testing'),
    surface,
    workspace,
    costSettings,
    documents: reports,
    ready,
    configured,
    inspect: (corpus, query, pipeline) => sidePanel.inspect(corpus, query, pipeline),
    onJudged: () => changes.figuresChanged('testing'),
    log: note,
  });
  changes.subscribe('testing', { figuresChanged: () => testing.changed() });
  context.subscriptions.push(testing);
  return testing;
}
