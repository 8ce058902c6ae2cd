import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runFigures } from '../../../src/features/capture/core/figures.ts';
import {
  callDescription,
  callName,
  groupDescription,
  groupName,
  capturedNode,
  listNodes,
  passageDescription,
  passageDetails,
  passageName,
  passageNodes,
  runDescription,
  runDetails,
  runNodes,
} from '../../../src/features/capture/host/capture-text.ts';
import { captureEnvironment, environmentLines } from '../../../src/features/capture/contract/environment.ts';
import type { CapturedRun } from '../../../src/features/capture/contract/captured.ts';
import { runOf } from './support.ts';

function withFigures(run: CapturedRun): CapturedRun {
  const figures = runFigures(
    { perspectives: run.perspectives.map(({ id }) => id), passages: run.passages },
    run.k,
  );
  return { ...run, ...(figures ? { figures } : {}) };
}

const RUN = withFigures(
  runOf({ matches: { id: 1, text: 0, fuzzy: 0, foreign: 1 } }, [{ yes: 'yes', no: 'no' }, { yes: 'unsure' }]),
);

test('a retrieval shows its time, k, match rate, and figures with their judged share', () => {
  assert.equal(
    runDescription(RUN, '10:32'),
    '10:32 · 2 passages · 50% match the index · MRecall@2 ≥ 0% · P@2 ≥ 50% (75% judged)',
  );
});

test('without judgements it has no figure, but the reason', () => {
  const last = (run: CapturedRun): string => runDescription(run, '').split(' · ').at(-1)!;
  assert.equal(last(withFigures(runOf({}, [{}, {}]))), 'nothing judged yet');
  assert.equal(last(withFigures(runOf({ perspectives: [] }, [{}]))), 'no perspectives known');
  const nothing = runOf({ matches: { id: 0, text: 0, fuzzy: 0, foreign: 0 } });
  assert.equal(runDescription(withFigures(nothing), '10:32'), '10:32 · 0 passages · nothing retrieved');
});

test('its details list the program, the place, how passages were matched, and the perspectives', () => {
  assert.deepEqual(runDetails({ ...RUN, code: { file: '/app/rag.py', line: 12 } }), [
    'Captured from app: retriever VectorStoreRetriever.',
    'Called at /app/rag.py:12.',
    'Of 2 passages, 1 recognised by id, 0 by equal and 0 by similar text.',
    '1 matches no passage of the index: it comes from elsewhere, or the program cuts its documents otherwise.',
    'A  Night trams bring workers home.',
    'B  Night trams wake people.',
  ]);
});

test('runs started with Parallax are grouped by run and call, others are listed singly', () => {
  const live = (process: string, site: string, id: string): CapturedRun =>
    runOf({
      id,
      name: 'search',
      code: { file: 'rag.py', line: 4 },
      live: { site, process, retrieval: id, durationMs: 1 },
    });
  const nodes = listNodes([
    live('run 2', 'a', '5'),
    live('run 1', 'a', '4'),
    runOf({ id: '3' }),
    live('run 1', 'b', '2'),
    live('run 1', 'a', '1'),
  ]);
  assert.deepEqual(
    nodes.map((node) => (node.kind === 'captured-run' ? node.run.id : node.runs.map(({ id }) => id))),
    [['5'], ['4', '1'], '3', ['2']],
  );
  const [, second] = nodes;
  assert.ok(second?.kind === 'captured-call');
  assert.deepEqual(
    [callName(second), callDescription(second, '10:32')],
    ['search · rag.py:4', '2 questions · run since 10:32'],
  );
});

test('the searches of one run are grouped under its question, and its commands get the newest', () => {
  const question = 'Should trams run?';
  const nodes = listNodes([
    runOf({ id: 'u:1', run: 'u' }),
    runOf({ id: 't:2', run: 't', query: 'noise', question }),
    runOf({ id: 't:1', run: 't', query: 'cost', question }),
  ]);
  assert.deepEqual(
    nodes.map(({ kind }) => kind),
    ['captured-run', 'captured-group'],
  );
  const group = nodes[1]!;
  assert.ok(group.kind === 'captured-group');
  assert.equal(groupName(group), question);
  assert.equal(groupDescription(group, '10:32'), '10:32 · 2 searches');
  assert.equal(capturedNode(group)?.run.id, 't:2');
});

test('a passage shows its document and support; unjudged is never “no”', () => {
  const run = runOf({}, [{ yes: 'yes', no: 'yes' }, { yes: 'no', no: 'no' }, { yes: 'no' }, {}]);
  const [node] = runNodes([run]);
  assert.deepEqual(passageNodes(node!).map(passageDescription), [
    'lines 3–9 · supports A, B',
    'lines 3–9 · supports none',
    'lines 3–9 · judged in part',
    'lines 3–9 · unjudged',
  ]);
  assert.deepEqual(passageDetails(passageNodes(node!)[2]!).slice(0, 2), [
    'A  no, labelled by ada: Night trams bring workers home.',
    'B  unjudged: Night trams wake people.',
  ]);
});

test('a passage outside the index or without text is marked', () => {
  const run = runOf({}, [{}]);
  const passage = { ...run.passages[0]!, lines: undefined };
  const node = {
    kind: 'captured-passage' as const,
    run,
    passage: { ...passage, recognised: false },
    rank: 1,
  };
  assert.equal(passageDescription(node), 'no such passage in the index · unjudged');
  assert.equal(passageName(node), '1. Document 0');
  const unnamed = { ...node, passage: { ...node.passage, title: '', documentId: 'foreign:4f2' } };
  assert.equal(passageName(unnamed), '1. Night trams bring workers home.…');
  assert.equal(
    passageDescription({ ...node, passage: { ...node.passage, excerpt: '' } }),
    'no such passage in the index · came without its text',
  );
});

test('menus may pass any argument', () => {
  assert.ok(capturedNode(runNodes([RUN])[0]));
  for (const other of [undefined, null, 'x', { kind: 'pair' }, { path: '/x' }])
    assert.equal(capturedNode(other), undefined);
});

test('the environment sets the endpoints of traces and logs, their gRPC token, a protocol and Traceloop variables', () => {
  assert.equal(
    environmentLines(captureEnvironment('http://127.0.0.1:1/t/v1/traces')),
    [
      'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://127.0.0.1:1/t/v1/traces',
      'OTEL_EXPORTER_OTLP_TRACES_HEADERS=x-parallax-token=t',
      'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf',
      'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=http://127.0.0.1:1/t/v1/logs',
      'OTEL_EXPORTER_OTLP_LOGS_HEADERS=x-parallax-token=t',
      'OTEL_EXPORTER_OTLP_LOGS_PROTOCOL=http/protobuf',
      'TRACELOOP_BASE_URL=http://127.0.0.1:1/t',
      'OTEL_BSP_SCHEDULE_DELAY=200',
      'OTEL_BSP_MAX_EXPORT_BATCH_SIZE=64',
      'OTEL_METRICS_EXPORTER=none',
      'OTEL_LOGS_EXPORTER=none',
      '',
    ].join('\n'),
  );
  const own = captureEnvironment('http://127.0.0.1:1/t/v1/traces', { OTEL_METRICS_EXPORTER: 'prometheus' });
  assert.ok(!('OTEL_METRICS_EXPORTER' in own), 'what a program says itself stays');
});
