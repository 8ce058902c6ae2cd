/** The texts of the review. Functions, because the language is set after the modules are loaded. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../src/core/counted.ts';
import type { DecidedVerdict, Verdict } from '../../src/core/model.ts';
import { VERDICT_KEYS } from '../components/verdict-keys.ts';

/** The same in every language, because the buttons show them. */
export const KEYS = { ...VERDICT_KEYS, skip: 'S', undo: 'Z' } as const;

export const strings = {
  title: () => l10n.t('Review'),
  asked: () => l10n.t('Does the passage support this perspective?'),
  question: (text: string) => l10n.t`Question: ${text}`,
  verdict: (verdict: Verdict) =>
    ({ yes: l10n.t('Yes'), no: l10n.t('No'), unsure: l10n.t('Unsure') })[verdict],
  skip: () => l10n.t('Skip'),
  undo: () => l10n.t('Undo'),
  note: () => l10n.t('Add a note…'),
  yourNote: (note: string) => l10n.t`Your note: ${note}`,
  open: () => l10n.t('Open the document'),
  left: (pairs: number) => counted(l10n.t('{0} [0:pair|pairs] left'), pairs),
  legend: (side: DecidedVerdict) => (side === 'yes' ? l10n.t('quoted for yes') : l10n.t('quoted for no')),
  people: () => l10n.t('What people say'),
  noArgument: () => l10n.t('no argument given'),
  nothing: () => l10n.t('Nothing is left to review'),
  answered: (n: number) => counted(l10n.t('{0} [0:answer|answers] given. Z undoes the last one.'), n),
  waiting: (n: number) => counted(l10n.t('{0} [0:pair waits|pairs wait] for other people.'), n),
  begin: () => l10n.t('Review Next Pair'),
  news: (left: number, perspective: string | undefined) =>
    perspective === undefined ? strings.nothing() : l10n.t`${strings.left(left)}. ${perspective}`,
};
