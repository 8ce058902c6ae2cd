import * as vscode from 'vscode';
import type { Services } from '../../../extension/services/services.ts';
import { ValidationController } from './validation-controller.ts';
import {
  chooseCorpus,
  chooseJudges,
  chooseLabels,
  confirmValidation,
  offerJson,
} from './validation-dialogs.ts';
import { withProgress } from '../../../extension/tasks/with-progress.ts';

/** Creates the validation of judges with the dialogs of the editor. */
export function createValidation(services: Services): ValidationController {
  const { engine, inspected, trusted, judgeSetting, costSettings, reports } = services;
  return new ValidationController({
    engine,
    workspace: inspected,
    trusted,
    judgeSetting,
    costSettings,
    actions: {
      chooseJudges,
      chooseLabels,
      chooseCorpus,
      confirm: confirmValidation,
      progress: withProgress,
      show: async (text, report) => {
        await reports.show(vscode.l10n.t('Validation'), text);
        void offerJson(report);
      },
    },
  });
}
