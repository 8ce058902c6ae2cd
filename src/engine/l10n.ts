/**
 * The first import of the engine's processes and threads: from here on, their texts are in the editor's language. The
 * command line does not import it and passes no file on, so its output and reports stay English.
 */
import * as l10n from '@vscode/l10n';
import { messageOf } from '../core/errors.ts';
import { TEXTS_FILE } from '../shared/translations.ts';

const file = process.env[TEXTS_FILE];
if (file !== undefined) speak(file);

function speak(fsPath: string): void {
  try {
    l10n.config({ fsPath });
  } catch (error) {
    // No reason to stop. The editor writes this into its log.
    console.warn(`The engine speaks English, for ${fsPath} cannot be read: ${messageOf(error)}`);
  }
}
