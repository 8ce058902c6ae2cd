/** Which groups a pipeline finds when it is asked for the perspectives of each group (PIR, Figure 6). Pure. */
import { ranPipelines, type RanPipeline } from '../outcomes.ts';
import type { ShownSet } from '../shown-set.ts';
import { strings } from '../strings.ts';
import type { HeatChart } from '../../charts/chart.ts';

/** The pipelines that have a heat map. */
export function heatPipelines(set: ShownSet): RanPipeline[] {
  return ranPipelines(set).filter(({ heatMap }) => heatMap !== undefined && heatMap.rows.length > 0);
}

/** @param wanted the pipeline to show; the first that has a heat map when it has none */
export function groupHeat(set: ShownSet, wanted: string | undefined): HeatChart | undefined {
  const all = heatPipelines(set);
  const pipeline = all.find(({ name }) => name === wanted) ?? all[0];
  if (!pipeline?.heatMap) return undefined;
  const { rows, columns, shares } = pipeline.heatMap;
  return {
    kind: 'heat',
    key: `heat ${set.id} ${set.name} ${pipeline.name}`,
    name: `groups ${pipeline.name} ${set.name}`,
    description: strings.heatDescription(pipeline.name),
    rowsAre: strings.heatRows(),
    columnsAre: strings.heatColumns(),
    rows,
    columns,
    shares,
    pickable: false,
    table: {
      columns: [strings.heatRows(), ...columns],
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
