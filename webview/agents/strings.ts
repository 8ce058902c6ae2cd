/** The texts of the MCP App. Functions, because the language is set after the modules are loaded. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../src/core/counted.ts';
import type { EvaluationView, MissingView } from '../../src/features/agents/contract/app-answer.ts';
import { shareText } from '../components/figures.ts';

export const strings = {
  missing: (document: string) => l10n.t`Why is ${document} not there?`,
  place: ({ pipeline, k, rank }: MissingView) =>
    rank === undefined ? l10n.t`${pipeline}, k ${k}` : l10n.t`${pipeline}, rank ${rank}, k ${k}`,
  evaluation: ({ queries, k }: EvaluationView) =>
    counted(l10n.t('{0} [0:question|questions], k {1}'), queries, k),
  pipeline: () => l10n.t('Pipeline'),
  judged: () => l10n.t('Judged'),
  share: (share: number | undefined) => (share === undefined ? '' : shareText(share)),
  bounded: (value: string, bound: string) => (bound === 'exact' ? value : l10n.t`at least ${value}`),
  lost: (pipeline: string) => l10n.t`What ${pipeline} loses`,
};
