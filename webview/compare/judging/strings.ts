/** The texts about judging the comparison, and about the pool. */
import * as l10n from '@vscode/l10n';
import type { JudgingView, JudgingScope } from '../../../src/features/compare/contract/panel.ts';
import type { PoolDatasetView, PoolReport } from '../../../src/shared/pool.ts';
import { counted } from '../../../src/core/counted.ts';
import { judgeName } from '../../../src/core/facts.ts';
import { clauses } from '../strings.ts';

/** The number of pairs in the top k without a verdict. */
function unjudgedPairs({ pairs, known }: NonNullable<JudgingView['counted']>): string {
  return known === pairs
    ? counted(l10n.t('All {0} [0:pair|pairs] in the top k [0:is|are] judged.'), pairs)
    : counted(l10n.t('{0} of {1} [1:pair|pairs] in the top k [0:is|are] unjudged.'), pairs - known, pairs);
}

/** The number of holes, and the share of the pool that people and the judge answered. */
function poolCounts(
  { holes, pairs, judgedBefore, judgedAfter }: PoolDatasetView,
  { judge, heuristic }: Pick<PoolReport, 'judge' | 'heuristic'>,
): string {
  const by = judgeName({ judge, heuristic });
  return clauses([
    counted(l10n.t('{0} [0:hole|holes] by {1}'), holes, by),
    counted(
      l10n.t('{0} of {1} [1:pair|pairs] [0:was|were] labelled by people, {2} [2:is|are] judged now.'),
      judgedBefore,
      pairs,
      judgedAfter,
    ),
  ]);
}

export const judgingWords = {
  unjudgedPairs,
  needlessPairs: (pairs: number) =>
    counted(l10n.t('No figure depends on the {0} [0:pair|pairs] that [0:is|are] unjudged.'), pairs),
  allUnjudged: () => l10n.t('Nothing in the top k is judged.'),
  partUnjudged: () => l10n.t('Part of the top k is unjudged.'),
  judgeScope: (scope: JudgingScope) =>
    scope === 'figures' ? l10n.t('Judge What the Figures Need…') : l10n.t('Judge Every Pair of the Top k…'),
  judgeAgain: () => l10n.t('Judge Once More…'),
  judgeMore: () => l10n.t({ message: 'More', comment: 'More ways to judge' }),
  judgeMoreHelp: () =>
    l10n.t(
      'MRecall and Precision often need only some of the pairs. Measures that look at every passage, holes and the pool need all of them.',
    ),
  judgingBlocked: (blocked: NonNullable<JudgingView['blocked']>) =>
    ({
      untrusted: l10n.t('No judge is asked before you trust this workspace.'),
      people: l10n.t(
        'Choose a judge that can be asked: people label passages in the side panel and the review queue.',
      ),
      changed: l10n.t('The compared eval set or corpus is gone, or not indexed. Compare again first.'),
    })[blocked],
  pool: () => l10n.t('Support that the labels missed'),
  poolNote: () => l10n.t('found by each further pipeline'),
  poolHelp: () =>
    l10n.t(
      'A hole is a passage in the top k that people’s labels missed and the judge finds to support a perspective. If one more pipeline finds hardly any, the figures no longer depend on which pipelines were judged.',
    ),
  poolFirst: () => l10n.t('It uses the verdicts that are there: no model is asked.'),
  measurePool: (again: boolean) => (again ? l10n.t('Measure Again') : l10n.t('Measure the Pool')),
  poolCounts,
  poolMissing: () => l10n.t('It has not been measured on this data set.'),
  poolCaption: () =>
    l10n.t('Hole@k, judged@k and measures of each pipeline before and after its holes were filled.'),
  poolFailed: () => l10n.t('could not be run'),
  holeAt: (k: number) => `Hole@${k}`,
  holeDefinition: (k: number) => l10n.t`Holes in the top k, divided by k = ${k}; averaged over questions.`,
  judgedAt: (k: number) => `Judged@${k}`,
  judgedAtDefinition: () => l10n.t('Share of the top k with a verdict, before and after the judge answered.'),
  poolMeasureDefinition: (measure: string) =>
    l10n.t`${measure} by people’s labels only, and with the judge’s answers. The rank among the pipelines is shown below.`,
  beforeAfter: (before: string, after: string) => `${before} → ${after}`,
  rankChange: (before: number | null, after: number | null) => {
    if (after === null) return l10n.t('too little is judged to rank it');
    if (before === null || before === after) return l10n.t`rank ${after}`;
    return `${l10n.t`rank ${before} → ${after}`} ${after < before ? '▲' : '▼'}`;
  },
};
