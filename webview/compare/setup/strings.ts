/** The texts about data sets, pipelines and earlier comparisons. */
import * as l10n from '@vscode/l10n';
import type { CompareState, KeptComparison } from '../../../src/features/compare/contract/panel.ts';
import { counted } from '../../../src/core/counted.ts';
import { listed } from '../../components/language.ts';
import { moment, words, number } from '../../components/words.ts';
import { facts } from '../strings.ts';
import { chosenQueries, type ChosenSet } from './chosen-sets.ts';

function queryCount(n: number): string {
  return counted(l10n.t('{0} [0:question|questions]'), n);
}

function dataSetCount(n: number): string {
  return counted(l10n.t('{0} data [0:set|sets]'), n);
}

/** Announces what running the comparison will do. */
function ready(pipelines: number, queries: number, sets: number): string {
  const sentence =
    sets > 1
      ? counted(
          l10n.t(
            '{0} [0:pipeline|pipelines] will answer the same {1} [1:question|questions] of {2} data [2:set|sets].',
          ),
          pipelines,
          queries,
          sets,
        )
      : counted(
          l10n.t('{0} [0:pipeline|pipelines] will answer the same {1} [1:question|questions].'),
          pipelines,
          queries,
        );
  return `${sentence} ${l10n.t('The others are compared with the first, the baseline.')}`;
}

export const setupWords = {
  noEvalSetTitle: () => l10n.t('No eval set yet'),
  noEvalSet: () =>
    l10n.t(
      'An eval set is a file of questions, each with the perspectives that a complete answer must cover. Every pipeline gets the same questions, so differences are due to the pipelines.',
    ),
  addEvalSet: () =>
    l10n.t(
      'Write one question a line into a JSONL file, and name the file under “evalSets” in parallax.json:',
    ),
  evalSetExample: () => l10n.t('Example of an eval set'),
  configExample: () => l10n.t('Example of parallax.json'),
  tooFewTitle: () => l10n.t('There is only one pipeline'),
  noPipelineTitle: () => l10n.t('There are no pipelines'),
  tooFew: () =>
    l10n.t(
      'A comparison needs at least two. A pipeline is a retriever with optional steps; name yours in parallax.json:',
    ),
  indexing: words.readsOnce,
  readyTitle: () => l10n.t('Ready to compare'),
  notReadyTitle: () => l10n.t('Before the first comparison'),
  ready,
  notReady: (pipelines: number, sets: number) => {
    if (sets === 0) return l10n.t('Choose a data set: an eval set, and the corpus that it is asked of.');
    return pipelines === 0
      ? l10n.t('Choose the pipelines to compare.')
      : l10n.t('Index the corpus of every chosen data set first.');
  },
  setup: () => l10n.t('What is compared'),
  evalSet: () => l10n.t('Eval set'),
  dataSets: () => l10n.t('Data sets'),
  chosenSets: ({ chosenSets, evalSets }: Pick<CompareState, 'chosenSets' | 'evalSets'>) => {
    const [first, ...more] = chosenSets;
    if (!first) return l10n.t('Choose…');
    const queries = queryCount(chosenQueries({ chosenSets, evalSets }));
    return more.length === 0
      ? l10n.t`${first.evalSet} on ${first.corpus} (${queries})`
      : `${dataSetCount(chosenSets.length)} (${queries})`;
  },
  setsHelp: () => l10n.t('A data set is an eval set and the corpus that its questions are asked of.'),
  setsCaption: () => l10n.t('Eval sets and corpora to compare on.'),
  setChoice: ({ evalSet, corpus }: ChosenSet) => l10n.t`${evalSet} on ${corpus}`,
  queryCount,
  notIndexed: () => l10n.t('not indexed'),
  missingIndex: (corpora: readonly string[]) => l10n.t`Chosen, but not indexed yet: ${listed(corpora)}.`,
  index: words.index,
  earlier: (n: number) => l10n.t`Earlier (${number.format(n)})`,
  shown: () => l10n.t('shown'),
  moment: (at: string) => moment.format(new Date(at)),
  keptSummary: ({ datasets, queries, k }: KeptComparison) =>
    facts([
      datasets.length > 2 ? dataSetCount(datasets.length) : listed(datasets),
      queryCount(queries),
      `k = ${k}`,
    ]),
  forget: ({ at }: KeptComparison) => l10n.t`Forget the comparison of ${moment.format(new Date(at))}`,
  showableHelp: () =>
    l10n.t(
      'A smaller difference may be chance, whatever the pipelines retrieve. How many more questions are needed depends on how often the pipelines differ: one question in five is assumed. “Check the Eval Sets” under “Analyse…” has details.',
    ),
  baseline: () => l10n.t('Baseline'),
  k: () => 'k',
  run: () => l10n.t({ message: 'Run', comment: 'A button: a verb' }),
  pipelines: () => l10n.t('Pipelines'),
  pipelinesHelp: () =>
    l10n.t('Click to choose. Drag, or Alt+← and Alt+→, changes the order; the first is the baseline.'),
  chosenOf: (chosen: number, all: number) => l10n.t`${chosen} of ${all} chosen`,
  moved: (name: string, place: number) => l10n.t`${name} is now number ${place}.`,
};
