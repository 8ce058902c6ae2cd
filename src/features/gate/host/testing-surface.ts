/** Registers an empty test tree and its run profiles at activation. The loaded extension fills the tree. */
import * as vscode from 'vscode';
import { TEST_CONTROLLER } from '../../../shared/manifest/contributions.ts';

export interface RunOptions {
  /** Whether a judge model may be asked. */
  readonly ask: boolean;
}

export interface TestingContent {
  /** @param item `undefined` for the whole tree */
  resolve(item: vscode.TestItem | undefined): Promise<void>;
  refresh(): Promise<void>;
  run(request: vscode.TestRunRequest, token: vscode.CancellationToken, options: RunOptions): Promise<void>;
  /** Runs whenever the inputs of the results change, until the token is cancelled. */
  runContinuously(request: vscode.TestRunRequest, token: vscode.CancellationToken): void;
}

export class TestingSurface implements vscode.Disposable {
  readonly controller = vscode.tests.createTestController(TEST_CONTROLLER, 'Parallax');
  readonly profile: vscode.TestRunProfile;

  constructor(content: () => Promise<TestingContent>) {
    const { controller } = this;
    const { Run } = vscode.TestRunProfileKind;
    controller.resolveHandler = async (item) => (await content()).resolve(item);
    controller.refreshHandler = async () => (await content()).refresh();
    this.profile = controller.createRunProfile(
      vscode.l10n.t('Evaluate'),
      Run,
      async (request, token) => {
        const testing = await content();
        if (request.continuous) testing.runContinuously(request, token);
        else await testing.run(request, token, { ask: false });
      },
      true,
      undefined,
      true,
    );
    controller.createRunProfile(
      vscode.l10n.t('Evaluate, Asking the Judge'),
      Run,
      async (request, token) => (await content()).run(request, token, { ask: true }),
      false,
    );
  }

  dispose(): void {
    this.controller.dispose();
  }
}
