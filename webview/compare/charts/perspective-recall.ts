/** How often the gold of each group is found when its perspective is asked for (PIR, Table 2 and Figure 2). Pure. */
import { ranPipelines } from '../outcomes.ts';
import type { ShownSet } from '../shown-set.ts';
import { strings } from '../strings.ts';
import { lookOf, type DotsChart } from '../../charts/chart.ts';

/** `undefined` where no pipeline has been asked root queries with their perspectives. */
export function perspectiveRecallChart(set: ShownSet): DotsChart | undefined {
  const found = ranPipelines(set).flatMap(({ name, perspectiveRecall }) =>
    perspectiveRecall ? [{ name, ...perspectiveRecall }] : [],
  );
  if (found.length === 0) return undefined;
  const groups = [...new Set(found.flatMap(({ byGroup }) => byGroup.map(({ group }) => group)))];
  const columns = [strings.pRecall(set.k), strings.rootRecall(set.k), ...groups];
  const rows = found.map(({ name, pRecall, rootRecall, byGroup }) => ({
    name,
    values: [
      pRecall,
      rootRecall,
      ...groups.map((wanted) => byGroup.find(({ group }) => group === wanted)?.recall),
    ],
  }));
  return {
    kind: 'dots',
    key: `recall ${set.id} ${set.name}`,
    name: `perspective recall ${set.name}`,
    description: strings.recallDescription(found.length, groups),
    x: { label: strings.recallAxis(set.k), share: true },
    zero: undefined,
    forms: columns.map((name, index) => ({ name, look: lookOf(index) })),
    rows,
    table: {
      columns: [strings.pipeline(), ...columns],
      rows: rows.map(({ name, values }) => [name, ...values]),
    },
    data: {
      columns: ['pipeline', 'of', 'recall'],
      rows: rows.flatMap(({ name, values }) => columns.map((column, index) => [name, column, values[index]])),
    },
  };
}
