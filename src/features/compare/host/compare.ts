import type * as vscode from 'vscode';
import { confirmFigures } from '../../../extension/judging/confirmations.ts';
import { saveAs } from '../../../extension/platform/dialogs.ts';
import { applyRemedy } from '../../../extension/platform/remedies.ts';
import type { ComparisonPanel, QuestionPanel } from '../../../extension/services/panels.ts';
import type { Services } from '../../../extension/services/services.ts';
import { CompareController } from './compare-controller.ts';
import { comparePanelIn, type ComparePanel } from './compare-panel.ts';

/** The compare panel, and the interface through which other features use it. */
export class Compare implements ComparisonPanel, vscode.Disposable {
  readonly controller: CompareController;
  readonly panel: ComparePanel;
  readonly #sidePanel: QuestionPanel;

  constructor(services: Services, sidePanel: QuestionPanel) {
    const { context, log, ready, changes } = services;
    this.#sidePanel = sidePanel;
    this.controller = this.#controller(services);
    this.panel = comparePanelIn(context.extensionUri, {
      onMessage: (message) =>
        void ready.then(() => sidePanel.ensureStatus()).then(() => this.controller.handle(message)),
      onInvalidMessage: (problem) =>
        log.error(`The compare panel sent a message of the wrong shape: ${problem}`),
    });
    changes.subscribe('compare', {
      figuresChanged: () => this.controller.figuresChanged(),
      indexedChanged: () => void this.controller.refreshCorpora(),
    });
    context.subscriptions.push(this, this.panel);
  }

  get shown(): string | undefined {
    return this.controller.state().shown;
  }

  async indexed(corpus: string): Promise<void> {
    await this.#sidePanel.indexed(corpus);
    await this.controller.refreshCorpora();
  }

  async showKept(id: string): Promise<void> {
    await this.controller.openKept(id);
    this.panel.show();
  }

  dispose(): void {
    this.controller.dispose();
  }

  #controller(services: Services): CompareController {
    const { engineOf, inspected, trusted, judgeSetting, memory, costSettings, changes, note } = services;
    const sidePanel = this.#sidePanel;
    return new CompareController({
      // The side panel is notified after judging, see below.
      engine: engineOf('compare', 'side panel'),
      workspace: inspected,
      trusted,
      judgeSetting,
      memory,
      costSettings,
      shownCorpus: () => sidePanel.corpus,
      actions: {
        post: (message) => this.panel.post(message),
        confirmFigures,
        judged: () => sidePanel.labelsChanged(),
        comparedAgain: (before, after) => changes.comparedAgain(before, after),
        inspect: (corpus, query, pipeline) => sidePanel.inspect(corpus, query, pipeline),
        applyRemedy,
        indexed: (corpus) => sidePanel.indexed(corpus),
        save: saveAs,
        log: note,
      },
    });
  }
}
