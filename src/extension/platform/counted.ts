/** Counts with their nouns, for sentences that contain more than one. Pure. */
import * as l10n from '@vscode/l10n';

export const questions = (count: number): string =>
  count === 1 ? l10n.t('1 question') : l10n.t`${count} questions`;

export const queries = (count: number): string =>
  count === 1 ? l10n.t('1 query') : l10n.t`${count} queries`;

export const perspectives = (count: number): string =>
  count === 1 ? l10n.t('1 perspective') : l10n.t`${count} perspectives`;

export const passages = (count: number): string =>
  count === 1 ? l10n.t('1 passage') : l10n.t`${count} passages`;

export const pairs = (count: number): string => (count === 1 ? l10n.t('1 pair') : l10n.t`${count} pairs`);

export const drafts = (count: number): string => (count === 1 ? l10n.t('1 draft') : l10n.t`${count} drafts`);

export const requests = (count: number): string =>
  count === 1 ? l10n.t('1 request') : l10n.t`${count} requests`;

export const pages = (count: number): string => (count === 1 ? l10n.t('1 page') : l10n.t`${count} pages`);

export const spans = (count: number): string => (count === 1 ? l10n.t('1 span') : l10n.t`${count} spans`);
