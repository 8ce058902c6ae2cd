/** Messages from the extension host, checked before the view relies on them. */
import type { CompareState, Comparison, DatasetView, ToCompare } from '../../src/shared/panels/compare.ts';
import { isRecord } from '../components/message-guard.ts';
import { isToCompare } from './message-guards.ts';

/** The state in a message, or `undefined` when the message is not one that this panel understands. */
export function readState(data: unknown): CompareState | undefined {
  const message = readMessage(data, 'state');
  return message?.type === 'state' ? message.state : undefined;
}

/** The comparison in a message, or `undefined` when the message is not one that this panel understands. */
export function readComparison(data: unknown): Comparison | undefined {
  const message = readMessage(data, 'comparison');
  return message?.type === 'comparison' ? message.comparison : undefined;
}

/** A comparison of some megabytes is only looked at where one is asked for. */
function readMessage(data: unknown, type: ToCompare['type']): ToCompare | undefined {
  if (!isRecord(data) || data['type'] !== type || !isToCompare(data)) return undefined;
  return data.type === 'state' || isAligned(data.comparison) ? data : undefined;
}

/** One figure per pipeline everywhere, or the table would show one pipeline's figures under another. */
function isAligned({ datasets, pipelines: { length }, macro }: Comparison): boolean {
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
