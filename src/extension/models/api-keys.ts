/** API keys in the editor's secret storage, by the names that `parallax.json` uses. */
import * as vscode from 'vscode';

const PREFIX = 'parallax.key.';

export class ApiKeys {
  readonly #secrets: vscode.SecretStorage;
  readonly onDidChange: vscode.Event<unknown>;

  constructor(secrets: vscode.SecretStorage) {
    this.#secrets = secrets;
    this.onDidChange = secrets.onDidChange;
  }

  /** The stored keys among the given names. */
  async read(names: Iterable<string>): Promise<Record<string, string>> {
    const keysByName: Record<string, string> = {};
    for (const name of new Set(names)) {
      const value = await this.#secrets.get(PREFIX + name);
      if (value) keysByName[name] = value;
    }
    return keysByName;
  }

  async store(name: string, value: string): Promise<void> {
    await this.#secrets.store(PREFIX + name, value);
  }

  /**
   * Stores a value under a generated name. Does not replace the value of another workspace under the same name.
   *
   * @returns the name, with a number if the name has another value
   */
  async add(name: string, value: string): Promise<string> {
    for (let number = 1; ; number++) {
      const free = number === 1 ? name : `${name}-${number}`;
      const held = await this.#secrets.get(PREFIX + free);
      if (held === value) return free;
      if (held !== undefined) continue;
      await this.store(free, value);
      return free;
    }
  }

  /** Asks for a key; an empty one deletes it. */
  async prompt(names: readonly string[]): Promise<void> {
    const name = names.length > 1 ? await pickName(names) : (names[0] ?? 'openai');
    if (name === undefined) return;
    const value = await vscode.window.showInputBox({
      title: vscode.l10n.t('API Key "{0}"', name),
      prompt: vscode.l10n.t("Kept in the editor's secret storage. Leave empty to remove it."),
      password: true,
      ignoreFocusOut: true,
    });
    if (value === undefined) return;
    if (value.trim() === '') await this.#secrets.delete(PREFIX + name);
    else await this.#secrets.store(PREFIX + name, value.trim());
  }
}

const pickName = (names: readonly string[]): Thenable<string | undefined> =>
  vscode.window.showQuickPick([...names], { title: vscode.l10n.t('Which API key?') });
