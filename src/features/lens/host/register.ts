/**
 * Registers the inline figures at activation: cheap providers that search the text for the name of a known library. The
 * search terms are loaded with the first program, the rest with the first program that contains such a name.
 */
import * as vscode from 'vscode';
import { readText } from '../../../extension/platform/read-text.ts';
import type { Inline } from './inline.ts';
import { INLINE_LANGUAGES } from './languages.ts';

const CONFIG_FILE = 'parallax.json';

/** Files and notebook cells, which have different schemes. */
const SELECTOR: vscode.DocumentSelector = INLINE_LANGUAGES.map((language) => ({ language }));

/** @param load loads the extension, for the first document that may retrieve */
export function registerInline(load: () => Promise<Inline>): vscode.Disposable {
  const lenses = new vscode.EventEmitter<void>();
  const hints = new vscode.EventEmitter<void>();
  const configuredRules = new ConfiguredRules();
  let loading: Promise<Inline> | undefined;
  const loaded = (): Promise<Inline> =>
    (loading ??= load().then((inline) => {
      inline.onDidChange(() => {
        lenses.fire();
        hints.fire();
      });
      return inline;
    }));
  const inlineFor = async (document: vscode.TextDocument): Promise<Inline | undefined> =>
    loading || (await mayRetrieve(document)) || (await configuredRules.exist()) ? loaded() : undefined;
  const check = async (document: vscode.TextDocument): Promise<void> => {
    if (vscode.languages.match(SELECTOR, document) === 0) return;
    await (await inlineFor(document))?.diagnostics.update(document);
  };
  for (const { document } of vscode.window.visibleTextEditors) void check(document);
  return vscode.Disposable.from(
    lenses,
    hints,
    configuredRules,
    vscode.window.onDidChangeActiveTextEditor((editor) => editor && void check(editor.document)),
    vscode.languages.registerCodeLensProvider(SELECTOR, {
      onDidChangeCodeLenses: lenses.event,
      provideCodeLenses: async (document) =>
        (await inlineFor(document))?.surfaces.provideCodeLenses(document),
    }),
    vscode.languages.registerInlayHintsProvider(SELECTOR, {
      onDidChangeInlayHints: hints.event,
      provideInlayHints: async (document, range) =>
        (await inlineFor(document))?.surfaces.provideInlayHints(document, range),
    }),
    vscode.languages.registerHoverProvider(SELECTOR, {
      provideHover: async (document, position) =>
        (await inlineFor(document))?.surfaces.provideHover(document, position),
    }),
    vscode.languages.registerCodeActionsProvider(
      SELECTOR,
      {
        provideCodeActions: async (document, range, context) => {
          const inline = loading && (await loading);
          if (!inline) return undefined;
          const fixes = await inline.diagnostics.provideCodeActions(document, range, context);
          const action = await inline.ownCallAction(document, range);
          return action ? [...fixes, action] : fixes;
        },
      },
      {
        providedCodeActionKinds: [vscode.CodeActionKind.QuickFix, vscode.CodeActionKind.RefactorRewrite],
      },
    ),
  );
}

async function mayRetrieve(document: vscode.TextDocument): Promise<boolean> {
  const look = await import('./known-imports.ts');
  return look.mayRetrieve(programText(document));
}

/** The text of all cells of a notebook, because a cell may use the imports of another. */
function programText(document: vscode.TextDocument): string {
  const notebook = vscode.workspace.notebookDocuments.find((candidate) =>
    candidate.getCells().some((cell) => cell.document === document),
  );
  const cells = notebook?.getCells().map((cell) => cell.document.getText());
  return cells?.join('\n') ?? document.getText();
}

/**
 * Whether the workspace defines its own calls, which any file may contain. Read once, and again after the file is
 * saved.
 */
class ConfiguredRules implements vscode.Disposable {
  readonly #saved = vscode.workspace.onDidSaveTextDocument(({ fileName }) => {
    if (fileName.endsWith(CONFIG_FILE)) this.#known = undefined;
  });
  #known: Promise<boolean> | undefined;

  exist(): Promise<boolean> {
    return (this.#known ??= this.#read());
  }

  dispose(): void {
    this.#saved.dispose();
  }

  async #read(): Promise<boolean> {
    const texts = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) =>
      readText(vscode.Uri.joinPath(uri, CONFIG_FILE)),
    );
    const read = await Promise.allSettled(texts);
    return read.some(
      (result) => result.status === 'fulfilled' && /"(?:callSites|sites)"/u.test(result.value),
    );
  }
}
