import path from 'node:path';
import { missingCorpusText } from '../../../core/pipeline-needs.ts';
import { chooseJudge, judgeChoices } from '../../../extension/judging/judge-choice.ts';
import { confirmCalls } from '../../../extension/judging/confirmations.ts';
import type { MappedPanel, QuestionPanel } from '../../../extension/services/panels.ts';
import type { Services } from '../../../extension/services/services.ts';
import { agentSettingsHost } from './agent-settings-host.ts';
import { Capture } from './capture.ts';
import { RunView, type RunPanel } from './run-panel.ts';
import type { CapturedSurface } from './captured-surface.ts';

/** Creates capturing, which recognises passages in the corpus of the side panel. */
export function createCapture(
  services: Services,
  surface: CapturedSurface,
  sidePanel: QuestionPanel & Pick<MappedPanel, 'pipelines' | 'open'>,
): { readonly capture: Capture; readonly runPanel: RunPanel } {
  const { context, engineOf, decorations, trusted, workspace, costSettings, changes, note } = services;
  const runView = new RunView(services, {
    terms: () => capture.terms,
    pipelines: () => sidePanel.pipelines,
    open: (passageId) => sidePanel.open(passageId),
    inspect: (question) => sidePanel.show(question),
  });
  const capture: Capture = new Capture({
    engine: engineOf('capture'),
    surface,
    decorations,
    runView,
    trusted,
    costSettings,
    confirmCalls,
    asked: () => {
      const { corpus, judge, queries } = sidePanel.asked;
      const { config } = workspace.snapshot;
      return { corpus, judge: chooseJudge(judgeChoices(config), config, judge), queries };
    },
    missingCorpus: () => missingCorpusText(workspace.snapshot.config),
    tools: () => workspace.snapshot.config.capture.tools,
    storage: path.join((context.storageUri ?? context.globalStorageUri).fsPath, 'captured'),
    inspect: (question, pipeline) => sidePanel.showCaptured(question, pipeline),
    explainMissing: (question, document) => sidePanel.showMissing(question, document),
    addToEvalSet: (queries) => sidePanel.addToEvalSet(queries),
    onChanged: () => changes.capturedChanged(),
    log: note,
    agentSettings: agentSettingsHost(context.globalStorageUri.fsPath, note),
  });
  const changed = (): void => capture.changed();
  changes.subscribe('capture', { figuresChanged: changed, indexedChanged: changed });
  context.subscriptions.push(capture);
  return { capture, runPanel: runView.panel };
}
