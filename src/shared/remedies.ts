/** Remedies for failures, shared by panels, the editor's messages and test results. */
import * as l10n from '@vscode/l10n';
import type { ErrorId } from '../core/errors.ts';

/** `open-config` opens parallax.json, and creates it if it does not exist. */
export const REMEDIES = [
  'index',
  'open-config',
  'build-eval-set',
  'open-settings',
  'set-key',
  'set-up-model',
  'set-up-meaning',
  'manage-trust',
  'show-log',
] as const;
export type Remedy = (typeof REMEDIES)[number];

const REMEDIES_FOR: Readonly<Record<ErrorId, readonly Remedy[]>> = {
  'bad-argument': [],
  'bad-config': ['open-config'],
  'bad-file': [],
  'bad-pipeline': [],
  cancelled: [],
  'corpus-empty': [],
  'engine-stopped': ['show-log'],
  interrupted: [],
  internal: ['show-log'],
  'model-answer': [],
  'model-key': ['set-key'],
  'model-missing': ['set-up-model', 'open-config', 'open-settings'],
  'model-unreachable': ['show-log'],
  'native-missing': ['set-up-meaning'],
  'no-eval-set': ['build-eval-set', 'open-config'],
  'not-found': [],
  'not-indexed': ['index'],
  'retriever-failed': [],
  'store-unusable': [],
  'too-large': [],
  untrusted: ['manage-trust'],
};

/** Most likely first. Empty if the error's sentence already contains the remedy. */
export function remediesFor(id: ErrorId): readonly Remedy[] {
  return REMEDIES_FOR[id];
}

/** The label of a button. */
export function remedyTitle(remedy: Remedy): string {
  switch (remedy) {
    case 'index':
      return l10n.t('Index Now');
    case 'open-config':
      return l10n.t('Open parallax.json');
    case 'build-eval-set':
      return l10n.t('Build Eval Set…');
    case 'open-settings':
      return l10n.t('Open Settings');
    case 'set-key':
      return l10n.t('Set API Key');
    case 'set-up-meaning':
      return l10n.t('Set Up Search by Meaning…');
    case 'set-up-model':
      return l10n.t('Set Up a Model…');
    case 'manage-trust':
      return l10n.t('Manage Workspace Trust');
    case 'show-log':
      return l10n.t('Show Log');
  }
}
