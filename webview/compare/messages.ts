/** What arrives from the extension host, checked before the view relies on it; see ../components/message-guard.ts. */
import type { CompareState, Comparison, JudgingView, Movement } from '../../src/shared/compare.ts';
import type { PoolReport } from '../../src/shared/pool.ts';
import { all, has, isFailureOrAbsent, isRecord, list, type Fields } from '../components/message-guard.ts';

const STATE = {
  trusted: 'boolean',
  corpora: 'array',
  evalSets: 'array',
  chosenSets: 'array',
  pipelines: 'array',
  chosen: 'array',
  k: 'number',
  judge: 'object',
  kept: 'array',
  stale: 'boolean',
} as const satisfies Fields;
const CORPUS: Fields = { name: 'string', indexed: 'boolean' };
const EVAL_SET: Fields = { path: 'string', queries: 'number' };
const CHOSEN_SET: Fields = { evalSet: 'string', corpus: 'string' };
const JUDGE: Fields = { name: 'string', label: 'string', heuristic: 'boolean', choices: 'array' };
const JUDGE_CHOICE: Fields = { name: 'string', label: 'string', heuristic: 'boolean' };
const KEPT: Fields = {
  id: 'string',
  at: 'string',
  datasets: 'array',
  pipelines: 'array',
  queries: 'number',
  k: 'number',
};
const MOVEMENT: Fields = { dataset: 'string', queryId: 'string', depth: 'number', passages: 'array' };
const JUDGING_REPORT: Fields = {
  asked: 'number',
  answered: 'number',
  failed: 'number',
  saved: 'number',
  settled: 'number',
  queries: 'number',
  stopped: 'boolean',
};
const POOL: Fields = {
  k: 'number',
  judge: 'string',
  heuristic: 'boolean',
  orders: 'number',
  datasets: 'array',
};
const POOL_DATASET: Fields = {
  name: 'string',
  corpus: 'string',
  evalSet: 'string',
  queries: 'number',
  pairs: 'number',
  judgedBefore: 'number',
  judgedAfter: 'number',
  holes: 'number',
  pipelines: 'array',
  failed: 'array',
  growth: 'object',
  marginal: 'object',
  saturation: 'object',
};
const POOL_PIPELINE: Fields = {
  name: 'string',
  hole: 'number',
  judgedBefore: 'number',
  judgedAfter: 'number',
  measures: 'object',
};
const FILLED: Fields = { before: 'number', after: 'number', rankBefore: 'number', rankAfter: 'number' };
const PASSAGE: Fields = { id: 'string', title: 'string', ranks: 'array', supports: 'array' };
const COMPARISON: Fields = {
  id: 'string',
  judge: 'string',
  k: 'number',
  measures: 'array',
  pipelines: 'array',
  datasets: 'array',
  at: 'string',
};
const DATASET: Fields = {
  name: 'string',
  corpus: 'string',
  evalSet: 'string',
  sources: 'array',
  pipelines: 'array',
  union: 'object',
  queries: 'array',
};
const SOURCE: Fields = { source: 'string', judge: 'string', count: 'number', heuristic: 'boolean' };
const PIPELINE: Fields = {
  name: 'string',
  measures: 'object',
  judged: 'number',
  losses: 'object',
  setSize: 'object',
  groups: 'array',
  coverageCurve: 'array',
  milliseconds: 'number',
  search: 'string',
};
const DIFFERENCE: Fields = {
  value: 'number',
  low: 'number',
  high: 'number',
  wins: 'number',
  losses: 'number',
  ties: 'number',
};
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
const PERSPECTIVE_RECALL: Fields = { pRecall: 'number', byGroup: 'array', rootRecall: 'number' };
const GROUP_RECALL: Fields = { group: 'string', recall: 'number', perspectives: 'number' };
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

/** The comparison in a message, or `undefined` when the message is not one that this panel understands. */
export function readComparison(data: unknown): Comparison | undefined {
  if (!isRecord(data) || data['type'] !== 'comparison') return undefined;
  return isComparison(data['comparison']) ? data['comparison'] : undefined;
}

function isState(value: unknown): value is CompareState {
  if (!has(value, STATE)) return false;
  const {
    corpora,
    evalSets,
    chosenSets,
    pipelines,
    chosen,
    judge,
    kept,
    movement,
    judging,
    pool,
    error,
    task,
  } = value;
  return (
    all(corpora, CORPUS) &&
    all(evalSets, EVAL_SET) &&
    all(chosenSets, CHOSEN_SET) &&
    all(pipelines, { name: 'string' }) &&
    list(chosen, ['string']) &&
    has(judge, JUDGE) &&
    all(judge['choices'], JUDGE_CHOICE) &&
    all(kept, KEPT) &&
    kept.every(({ datasets, pipelines: names }) => list(datasets, ['string']) && list(names, ['string'])) &&
    (movement === undefined || isMovement(movement)) &&
    (judging === undefined || isJudging(judging)) &&
    (pool === undefined || isPool(pool)) &&
    isFailureOrAbsent(error) &&
    (task === undefined || has(task, { title: 'string' }))
  );
}

