/** The first import of every panel's script: sets the language of the page for all later texts. */
import * as l10n from '@vscode/l10n';
import { setLanguage } from '../../src/core/counted.ts';
import { TEXTS_ID } from '../../src/shared/translations.ts';
import { LANGUAGE } from './language.ts';

const contents = document.getElementById(TEXTS_ID)?.textContent;
if (contents) l10n.config({ contents });
setLanguage(LANGUAGE);
