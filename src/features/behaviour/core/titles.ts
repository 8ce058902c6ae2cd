/** Titles of the checks. */
import * as l10n from '@vscode/l10n';
import type { CheckName } from './checks.ts';

const TITLES: Readonly<Record<CheckName, () => string>> = {
  ids: () => l10n.t('Every passage has its own permanent id'),
  'same-again': () => l10n.t('The same question gives the same list'),
  'first-k': () => l10n.t('Asking for more leaves the first ones as they are'),
  scores: () => l10n.t('Scores fall from the first to the last'),
  'near-equal': () => l10n.t('Nearly the same question gives nearly the same list'),
  lambda: () => l10n.t('λ leads from diversity (0) to relevance (1)'),
  'mmr-candidates': () => l10n.t('MMR has more to choose from than it returns'),
  rerank: () => l10n.t('The reranker changes the order, and it stays changed'),
  filter: () => l10n.t('The filter leaves passages out'),
  'next-page': () => l10n.t('The next page continues where the first one ends'),
};

export function checkTitle(check: CheckName): string {
  return TITLES[check]();
}
