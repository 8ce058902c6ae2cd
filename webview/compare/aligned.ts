import type { Evaluation, DatasetEvaluation } from '../../src/evaluation/evaluation.ts';

/** Whether every list has one entry per pipeline. If not, the table would show figures of one pipeline for another. */
export function isAligned({ datasets, pipelines: { length }, macro }: Evaluation): boolean {
  return (
    datasets.length > 0 &&
    (macro === undefined || macro.length === length) &&
    datasets.every(
      ({ pipelines, queries }) =>
        pipelines.length === length &&
        pipelines.every(({ heatMap }) => !heatMap || isRectangle(heatMap)) &&
        queries.every((query) => hasFiguresOf(query, length)),
    )
  );
}

function hasFiguresOf(query: DatasetEvaluation['queries'][number], pipelines: number): boolean {
  const { results, perspectives } = query;
  return [results, ...perspectives.map(({ states }) => states)].every(({ length }) => length === pipelines);
}

function isRectangle({
  rows,
  columns,
  shares,
}: NonNullable<DatasetEvaluation['pipelines'][number]['heatMap']>): boolean {
  return shares.length === rows.length && shares.every((row) => row.length === columns.length);
}
