/** Texts and formats that all panels share. Functions, because the language is set after the modules are loaded. */
import * as l10n from '@vscode/l10n';
import type { JudgedBy } from '../../src/core/model.ts';
import { untrustedText } from '../../src/shared/untrusted.ts';
import { counted } from '../../src/core/counted.ts';
import { LANGUAGE } from './language.ts';

export const number = new Intl.NumberFormat(LANGUAGE);
export const percent = new Intl.NumberFormat(LANGUAGE, { style: 'percent', maximumFractionDigits: 1 });

/** With a 24-hour clock, because charts have no room for another. */
export const moment = new Intl.DateTimeFormat(LANGUAGE, {
  dateStyle: 'medium',
  timeStyle: 'short',
  hourCycle: 'h23',
});

/** The number of judgements of one source. */
function sourceText({ source, judge, count }: JudgedBy): string {
  switch (source) {
    case 'human':
      return counted(l10n.t('{0} [0:label|labels] by people'), count);
    case 'imported':
      return counted(l10n.t('{0} imported [0:label|labels]'), count);
    case 'agent':
      return counted(l10n.t('{0} [0:label|labels] by {1} (agent)'), count, judge);
    case 'debate':
      return counted(l10n.t('{0} [0:verdict|verdicts] of a debate ({1})'), count, judge);
    case 'nli':
      return counted(l10n.t('{0} [0:verdict|verdicts] by {1} (NLI)'), count, judge);
    case 'lexical':
    case 'llm':
      return counted(l10n.t('{0} [0:verdict|verdicts] by {1}'), count, judge);
  }
}

export const words = {
  circular: () => l10n.t('circular'),
  circularHint: (judge: string) =>
    l10n.t`${judge} both ordered these passages and scored them, so that its errors count as gains. The figures certify nothing: score it with your labels or another judge.`,
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
  withHeuristic: (label: string) => (/heuristic/iu.test(label) ? label : l10n.t`${label} (heuristic)`),
  heuristicHint: () => l10n.t('A heuristic compares words; it cannot tell support from opposition well.'),
  sourceCount: (source: JudgedBy) => {
    if (source.source === 'lexical')
      return counted(l10n.t('{0} [0:guess|guesses] by word overlap'), source.count);
    return source.heuristic ? words.withHeuristic(sourceText(source)) : sourceText(source);
  },
  restsOn: (sources: string) => l10n.t`Based on ${sources}`,
  legend: () => l10n.t('Legend'),
  definitions: () => l10n.t('What the figures mean'),
};
