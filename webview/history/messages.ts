/** What arrives from the extension host, checked before the view relies on it; see ../components/message-guard.ts. */
import type { ComparedRuns, HistoryState, ToHistory } from '../../src/shared/history-panel.ts';
import { all, has, isFailureOrAbsent, isRecord, list, type Fields } from '../components/message-guard.ts';

const DEMANDS: Fields = { k: 'number', evalSets: 'array', pipelines: 'array' };
const RUN: Fields = {
  id: 'string',
  at: 'string',
  k: 'number',
  judge: 'string',
  outcome: 'string',
  accepted: 'boolean',
  rows: 'array',
};
const ROW: Fields = {
  dataset: 'string',
  evalSet: 'string',
  pipeline: 'string',
  queries: 'number',
  figures: 'object',
  corpus: 'string',
  passages: 'number',
  pairs: 'number',
  judged: 'number',
};
const FIGURE: Fields = { value: 'number', low: 'number', high: 'number' };
const SINCE: Fields = { id: 'string', at: 'string', changes: 'array', differences: 'object' };
const SINCE_DIFFERENCE: Fields = { difference: 'number', low: 'number', high: 'number', p: 'number' };
const COMPARED: Fields = { then: 'string', now: 'string', comparison: 'object', questions: 'object' };
const COMPARISON: Fields = {
  dataset: 'string',
  pipeline: 'string',
  queries: 'number',
  configuration: 'array',
  differences: 'array',
  changed: 'array',
};
const DIFFERENCE: Fields = {
  metric: 'string',
  then: 'number',
  now: 'number',
  difference: 'number',
  low: 'number',
  high: 'number',
  p: 'number',
  wins: 'number',
  losses: 'number',
  ties: 'number',
  attribution: 'object',
};
const CHANGED: Fields = { id: 'string', metrics: 'object', gained: 'array', lost: 'array' };

/** The state in a message, or `undefined` when the message is not one that this panel understands. */
export function readState(data: unknown): HistoryState | undefined {
  return isRecord(data) && data['type'] === 'state' && isState(data['state']) ? data['state'] : undefined;
}

/** The runs in a message, or `undefined` when the message is not one that this panel understands. */
export function readRuns(data: unknown): Extract<ToHistory, { type: 'runs' }> | undefined {
  if (!has(data, { type: 'string', revision: 'number', runs: 'array' }) || data['type'] !== 'runs')
    return undefined;
  const { runs, unlisted } = data;
  if (unlisted !== undefined && typeof unlisted !== 'number') return undefined;
  const isRead = all(runs, RUN) && runs.every(({ rows }) => all(rows, ROW) && rows.every(isRow));
  return isRead ? (data as Extract<ToHistory, { type: 'runs' }>) : undefined;
}

function isState(value: unknown): value is HistoryState {
  if (!has(value, { trusted: 'boolean', demands: 'object', revision: 'number' })) return false;
  const { demands, compared, error, task } = value;
  return (
    has(demands, DEMANDS) &&
    list(demands['evalSets'], ['string']) &&
    list(demands['pipelines'], ['string']) &&
    (compared === undefined || isCompared(compared)) &&
    isFailureOrAbsent(error) &&
    (task === undefined || has(task, { title: 'string' }))
  );
}

function isRow({ figures, since }: Record<string, unknown>): boolean {
  return all(Object.values(figures as object), FIGURE) && (since === undefined || isSince(since));
}

function isSince(value: unknown): boolean {
  return (
    has(value, SINCE) &&
    list(value['changes'], ['string']) &&
    all(Object.values(value['differences'] as object), SINCE_DIFFERENCE)
  );
}

function isCompared(value: unknown): value is ComparedRuns {
  if (!has(value, COMPARED)) return false;
  const { comparison, questions } = value;
  if (!has(comparison, { comparisons: 'array', notes: 'array' })) return false;
  const { comparisons, notes } = comparison;
  return (
    list(notes, ['string']) &&
    all(comparisons, COMPARISON) &&
    comparisons.every(isComparison) &&
    Object.values(questions as object).every(isQuestions)
  );
}

function isComparison({ configuration, differences, changed }: Record<string, unknown>): boolean {
  return (
    all(configuration, { field: 'string' }) &&
    all(differences, DIFFERENCE) &&
    differences.every(({ attribution }) => has(attribution, { changes: 'array', noise: 'boolean' })) &&
    all(changed, CHANGED) &&
    changed.every(
      ({ metrics, gained, lost }) =>
        list(gained, ['string']) &&
        list(lost, ['string']) &&
        Object.values(metrics as object).every((pair) => list(pair, ['number'], 2)),
    )
  );
}

function isQuestions(value: unknown): boolean {
  return isRecord(value) && all(Object.values(value), { text: 'string', perspectives: 'object' });
}
