import type { Services } from '../services/services.ts';
import { ValidationController } from './validation-controller.ts';
import {
  chooseCorpus,
  chooseJudges,
  chooseLabels,
  confirmValidation,
  readLabels,
} from './validation-dialogs.ts';
import { withProgress } from '../tasks/with-progress.ts';
import type { ValidationDocuments } from './validation-documents.ts';

/** The validation of judges, with the dialogs of the editor. */
export function createValidation(services: Services, documents: ValidationDocuments): ValidationController {
  const { engine, inspected, trusted, judgeSetting, costSettings, workspace } = services;
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
      read: (source) => readLabels(source, workspace.labelsFile),
      confirm: confirmValidation,
      progress: withProgress,
      show: (text, report) => documents.show(text, report),
    },
  });
}
