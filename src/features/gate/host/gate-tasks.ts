/** Tasks that run the gate as in CI, with the command line that ships with the extension. */
import path from 'node:path';
import * as vscode from 'vscode';
import { CONFIG_FILE } from '../../../shared/config.ts';
import { TASK_TYPE } from '../../../shared/manifest/contributions.ts';
import type { WorkspaceSnapshot } from '../../../extension/workspace/workspace-folder.ts';

interface GateTask extends vscode.TaskDefinition {
  readonly type: typeof TASK_TYPE;
  /** Path of an eval set. Defaults to all. */
  readonly evalSet?: string;
}

export class GateTasks implements vscode.TaskProvider {
  readonly #cli: string;
  readonly #snapshot: () => Promise<WorkspaceSnapshot>;

  constructor(extensionPath: string, snapshot: () => Promise<WorkspaceSnapshot>) {
    this.#cli = path.join(extensionPath, 'dist', 'cli.js');
    this.#snapshot = snapshot;
  }

  /**
   * One task for all eval sets and one for each. None without a gate in parallax.json, because it would check nothing.
   */
  async provideTasks(): Promise<vscode.Task[]> {
    const { folder, config, evalQueries } = await this.#snapshot();
    if (!folder || !config.gate) return [];
    const sets = [...new Set(evalQueries.map(({ evalSet }) => evalSet))];
    const definitions: readonly GateTask[] = [
      { type: TASK_TYPE },
      ...sets.map((evalSet): GateTask => ({ type: TASK_TYPE, evalSet })),
    ];
    return definitions.map((definition) => this.#task(definition, folder));
  }

  /** A task as tasks.json defines it, without its execution. */
  async resolveTask(task: vscode.Task): Promise<vscode.Task | undefined> {
    const { folder } = await this.#snapshot();
    return folder && this.#task(task.definition as GateTask, folder);
  }

  #task(definition: GateTask, folder: vscode.Uri): vscode.Task {
    const { evalSet } = definition;
    const chosen = evalSet === undefined ? [] : ['--dataset', evalSet];
    const execution = new vscode.ProcessExecution(
      process.execPath,
      [this.#cli, 'gate', '--config', CONFIG_FILE, ...chosen],
      // With this variable, the editor's executable runs as Node.
      { cwd: folder.fsPath, env: { ELECTRON_RUN_AS_NODE: '1' } },
    );
    const name = evalSet === undefined ? 'gate' : `gate: ${evalSet}`;
    const scope = vscode.workspace.getWorkspaceFolder(folder) ?? vscode.TaskScope.Workspace;
    const task = new vscode.Task(definition, scope, name, 'parallax', execution, []);
    task.group = vscode.TaskGroup.Test;
    return task;
  }
}
