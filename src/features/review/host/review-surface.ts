/**
 * Registers the Review view and the scheme of its documents at activation. Both are empty until the loaded extension
 * fills them.
 */
import * as vscode from 'vscode';
import { REVIEW_SCHEME, VIEWS } from '../../../shared/manifest/contributions.ts';
import type { ReviewNode } from './review-groups.ts';

export interface ReviewContent {
  children(node: ReviewNode | undefined): readonly ReviewNode[] | Promise<readonly ReviewNode[]>;
  parent(node: ReviewNode): ReviewNode | undefined;
  item(node: ReviewNode): vscode.TreeItem;
  text(uri: vscode.Uri): string | Promise<string>;
}

export class ReviewSurface implements vscode.Disposable {
  readonly tree: vscode.TreeView<ReviewNode>;
  readonly #treeChanged = new vscode.EventEmitter<undefined>();
  readonly #textChanged = new vscode.EventEmitter<vscode.Uri>();
  readonly #documents: vscode.Disposable;

  constructor(content: () => Promise<ReviewContent>) {
    this.tree = vscode.window.createTreeView(VIEWS.review, {
      showCollapseAll: true,
      treeDataProvider: {
        onDidChangeTreeData: this.#treeChanged.event,
        getChildren: async (node?: ReviewNode) => [...(await (await content()).children(node))],
        getTreeItem: async (node) => (await content()).item(node),
        getParent: async (node) => (await content()).parent(node),
      },
    });
    this.#documents = vscode.workspace.registerTextDocumentContentProvider(REVIEW_SCHEME, {
      onDidChange: this.#textChanged.event,
      provideTextDocumentContent: async (uri) => (await content()).text(uri),
    });
  }

  refreshTree(): void {
    this.#treeChanged.fire(undefined);
  }

  refreshText(uri: vscode.Uri): void {
    this.#textChanged.fire(uri);
  }

  dispose(): void {
    this.tree.dispose();
    this.#documents.dispose();
    this.#treeChanged.dispose();
    this.#textChanged.dispose();
  }
}
