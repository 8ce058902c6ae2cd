import type { Comparison, DatasetView } from '../../src/shared/panels/compare.ts';

/** One figure per pipeline everywhere, or the table would show one pipeline's figures under another. */
export function isAligned({ datasets, pipelines: { length }, macro }: Comparison): boolean {
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

function hasFiguresOf(query: DatasetView['queries'][number], pipelines: number): boolean {
  const { mrecall, precision, judged, perspectives } = query;
  const perPipeline = [mrecall, precision, judged, ...perspectives.map(({ ranks }) => ranks)];
  return perPipeline.every((figures) => figures.length === pipelines);
}

function isRectangle({
  rows,
  columns,
  shares,
}: NonNullable<DatasetView['pipelines'][number]['heatMap']>): boolean {
  return shares.length === rows.length && shares.every((row) => row.length === columns.length);
}
