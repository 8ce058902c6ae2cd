/**
 * What arrives from the extension host, checked before the view relies on it.
 *
 * The schemas of src/shared/inspector.ts would add 95 to 450 kB to a panel of 180 kB. Both ends ship in one
 * package, so what can go wrong is a panel that outlived an update of the extension: a field that is missing or
 * of another kind. That is what is checked here; tests hold this check against the schemas.
 */
import type { InspectorState, ToInspector } from '../../src/shared/inspector.ts';

type Kind = 'array' | 'boolean' | 'number' | 'object' | 'string';

/** Every field that the view reads without asking whether it is there. */
const STATE: Readonly<Partial<Record<keyof InspectorState, Kind>>> = {
  trusted: 'boolean',
  corpus: 'object',
  corpora: 'array',
  tasks: 'array',
  pipelines: 'array',
  embedders: 'array',
  pipeline: 'object',
  judge: 'object',
  history: 'array',
  evalQueries: 'array',
  query: 'string',
  perspectives: 'array',
  perspectiveSource: 'string',
};
const PIPELINE = { retriever: 'object', k: 'number', candidates: 'number' } as const;
const JUDGE = {
  name: 'string',
  label: 'string',
  heuristic: 'boolean',
  canJudge: 'boolean',
  choices: 'array',
} as const;
const PERSPECTIVE = { id: 'string', text: 'string', letter: 'string', color: 'number' } as const;
const RESULTS = {
  items: 'array',
  metrics: 'object',
  coverage: 'array',
  search: 'string',
  stale: 'boolean',
} as const;
const RESULT = {
  rank: 'number',
  passageId: 'string',
  title: 'string',
  text: 'string',
  judgements: 'array',
} as const;
const JUDGEMENT = { perspectiveId: 'string', verdict: 'string', evidence: 'array' } as const;
const METRICS = {
  k: 'number',
  covered: 'number',
  judgedPairs: 'number',
  pairs: 'number',
  sources: 'array',
} as const;

/** The message, or `undefined` when it is not one that this panel understands. */
export function readMessage(data: unknown): ToInspector | undefined {
  if (!isRecord(data)) return undefined;
  const understood =
    (data['type'] === 'state' && isState(data['state'])) ||
    (data['type'] === 'focus-query' && ['string', 'undefined'].includes(typeof data['query']));
  return understood ? (data as ToInspector) : undefined;
}

function isState(value: unknown): value is InspectorState {
  if (!has(value, STATE)) return false;
  const { corpus, pipeline, judge, perspectives, results } = value;
  return (
    has(corpus, { state: 'string' }) &&
    has(pipeline, PIPELINE) &&
    has(judge, JUDGE) &&
    all(perspectives, PERSPECTIVE) &&
    (results === undefined || isResults(results))
  );
}

function isResults(value: unknown): boolean {
  if (!has(value, RESULTS)) return false;
  return (
    has(value['metrics'], METRICS) &&
    all(value['coverage'], { where: 'string', perspectiveId: 'string' }) &&
    all(value['items'], RESULT) &&
    (value['items'] as { judgements: unknown }[]).every((item) => all(item.judgements, JUDGEMENT))
  );
}

function all(values: unknown, fields: Readonly<Record<string, Kind>>): boolean {
  return Array.isArray(values) && values.every((value) => has(value, fields));
}

function has(value: unknown, fields: Readonly<Record<string, Kind>>): value is Record<string, unknown> {
  return isRecord(value) && Object.entries(fields).every(([name, kind]) => kindOf(value[name]) === kind);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return kindOf(value) === 'object';
}
