/**
 * Heat map of queries × pipelines: the share of each query's perspectives that the top k of each pipeline cover. Pure.
 */
import * as l10n from '@vscode/l10n';
import type { QueryEvaluation } from '../../../src/evaluation/evaluation.ts';
import { coveredShareAt } from '../../../src/evaluation/reading.ts';
import type { HeatChart } from '../../charts/draw-heat.ts';
import { counted } from '../../../src/core/counted.ts';
import type { ComparedContext } from '../draft.ts';
import { outcome, ranPipelines } from '../outcomes.ts';
import { selectedQueries, selectionOf } from '../queries/query-list.ts';
import type { ShownSet } from '../shown-set.ts';
import { compareWords } from '../strings.ts';
import type { CompareChart } from './compare-chart.ts';

function mapDescription(pipelines: number, queries: number): string {
  const what = counted(
    l10n.t(
      'How much of each of {0} [0:question|questions] the top k of {1} [1:pipeline covers|pipelines cover].',
    ),
    queries,
    pipelines,
  );
  return `${what} ${l10n.t('The table of questions below gives the same, cell by cell.')}`;
}

const words = {
  mapDescription,
  mapColumns: () => [
    l10n.t('Fully covered'),
    l10n.t({ message: 'In part', comment: 'Covered in part' }),
    l10n.t({ message: 'Not at all', comment: 'Not covered at all' }),
    l10n.t('Nothing judged'),
  ],
};

/** @param queries in the order of the columns */
export function outcomeMap(set: ShownSet, queries: readonly QueryEvaluation[]): HeatChart | undefined {
  const ran = ranPipelines(set);
  if (ran.length === 0 || queries.length === 0) return undefined;
  const shares = ran.map(({ index }) =>
    queries.map((query) =>
      outcome(set, query, index) === undefined ? undefined : coveredShareAt(query, index),
    ),
  );
  const ids = queries.map(({ id }) => id);
  return {
    kind: 'heat',
    key: `map ${set.id} ${set.name} ${ids.join(' ')}`,
    name: `queries and pipelines ${set.name}`,
    description: words.mapDescription(ran.length, queries.length),
    rowsAre: compareWords.pipeline(),
    columnsAre: compareWords.query(),
    rows: ran.map(({ name }) => name),
    columns: ids,
    shares,
    pickable: true,
    table: {
      columns: [compareWords.pipeline(), ...words.mapColumns()],
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

function mapOf(context: ComparedContext): HeatChart | undefined {
  return outcomeMap(context.set, selectedQueries(context.set, selectionOf(context)));
}

export const OUTCOME_MAP: CompareChart = {
  name: 'map',
  label: () => l10n.t('Heat map'),
  note: () =>
    l10n.t('share of each question’s perspectives that the top k cover; a click opens the side panel'),
  chart: mapOf,
  isThere: ({ set, draft }) =>
    ranPipelines(set).length > 0 && selectedQueries(set, selectionOf({ set, draft })).length > 0,
  onPick: (context, { row, column }) => {
    const chart = mapOf(context);
    const [pipeline, queryId] = [chart?.rows[row], chart?.columns[column]];
    if (pipeline !== undefined && queryId !== undefined)
      context.actions.send({ type: 'inspect', dataset: context.set.name, queryId, pipeline });
  },
};
