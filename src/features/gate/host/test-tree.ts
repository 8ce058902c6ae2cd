/**
 * Eval sets as tests: an item for each set, with an item for each query at its line. An unusable query file also has an
 * item, which shows the reason.
 */
import * as vscode from 'vscode';
import { queryLines } from '../../../core/formats/queries.ts';
import { escapeMarkdown } from '../../../core/reports/escape.ts';
import { CONFIG_FILE } from '../../../shared/config.ts';
import { COMMANDS } from '../../../shared/manifest/contributions.ts';
import type { EvalQuery } from '../../../shared/eval-query.ts';
import type { UnusableFile, WorkspaceSnapshot } from '../../../extension/workspace/workspace-folder.ts';
import { commandLink } from '../../../extension/platform/command-link.ts';

/** Selected queries, or all of an eval set. */
export interface Chosen {
  readonly set: vscode.TestItem;
  /** Whether the set itself gets a result. */
  readonly whole: boolean;
  readonly queries: readonly vscode.TestItem[];
}

type TestedWorkspace = Pick<WorkspaceSnapshot, 'folder' | 'evalQueries' | 'unusable'>;

export class TestTree {
  readonly #controller: vscode.TestController;
  readonly #workspace: () => TestedWorkspace;

  /** By item, the latest result, which is shown after the item's name. */
  readonly #described = new Map<string, string>();

  constructor(controller: vscode.TestController, workspace: () => TestedWorkspace) {
    this.#controller = controller;
    this.#workspace = workspace;
  }

  /** Eval sets and unusable files. */
  get files(): vscode.TestItem[] {
    return [...this.#controller.items].map(([, item]) => item);
  }

  get sets(): vscode.TestItem[] {
    return this.files.filter(({ error }) => error === undefined);
  }

  /** Updates the items of the eval sets; remaining items keep their results. */
  async updateSets(): Promise<void> {
    const { folder, evalQueries, unusable } = this.#workspace();
    const names = new Set(evalQueries.map(({ evalSet }) => evalSet));
    const problems = new Map(unusable.map((each) => [each.file, problemText(each)]));
    const files = folder ? [...names, ...problems.keys()] : [];
    for (const { id } of this.files) if (!files.includes(id)) this.#controller.items.delete(id);
    for (const file of files) {
      const item = this.#controller.items.get(file) ?? this.#fileItem(file, folder!);
      item.error = problems.get(file);
      item.canResolveChildren = item.error === undefined;
      if (item.error !== undefined) item.children.replace([]);
    }
    for (const item of this.sets) if (item.children.size > 0) await this.updateQueries(item);
  }

  #fileItem(file: string, folder: vscode.Uri): vscode.TestItem {
    const item = this.#controller.createTestItem(file, file, vscode.Uri.joinPath(folder, file));
    this.#controller.items.add(item);
    return item;
  }

  /** Updates the items of a set's queries with their lines, so that each can be run beside its line. */
  async updateQueries(set: vscode.TestItem): Promise<void> {
    const document = await vscode.workspace.openTextDocument(set.uri!);
    // Read after the document has opened, because the workspace may have been read again since.
    const queries = this.queriesOf(set);
    const lines = queryLines(document.getText());
    set.children.replace(
      queries.map((query) => {
        const item =
          set.children.get(query.id) ?? this.#controller.createTestItem(query.id, query.text, set.uri);
        const line = lines.get(query.id);
        item.label = query.text;
        item.description = this.#described.get(keyOf(set, query.id)) ?? query.id;
        item.tags = (query.tags ?? []).map((tag) => new vscode.TestTag(tag));
        item.range =
          line === undefined || line > document.lineCount ? undefined : document.lineAt(line - 1).range;
        return item;
      }),
    );
  }

  /** Shows a result after the name of an item. */
  describe(item: vscode.TestItem, text: string): void {
    if (item.parent) this.#described.set(keyOf(item.parent, item.id), text);
    item.description = text;
  }

  /** Queries without perspectives have nothing to cover, so they are no tests. */
  queriesOf(set: vscode.TestItem): EvalQuery[] {
    return this.#workspace().evalQueries.filter(
      ({ evalSet, perspectives }) => evalSet === set.id && perspectives.length > 0,
    );
  }

  queryOf(item: vscode.TestItem): EvalQuery | undefined {
    return item.parent && this.queriesOf(item.parent).find(({ id }) => id === item.id);
  }

  /** The eval sets and queries of a request. Defaults to all, including unusable files. */
  async chosen({ include, exclude }: vscode.TestRunRequest): Promise<Chosen[]> {
    await this.updateSets();
    const items = include ?? this.files;
    const isExcluded = (item: vscode.TestItem): boolean => exclude?.includes(item) ?? false;
    const all = new Set(items.map((item) => item.parent ?? item));
    const chosen: Chosen[] = [];
    for (const set of all) {
      if (isExcluded(set)) continue;
      if (set.children.size === 0 && set.error === undefined) await this.updateQueries(set);
      const whole = items.includes(set);
      const children = [...set.children].map(([, child]) => child);
      const queries = children.filter((item) => (whole || items.includes(item)) && !isExcluded(item));
      chosen.push({ set, whole, queries });
    }
    return chosen;
  }
}

/** Ids of queries are unique only within their set. */
function keyOf(set: vscode.TestItem, query: string): string {
  return `${set.id}#${query}`;
}

/**
 * The view shows the text below the item on one line and truncates it, so the whole text is the link. Foreign text is
 * shown verbatim; only our own command can run.
 */
function problemText({ file, problem }: UnusableFile): string | vscode.MarkdownString {
  if (file !== CONFIG_FILE) return problem;
  const hint = vscode.l10n.t('Open parallax.json');
  const text = new vscode.MarkdownString(
    `[${escapeMarkdown(problem)}](${commandLink(COMMANDS.openConfig)} "${hint}")`,
  );
  text.isTrusted = { enabledCommands: [COMMANDS.openConfig] };
  return text;
}
