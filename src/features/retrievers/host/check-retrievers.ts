/** Checks whether the user's own retrievers answer, e.g. after adding one to parallax.json. */
import * as vscode from 'vscode';
import { ParallaxError } from '../../../core/errors.ts';
import type { ExternalRetrieverSpec } from '../../../core/external/spec.ts';
import { externalParts } from '../../../core/pipeline.ts';
import { retrieverLabel } from '../../../core/pipeline-label.ts';
import type { ParallaxConfig } from '../../../shared/config.ts';
import type { EngineClient } from '../../../extension/engine-process/engine-client.ts';
import { withProgress } from '../../../extension/tasks/with-progress.ts';

/**
 * Asks each retriever of the workspace's pipelines once, and lists the results.
 *
 * @throws ParallaxError `not-found` if all pipelines search Parallax's own index
 */
export async function checkRetrievers(engine: EngineClient, { pipelines }: ParallaxConfig): Promise<void> {
  const used = usesByRetriever(pipelines);
  if (used.length === 0)
    throw new ParallaxError(
      'not-found',
      vscode.l10n.t(
        'No pipeline in parallax.json has a retriever of your own (command, http, run or a store).',
      ),
    );
  const title = vscode.l10n.t('Parallax: asking your retrievers');
  const items = await withProgress(title, async ({ signal }) => {
    const answers: vscode.QuickPickItem[] = [];
    for (const { retriever, names } of used) {
      const { ok, message } = await engine.request('checkRetriever', { retriever }, { signal });
      answers.push({
        label: `$(${ok ? 'pass' : 'error'}) ${retrieverLabel(retriever)}`,
        description: names.join(', '),
        detail: message,
      });
    }
    return answers;
  });
  await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Your retrievers'),
    placeHolder: vscode.l10n.t('What each answered, and the pipelines that use it'),
    matchOnDetail: true,
  });
}

interface Use {
  readonly retriever: ExternalRetrieverSpec;
  /** Names of its pipelines. */
  readonly names: string[];
}

function usesByRetriever(pipelines: ParallaxConfig['pipelines']): Use[] {
  const uses = new Map<string, Use>();
  for (const [name, { retriever }] of Object.entries(pipelines))
    for (const part of externalParts(retriever)) {
      const key = JSON.stringify(part);
      const use = uses.get(key) ?? { retriever: part, names: [] };
      use.names.push(name);
      uses.set(key, use);
    }
  return [...uses.values()];
}
