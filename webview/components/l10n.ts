/** The first import of every panel's script: from here on texts are in the language of the page. */
import * as l10n from '@vscode/l10n';
import { TEXTS_ID } from '../../src/shared/translations.ts';

const contents = document.getElementById(TEXTS_ID)?.textContent;
if (contents) l10n.config({ contents });
