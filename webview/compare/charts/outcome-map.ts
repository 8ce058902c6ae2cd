/** Queries × pipelines at a glance: how much of each query the top k of each pipeline cover. Pure. */
import type { QueryResultView } from '../../../src/shared/compare.ts';
import { coveredShare, outcome, ranPipelines } from '../outcomes.ts';
import type { ShownSet } from '../shown-set.ts';
import { strings } from '../strings.ts';
import type { HeatChart } from '../../charts/chart.ts';

/** @param queries in the order of the columns */
export function outcomeMap(set: ShownSet, queries: readonly QueryResultView[]): HeatChart | undefined {
  const ran = ranPipelines(set);
  if (ran.length === 0 || queries.length === 0) return undefined;
  const shares = ran.map(({ index }) =>
    queries.map((query) =>
      outcome(set, query, index) === undefined ? undefined : coveredShare(set, query, index),
    ),
  );
  const ids = queries.map(({ id }) => id);
  return {
    kind: 'heat',
    key: `map ${set.id} ${set.name} ${ids.join(' ')}`,
    name: `queries and pipelines ${set.name}`,
    description: strings.mapDescription(ran.length, queries.length),
    rowsAre: strings.pipeline(),
    columnsAre: strings.query(),
    rows: ran.map(({ name }) => name),
    columns: ids,
    shares,
    pickable: true,
    table: {
      columns: [strings.pipeline(), ...strings.mapColumns()],
      rows: ran.map(({ name }, row) => {
        const known = shares[row]!.filter((share) => share !== undefined);
        const whole = known.filter((share) => share === 1).length;
        const none = known.filter((share) => share === 0).length;
        return [
          name,
          ...[whole, known.length - whole - none, none, queries.length - known.length].map(String),
        ];
      }),
    },
    data: {
      columns: ['pipeline', 'query', 'covered'],
      rows: ran.flatMap(({ name }, row) => ids.map((id, column) => [name, id, shares[row]![column]])),
    },
  };
}
