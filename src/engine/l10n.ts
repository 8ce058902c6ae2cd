/**
 * The first import of the engine's processes and threads: from here on, their texts are in the editor's language. The
 * command line does not import it and passes no file on, so its output and reports stay English.
 */
import * as l10n from '@vscode/l10n';
import { messageOf } from '../core/errors.ts';
import { setLanguage } from '../core/counted.ts';
import { TEXTS_FILE, TEXTS_LANGUAGE } from '../shared/translations.ts';

const file = process.env[TEXTS_FILE];
if (file !== undefined) speak(file);

function speak(fsPath: string): void {
  try {
    l10n.config({ fsPath });
    setLanguage(process.env[TEXTS_LANGUAGE] ?? 'en');
  } catch (error) {
    // No reason to stop. The editor writes this into its log.
    console.warn(`The engine speaks English, for ${fsPath} cannot be read: ${messageOf(error)}`);
  }
}
