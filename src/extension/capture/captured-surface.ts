/** The view of captured retrievals as the editor has to know it from the start; its content comes once it is loaded. */
import * as vscode from 'vscode';
import { VIEWS } from '../../shared/manifest/contributions.ts';
import type { CapturedTreeNode } from './captured-tree.ts';

export interface CapturedContent {
  children(node: CapturedTreeNode | undefined): readonly CapturedTreeNode[];
  item(node: CapturedTreeNode): vscode.TreeItem;
}

export class CapturedSurface implements vscode.Disposable {
  readonly tree: vscode.TreeView<CapturedTreeNode>;
  readonly #changed = new vscode.EventEmitter<undefined>();
  #content: CapturedContent | undefined;

  constructor() {
    this.tree = vscode.window.createTreeView(VIEWS.captured, {
      showCollapseAll: true,
      treeDataProvider: {
        onDidChangeTreeData: this.#changed.event,
        // Before the extension is loaded nothing can have been captured: looking at the view loads nothing.
        getChildren: (node?: CapturedTreeNode) => [...(this.#content?.children(node) ?? [])],
        getTreeItem: (node) => this.#content?.item(node) ?? new vscode.TreeItem(''),
      },
    });
  }

  show(content: CapturedContent): void {
    this.#content = content;
    this.#changed.fire(undefined);
  }

  dispose(): void {
    this.tree.dispose();
    this.#changed.dispose();
  }
}
