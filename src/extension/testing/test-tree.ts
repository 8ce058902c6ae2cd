/** Eval sets as tests: an item for each set, and within it one for each query, at its line. */
import * as vscode from 'vscode';
import { queryLines } from '../../core/formats/query-lines.ts';
import type { EvalQuery } from '../../shared/eval-query.ts';

/** A query, or all of an eval set. */
export interface Chosen {
  readonly set: vscode.TestItem;
  /** The set itself is to be told what came of it. */
  readonly whole: boolean;
  readonly queries: readonly vscode.TestItem[];
}

export class TestTree {
  readonly #controller: vscode.TestController;
  readonly #folder: () => vscode.Uri | undefined;
  readonly #queries: () => readonly EvalQuery[];

  constructor(
    controller: vscode.TestController,
    folder: () => vscode.Uri | undefined,
    queries: () => readonly EvalQuery[],
  ) {
    this.#controller = controller;
    this.#folder = folder;
    this.#queries = queries;
  }

  get sets(): vscode.TestItem[] {
    return [...this.#controller.items].map(([, item]) => item);
  }

  /** The items of the eval sets as they are now; those that stay keep their results. */
  async updateSets(): Promise<void> {
    const folder = this.#folder();
    const names = new Set(folder ? this.#queries().map(({ evalSet }) => evalSet) : []);
    for (const { id } of this.sets) if (!names.has(id)) this.#controller.items.delete(id);
    for (const name of names) {
      if (this.#controller.items.get(name)) continue;
      const item = this.#controller.createTestItem(name, name, vscode.Uri.joinPath(folder!, name));
      item.canResolveChildren = true;
      this.#controller.items.add(item);
    }
    for (const item of this.sets) if (item.children.size > 0) await this.updateQueries(item);
  }

  /** The items of a set's queries, each with its line, so that it can be run beside it. */
  async updateQueries(set: vscode.TestItem): Promise<void> {
    const queries = this.queriesOf(set);
    const document = await vscode.workspace.openTextDocument(set.uri!);
    const lines = queryLines(document.getText());
    set.children.replace(
      queries.map((query) => {
        const item =
          set.children.get(query.id) ?? this.#controller.createTestItem(query.id, query.text, set.uri);
        const line = lines.get(query.id);
        item.label = query.text;
        item.description = query.id;
        item.tags = (query.tags ?? []).map((tag) => new vscode.TestTag(tag));
        item.range =
          line === undefined || line > document.lineCount ? undefined : document.lineAt(line - 1).range;
        return item;
      }),
    );
  }

  /** Queries without perspectives have nothing to cover, and are no tests. */
  queriesOf(set: vscode.TestItem): EvalQuery[] {
    return this.#queries().filter(
      ({ evalSet, perspectives }) => evalSet === set.id && perspectives.length > 0,
    );
  }

  queryOf(item: vscode.TestItem): EvalQuery | undefined {
    return item.parent && this.queriesOf(item.parent).find(({ id }) => id === item.id);
  }

  /** What a request is about; everything where it names nothing. */
  async chosen({ include, exclude }: vscode.TestRunRequest): Promise<Chosen[]> {
    await this.updateSets();
    const asked = include ?? this.sets;
    const isExcluded = (item: vscode.TestItem): boolean => exclude?.includes(item) ?? false;
    const all = new Set(asked.map((item) => item.parent ?? item));
    const chosen: Chosen[] = [];
    for (const set of all) {
      if (isExcluded(set)) continue;
      if (set.children.size === 0) await this.updateQueries(set);
      const whole = asked.includes(set);
      const children = [...set.children].map(([, child]) => child);
      const queries = children.filter((item) => (whole || asked.includes(item)) && !isExcluded(item));
      chosen.push({ set, whole, queries });
    }
    return chosen;
  }
}
