/** The groups that a pipeline finds when it searches for the perspectives of each group (PIR, Figure 6). Pure. */
import * as l10n from '@vscode/l10n';
import type { HeatChart } from '../../charts/draw-heat.ts';
import type { ComparedContext } from '../draft.ts';
import { ranPipelines, type RanPipeline } from '../outcomes.ts';
import type { ShownSet } from '../shown-set.ts';
import { compareWords } from '../strings.ts';
import type { ChartControl, CompareChart } from './compare-chart.ts';

const words = {
  heatDescription: (pipeline: string) =>
    l10n.t`Share of each group in the top k of ${pipeline}, for the perspectives of each group.`,
  heatRows: () => l10n.t({ message: 'Asked', comment: 'The group whose perspective was asked' }),
  heatColumns: () => l10n.t({ message: 'Found', comment: 'The group whose passages were found' }),
};

export function heatPipelines(set: ShownSet): RanPipeline[] {
  return ranPipelines(set).filter(({ heatMap }) => heatMap !== undefined && heatMap.rows.length > 0);
}

/** @param pipelineName name of the pipeline; defaults to the first one with a heat map */
export function groupHeat(set: ShownSet, pipelineName: string | undefined): HeatChart | undefined {
  const all = heatPipelines(set);
  const pipeline = all.find(({ name }) => name === pipelineName) ?? all[0];
  if (!pipeline?.heatMap) return undefined;
  const { rows, columns, shares } = pipeline.heatMap;
  return {
    kind: 'heat',
    key: `heat ${set.id} ${set.name} ${pipeline.name}`,
    name: `groups ${pipeline.name} ${set.name}`,
    description: words.heatDescription(pipeline.name),
    rowsAre: words.heatRows(),
    columnsAre: words.heatColumns(),
    rows,
    columns,
    shares,
    pickable: false,
    table: {
      columns: [words.heatRows(), ...columns],
      rows: rows.map((row, index) => [row, ...(shares[index] ?? [])]),
    },
    data: {
      columns: ['pipeline', 'asked', 'found', 'share'],
      rows: all.flatMap(({ name, heatMap }) =>
        (heatMap?.rows ?? []).flatMap((row, at) =>
          (heatMap?.columns ?? []).map((column, index) => [name, row, column, heatMap?.shares[at]?.[index]]),
        ),
      ),
    },
  };
}

function pipelineControls({ set, draft, actions }: ComparedContext): ChartControl[] {
  const names = heatPipelines(set).map(({ name }) => name);
  if (names.length < 2) return [];
  return [
    {
      type: 'dropdown',
      label: compareWords.pipeline(),
      value: names.find((name) => name === draft.heatOf) ?? names[0]!,
      choices: names.map((name) => ({ value: name, label: name })),
      testId: 'heat-pipeline',
      onChange: (heatOf) => actions.edit({ heatOf }),
    },
  ];
}

export const GROUP_HEAT: CompareChart = {
  name: 'heat',
  label: () => l10n.t('Group heat map'),
  note: () => l10n.t('which groups are found for the perspectives of each group'),
  chart: ({ set, draft }) => groupHeat(set, draft.heatOf),
  controls: pipelineControls,
};
