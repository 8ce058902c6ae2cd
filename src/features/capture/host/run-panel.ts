import * as vscode from 'vscode';
import { fromRunSchema, type FromRun, type ToRun } from '../contract/panel.ts';
import { VIEWS } from '../../../shared/manifest/contributions.ts';
import { EditorPanel } from '../../../extension/platform/editor-panel.ts';
import { applyRemedy } from '../../../extension/platform/remedies.ts';
import type { Services } from '../../../extension/services/services.ts';
import { RunController, type RunOptions } from './run-controller.ts';

export type RunPanel = EditorPanel<FromRun, ToRun>;

/** The picture of a run of several searches, in an editor tab. */
export class RunView implements vscode.Disposable {
  readonly panel: RunPanel;
  readonly #controller: RunController;

  constructor(
    {
      context,
      log,
      ready,
      engineOf,
      note,
    }: Pick<Services, 'context' | 'log' | 'ready' | 'engineOf' | 'note'>,
    options: Pick<RunOptions, 'terms' | 'pipelines'> & Pick<RunOptions['actions'], 'open' | 'inspect'>,
  ) {
    const { terms, pipelines, open, inspect } = options;
    this.#controller = new RunController({
      engine: engineOf('capture'),
      terms,
      pipelines,
      actions: {
        publish: (state) => this.panel.post({ type: 'state', state }),
        open,
        inspect,
        applyRemedy,
        log: note,
      },
    });
    this.panel = new EditorPanel<FromRun, ToRun>(context.extensionUri, {
      viewType: VIEWS.run,
      title: vscode.l10n.t('What the Run Covered'),
      bundle: 'capture',
      messages: fromRunSchema,
      onMessage: (message) => void ready.then(() => this.#controller.handle(message)),
      onInvalidMessage: (problem) =>
        log.error(`The panel of a run sent a message of the wrong shape: ${problem}`),
      onVisible: () => void this.#controller.refresh(),
    });
    context.subscriptions.push(this, this.panel);
  }

  async show(run: string): Promise<void> {
    this.panel.show();
    await this.#controller.show(run);
  }

  /** More was captured or judged. */
  changed(): void {
    if (this.panel.isVisible) void this.#controller.refresh();
  }

  dispose(): void {
    this.#controller.dispose();
  }
}
