import { chooseJudge, judgeChoices } from '../inspector/judge-choice.ts';
import type { SidePanel } from '../inspector/side-panel.ts';
import { confirmCalls } from '../platform/dialogs.ts';
import type { Services } from '../services.ts';
import { Capture } from './capture.ts';
import type { CapturedSurface } from './captured-surface.ts';

/** What running programs retrieve, in terms of the corpus of the side panel. */
export function createCapture(services: Services, surface: CapturedSurface, sidePanel: SidePanel): Capture {
  const { context, engineOf, decorations, trusted, workspace, costSettings, changes, note } = services;
  const capture = new Capture({
    engine: engineOf('capture'),
    surface,
    decorations,
    trusted,
    costSettings,
    confirmCalls,
    asked: () => {
      const { corpus, judge, queries } = sidePanel.inspector.asked;
      const { config } = workspace.snapshot;
      return { corpus, judge: chooseJudge(judgeChoices(config), config, judge), queries };
    },
    inspect: (question) => sidePanel.show(question),
    onChanged: () => changes.capturedChanged(),
    log: note,
  });
  const changed = (): void => capture.changed();
  changes.subscribe('capture', { figuresChanged: changed, indexedChanged: changed });
  context.subscriptions.push(capture);
  return capture;
}
