/** Texts and formats that all panels share. Functions, because the language is set after the modules are loaded. */
import * as l10n from '@vscode/l10n';
import type { JudgedBy } from '../../src/core/model.ts';
import { untrustedText } from '../../src/shared/untrusted.ts';
import { sourceCounts, circularText } from '../../src/core/facts.ts';
import { LANGUAGE } from './language.ts';

export const number = new Intl.NumberFormat(LANGUAGE);
export const percent = new Intl.NumberFormat(LANGUAGE, { style: 'percent', maximumFractionDigits: 1 });

/** With a 24-hour clock, because charts have no room for another. */
export const moment = new Intl.DateTimeFormat(LANGUAGE, {
  dateStyle: 'medium',
  timeStyle: 'short',
  hourCycle: 'h23',
});

export const words = {
  circular: () => l10n.t('circular'),
  circularHint: circularText,
  starting: () => l10n.t('Starting Parallax…'),
  outdated: () =>
    l10n.t(
      'The panel and the extension do not fit together, probably after an update. Close this view and open it again, or reload the window.',
    ),
  dismiss: () => l10n.t('Dismiss'),
  cancel: (title: string) => l10n.t`Cancel: ${title}`,
  tasks: () => l10n.t('Work in progress'),
  none: () => '–',
  untrustedTitle: () => l10n.t('This folder is not trusted'),
  untrusted: untrustedText,
  configProblem: () =>
    l10n.t('parallax.json has an error. Until it is fixed, nothing is indexed or evaluated.'),
  notIndexedTitle: (name: string) => l10n.t`“${name}” is not indexed yet`,
  readsOnce: () => l10n.t('Parallax reads the documents of this corpus once, and later only what changed.'),
  staysHere: () => l10n.t('The index is kept on this machine; indexing sends nothing anywhere.'),
  index: (name: string) => l10n.t`Index ${name}`,
  judge: () => l10n.t('Judge'),
  howSure: () => l10n.t('How sure must it be?'),
  heuristicHint: () => l10n.t('A heuristic compares words; it cannot tell support from opposition well.'),
  restsOn: (sources: readonly JudgedBy[]) => l10n.t`Judgements: ${sourceCounts(sources)}`,
  legend: () => l10n.t('Legend'),
  definitions: () => l10n.t('What the figures mean'),
};
