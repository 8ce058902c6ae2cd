/** Registers the view of captured retrievals at activation; the loaded extension provides its content. */
import * as vscode from 'vscode';
import { VIEWS } from '../../../shared/manifest/contributions.ts';
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
        // Nothing can have been captured before the extension is loaded, so opening the view does not load it.
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
