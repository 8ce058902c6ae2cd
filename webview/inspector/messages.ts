/** What arrives from the extension host, checked before the view relies on it; see ../components/message-guard.ts. */
import type { InspectorState, ToInspector } from '../../src/shared/inspector.ts';
import { all, has, isFailureOrAbsent, isRecord, type Kind } from '../components/message-guard.ts';

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
const PROPOSAL = { stance: 'string', by: 'string' } as const;
const SPLIT = { full: 'string', root: 'string' } as const;
const MATCHES = { id: 'number', text: 'number', fuzzy: 'number', foreign: 'number' } as const;
const SLIDER = { method: 'string', untouched: 'number', least: 'number', most: 'number' } as const;
const RESULTS = {
  items: 'array',
  candidates: 'number',
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
  unsurePairs: 'number',
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
  const { corpus, pipeline, judge, perspectives, results, error } = value;
  return (
    has(corpus, { state: 'string' }) &&
    has(pipeline, PIPELINE) &&
    has(judge, JUDGE) &&
    all(perspectives, PERSPECTIVE) &&
    perspectives.every(({ proposal }) => proposal === undefined || has(proposal, PROPOSAL)) &&
    isFailureOrAbsent(error) &&
    (results === undefined || isResults(results))
  );
}

function isResults(value: unknown): boolean {
  if (!has(value, RESULTS)) return false;
  const { splits, matches, projectionSlider, whatIf } = value;
  return (
    (splits === undefined || all(splits, SPLIT)) &&
    (matches === undefined || has(matches, MATCHES)) &&
    (projectionSlider === undefined || has(projectionSlider, SLIDER)) &&
    (whatIf === undefined || isRecord(whatIf)) &&
    has(value['metrics'], METRICS) &&
    all(value['coverage'], { where: 'string', perspectiveId: 'string' }) &&
    all(value['items'], RESULT) &&
    value['items'].every((item) => all(item['judgements'], JUDGEMENT))
  );
}