function isMovement(value: unknown): value is Movement {
  if (!has(value, MOVEMENT)) return false;
  const { passages } = value;
  return (
    all(passages, PASSAGE) &&
    passages.every(({ ranks, supports }) => list(ranks, ['number', 'null']) && list(supports, ['string']))
  );
}

function isJudging(value: unknown): value is JudgingView {
  if (!isRecord(value)) return false;
  const { counted, report } = value as Partial<Record<keyof JudgingView, unknown>>;
  return (
    (counted === undefined || has(counted, { pairs: 'number', known: 'number' })) &&
    (report === undefined || has(report, JUDGING_REPORT))
  );
}

function isPool(value: unknown): value is PoolReport {
  if (!has(value, POOL)) return false;
  const { datasets } = value;
  return all(datasets, POOL_DATASET) && datasets.length > 0 && datasets.every(isPoolDataset);
}

function isPoolDataset({
  pipelines,
  failed,
  growth,
  marginal,
  saturation,
  leftOut,
}: Record<string, unknown>): boolean {
  return (
    (leftOut === undefined || list(leftOut, ['string'])) &&
    all(pipelines, POOL_PIPELINE) &&
    pipelines.every(({ measures }) => all(Object.values(measures as object), FILLED)) &&
    all(failed, { name: 'string', error: 'string' }) &&
    has(growth, { holes: 'array', rate: 'array' }) &&
    list(growth['holes'], ['number']) &&
    list(growth['rate'], ['number', 'null']) &&
    has(marginal, { MRecall: 'array', Precision: 'array' }) &&
    Object.values(marginal).every((curve) => list(curve, ['number'])) &&
    has(saturation, { sentence: 'string' })
  );
}

function isComparison(value: unknown): value is Comparison {
  if (!has(value, COMPARISON)) return false;
  const { pipelines, datasets, measures, macro } = value;
  return (
    list(measures, ['string']) &&
    all(pipelines, { name: 'string', label: 'string' }) &&
    all(datasets, DATASET) &&
    datasets.length > 0 &&
    datasets.every((dataset) => isDataset(dataset, pipelines.length)) &&
    (macro === undefined || list(macro, ['object'], pipelines.length))
  );
}

function isDataset(
  { sources, pipelines, union, queries, leftOut }: Record<string, unknown>,
  count: number,
): boolean {
  return (
    all(sources, SOURCE) &&
    (leftOut === undefined || list(leftOut, ['string'])) &&
    list(pipelines, ['object'], count) &&
    (pipelines as unknown[]).every(isPipeline) &&
    has(union, { perspectives: 'number', queries: 'number' }) &&
    all(queries, QUERY) &&
    queries.every((query) => isQuery(query, count))
  );
}

function isPipeline(value: unknown): boolean {
  if (!has(value, PIPELINE)) return false;
  const { measures, losses, setSize, groups, leaning, coverageCurve } = value;
  const { sycophancy, heatMap, perspectiveRecall } = value;
  return (
    Object.values(measures as object).every(isMeasure) &&
    has(losses, LOSSES) &&
    has(setSize, { coveredShare: 'number' }) &&
    all(groups, { group: 'string', share: 'number' }) &&
    list(coverageCurve, ['number']) &&
    (leaning === undefined || has(leaning, LEANING)) &&
    (sycophancy === undefined || has(sycophancy, { queries: 'number' })) &&
    (heatMap === undefined || isHeatMap(heatMap)) &&
    (perspectiveRecall === undefined || isPerspectiveRecall(perspectiveRecall))
  );
}

function isMeasure(value: unknown): boolean {
  if (!has(value, { value: 'number' })) return false;
  return value['difference'] === undefined || has(value['difference'], DIFFERENCE);
}

function isHeatMap(value: unknown): boolean {
  if (!has(value, { rows: 'array', columns: 'array', shares: 'array' })) return false;
  const { rows, columns, shares } = value as Record<string, unknown[]>;
  return (
    list(rows, ['string']) &&
    list(columns, ['string']) &&
    list(shares, ['array'], rows!.length) &&
    shares!.every((row) => list(row, ['number'], columns!.length))
  );
}

function isPerspectiveRecall(value: unknown): boolean {
  return has(value, PERSPECTIVE_RECALL) && all(value['byGroup'], GROUP_RECALL);
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
