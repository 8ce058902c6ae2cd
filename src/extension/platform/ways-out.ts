/** The ways out of a failure, as buttons of the message that says it. Knows nothing of the editor. */
import * as l10n from '@vscode/l10n';
import type { ErrorId } from '../../core/errors.ts';
import { COMMANDS } from '../../shared/contributions.ts';

export interface WayOut {
  /** Of a button. */
  readonly title: string;
  readonly command: string;
}

/** Empty where the sentence says all that there is to do. The likeliest is the first. */
export function waysOut(id: ErrorId): readonly WayOut[] {
  return WAYS_OUT[id]?.() ?? [];
}

const openConfig = (): WayOut => ({ title: l10n.t('Open parallax.json'), command: COMMANDS.openConfig });
const showLog = (): WayOut => ({ title: l10n.t('Show Log'), command: COMMANDS.showLog });

const WAYS_OUT: Partial<Record<ErrorId, () => readonly WayOut[]>> = {
  'bad-config': () => [openConfig()],
  'no-eval-set': () => [{ title: l10n.t('Build Eval Set…'), command: COMMANDS.buildEvalSet }, openConfig()],
  'model-key': () => [{ title: l10n.t('Set API Key'), command: COMMANDS.setApiKey }],
  untrusted: () => [{ title: l10n.t('Manage Workspace Trust'), command: 'workbench.trust.manage' }],
  'engine-stopped': () => [showLog()],
  internal: () => [showLog()],
};
