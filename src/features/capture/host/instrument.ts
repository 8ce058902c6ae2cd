/** Offers code to instrument a program, per framework. */
import * as vscode from 'vscode';
import { recipes, recipeText, type Recipe } from '../contract/recipes.ts';
import { COMMANDS } from '../../../shared/manifest/contributions.ts';
import { withoutLinks } from '../../../core/text/without-links.ts';

interface RecipeItem extends vscode.QuickPickItem {
  readonly recipe: Recipe;
}

/** Offers the frameworks, and copies the code for the chosen one. */
export async function showRecipes(): Promise<void> {
  const items = recipes().map((recipe): RecipeItem => ({
    label: recipe.framework,
    iconPath: new vscode.ThemeIcon('copy'),
    description: recipe.install,
    detail: recipe.code.join('  '),
    recipe,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('How Do I Instrument My Program?'),
    placeHolder: vscode.l10n.t('Choose its library: the lines to paste at its beginning are copied'),
    matchOnDescription: true,
  });
  if (!chosen) return;
  await vscode.env.clipboard.writeText(recipeText(chosen.recipe));
  // The command does not await the message, which may stay open for long.
  void offerTerminal(chosen.recipe.framework);
}

async function offerTerminal(framework: string): Promise<void> {
  const terminal = vscode.l10n.t('Open Terminal');
  const answer = await vscode.window.showInformationMessage(
    withoutLinks(
      vscode.l10n.t(
        'The lines for {0} were copied. Paste them at the beginning of your program, and start it from a terminal for capturing.',
        framework,
      ),
    ),
    terminal,
  );
  if (answer === terminal) await vscode.commands.executeCommand(COMMANDS.openCaptureTerminal);
}
