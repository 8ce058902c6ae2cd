/** The texts of the list of all passages. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../src/core/counted.ts';
import type { Decision } from '../../../src/features/explain/core/decision.ts';
import type { RankedPassage } from '../../../src/features/explain/core/ranked.ts';
import { number } from '../../components/words.ts';

const decisions: Readonly<Record<Decision, () => string>> = {
  retrieved: () => l10n.t('Returned'),
  'duplicate-above': () => l10n.t('Repeats one above'),
  'moved-down': () => l10n.t('Moved down by a reranker'),
  'below-k': () => l10n.t('Below k'),
  'outside-candidates': () => l10n.t('Outside the candidates'),
  filtered: () => l10n.t('Filtered out by the store'),
};

export const rankingStrings = {
  summary: () => l10n.t('All passages in order'),
  list: () => l10n.t('All passages, best first'),
  words: () => l10n.t('With these words'),
  placeholder: () => l10n.t('In name, path or text'),
  decision: () => l10n.t('Decided by'),
  any: (count: number) => l10n.t`All (${number.format(count)})`,
  choice: (decision: Decision, count: number) => `${decisions[decision]()} (${number.format(count)})`,
  shown: (selected: number, total: number) =>
    selected === total
      ? l10n.t`${number.format(total)} passages`
      : counted(l10n.t('{0} of {1} [1:passage|passages]'), selected, total),
  none: () => l10n.t('No passage has these words and this decision.'),
  open: (name: string) => l10n.t`Open ${name}`,
  loading: () => '…',
  why: (name: string) => l10n.t`Why is ${name} there?`,
  /** What decides the rank of a passage, and its rank before. */
  decided: ({ decision, retrievedRank, repeats }: RankedPassage): string => {
    if (repeats !== undefined) return l10n.t`Repeats rank ${repeats}`;
    if (retrievedRank === undefined) return decisions[decision]();
    if (decision === 'moved-down') return l10n.t`Moved down from ${retrievedRank}`;
    return l10n.t`${decisions[decision]()}, from ${retrievedRank}`;
  },
};
