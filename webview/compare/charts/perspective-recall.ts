/** How often the gold of each group is found when its perspective is searched for (PIR, Table 2 and Figure 2). Pure. */
import * as l10n from '@vscode/l10n';
import { lookOf } from '../../charts/chart.ts';
import type { DotsChart } from '../../charts/draw-dots.ts';
import { counted } from '../../../src/core/counted.ts';
import { listed } from '../../components/language.ts';
import { ranPipelines } from '../outcomes.ts';
import type { ShownSet } from '../shown-set.ts';
import { compareWords } from '../strings.ts';
import type { CompareChart } from './compare-chart.ts';

const words = {
  pRecall: (k: number) => `p-Recall@${k}`,
  rootRecall: (k: number) => l10n.t`Recall@${k} of the root query`,
  recallAxis: (k: number) => `Recall@${k}`,
  recallDescription: (pipelines: number, groups: readonly string[]) =>
    counted(
      l10n.t(
        'p-Recall of {0} [0:pipeline|pipelines], with the recall of the root query alone and of each group: {1}.',
      ),
      pipelines,
      listed(groups),
    ),
};

/** `undefined` if no pipeline has searched for root queries with their perspectives. */
export function perspectiveRecallChart(set: ShownSet): DotsChart | undefined {
  const recalls = ranPipelines(set).flatMap(({ name, perspectiveRecall }) =>
    perspectiveRecall ? [{ name, ...perspectiveRecall }] : [],
  );
  if (recalls.length === 0) return undefined;
  const groups = [...new Set(recalls.flatMap(({ byGroup }) => byGroup.map(({ group }) => group)))];
  const columns = [words.pRecall(set.k), words.rootRecall(set.k), ...groups];
  const rows = recalls.map(({ name, pRecall, rootRecall, byGroup }) => ({
    name,
    values: [
      pRecall,
      rootRecall,
      ...groups.map((groupName) => byGroup.find(({ group }) => group === groupName)?.recall),
    ],
  }));
  return {
    kind: 'dots',
    key: `recall ${set.id} ${set.name}`,
    name: `perspective recall ${set.name}`,
    description: words.recallDescription(recalls.length, groups),
    x: { label: words.recallAxis(set.k), share: true },
    zero: undefined,
    forms: columns.map((name, index) => ({ name, look: lookOf(index) })),
    rows,
    table: {
      columns: [compareWords.pipeline(), ...columns],
      rows: rows.map(({ name, values }) => [name, ...values]),
    },
    data: {
      columns: ['pipeline', 'of', 'recall'],
      rows: rows.flatMap(({ name, values }) => columns.map((column, index) => [name, column, values[index]])),
    },
  };
}

export const PERSPECTIVE_RECALL: CompareChart = {
  name: 'recall',
  label: () => l10n.t('Perspective recall'),
  note: () => l10n.t('gold passages found when root query and perspective are asked together'),
  chart: ({ set }) => perspectiveRecallChart(set),
};
