/** The texts of all charts. */
import * as l10n from '@vscode/l10n';
import { LANGUAGE } from '../components/language.ts';

/** At most four decimals, without trailing zeros. */
const figure = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 4 });

export const strings = {
  asTable: () => l10n.t('Figures as a table'),
  saveChart: () => l10n.t('Save the chart'),
  notDrawn: () => l10n.t('The chart could not be drawn.'),
  figure: (value: number) => figure.format(value),
  unknown: () => l10n.t('nothing judged'),
  rank: (rank: number) => l10n.t('rank {0}', rank),
  rankAxis: () => l10n.t('Rank'),
  belowDepth: (depth: number) => l10n.t('not among the first {0}', depth),
};
