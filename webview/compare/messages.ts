/** What arrives from the extension host, checked before the view relies on it; see ../components/message-guard.ts. */
import type { CompareState, Comparison } from '../../src/shared/compare.ts';
import { all, has, isRecord, list, type Fields } from '../components/message-guard.ts';

const STATE = {
  trusted: 'boolean',
  indexed: 'boolean',
  corpus: 'string',
  evalSets: 'array',
  pipelines: 'array',
  chosen: 'array',
  k: 'number',
  judge: 'object',
  stale: 'boolean',
} as const satisfies Fields;
const EVAL_SET: Fields = { path: 'string', queries: 'number' };
const JUDGE: Fields = { name: 'string', label: 'string', heuristic: 'boolean', choices: 'array' };
const JUDGE_CHOICE: Fields = { name: 'string', label: 'string', heuristic: 'boolean' };
const COMPARISON: Fields = {
  evalSet: 'string',
  corpus: 'string',
  judge: 'string',
  sources: 'array',
  k: 'number',
  measures: 'array',
  pipelines: 'array',
  union: 'object',
  queries: 'array',
  at: 'string',
};
const SOURCE: Fields = { source: 'string', judge: 'string', count: 'number', heuristic: 'boolean' };
const PIPELINE: Fields = {
  name: 'string',
  label: 'string',
  measures: 'object',
  judged: 'number',
  losses: 'object',
  setSize: 'object',
  groups: 'array',
  milliseconds: 'number',
  search: 'string',
};
const DIFFERENCE: Fields = { value: 'number', low: 'number', high: 'number' };
const LOSSES: Fields = {
  covered: 'number',
  belowK: 'number',
  notRetrieved: 'number',
  unjudged: 'number',
  notInCorpus: 'number',
};
const LEANING: Fields = {
  queries: 'number',
  onlySupport: 'number',
  onlyOppose: 'number',
  both: 'number',
  neither: 'number',
};
const QUERY: Fields = { id: 'string', text: 'string', tags: 'array', perspectives: 'array' };
const PERSPECTIVE: Fields = {
  id: 'string',
  text: 'string',
  letter: 'string',
  color: 'number',
  ranks: 'array',
};

/** The state in a message, or `undefined` when the message is not one that this panel understands. */
export function readState(data: unknown): CompareState | undefined {
  return isRecord(data) && data['type'] === 'state' && isState(data['state']) ? data['state'] : undefined;
}

function isState(value: unknown): value is CompareState {
  if (!has(value, STATE)) return false;
  const { evalSets, pipelines, chosen, judge, comparison, task } = value;
  return (
    all(evalSets, EVAL_SET) &&
    all(pipelines, { name: 'string' }) &&
    list(chosen, ['string']) &&
    has(judge, JUDGE) &&
    all(judge['choices'], JUDGE_CHOICE) &&
    (task === undefined || has(task, { title: 'string' })) &&
    (comparison === undefined || isComparison(comparison))
  );
}

function isComparison(value: unknown): value is Comparison {
  if (!has(value, COMPARISON)) return false;
  const { pipelines, queries, measures, sources, union } = value;
  if (!Array.isArray(pipelines)) return false;
  return (
    pipelines.every(isPipeline) &&
    list(measures, ['string']) &&
    all(sources, SOURCE) &&
    has(union, { perspectives: 'number', queries: 'number' }) &&
    all(queries, QUERY) &&
    queries.every((query) => isQuery(query, pipelines.length))
  );
}

function isPipeline(value: unknown): boolean {
  if (!has(value, PIPELINE)) return false;
  const { measures, losses, setSize, groups, leaning } = value;
  return (
    Object.values(measures as object).every(isMeasure) &&
    has(losses, LOSSES) &&
    has(setSize, { coveredShare: 'number' }) &&
    all(groups, { group: 'string', share: 'number' }) &&
    (leaning === undefined || has(leaning, LEANING))
  );
}

function isMeasure(value: unknown): boolean {
  if (!has(value, { value: 'number' })) return false;
  return value['difference'] === undefined || has(value['difference'], DIFFERENCE);
}

/** One figure per pipeline, or the table would show one pipeline's figures under another. */
function isQuery(query: Record<string, unknown>, pipelines: number): boolean {
  const { tags, mrecall, precision, judged, perspectives } = query;
  return (
    list(tags, ['string']) &&
    [mrecall, precision, judged].every((figures) => list(figures, ['number'], pipelines)) &&
    all(perspectives, PERSPECTIVE) &&
    perspectives.every(({ ranks }) => list(ranks, ['number', 'null'], pipelines))
  );
}
