/** From reviewed drafts to an eval set and the review queue, and label sets. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parseEvalSet } from '../../../src/core/formats/queries.ts';
import { BUILT_IN_PIPELINES } from '../../../src/core/pipeline.ts';
import { acceptDrafts } from '../../../src/features/building/engine/accept-drafts.ts';
import { parseLabels } from '../../fixtures/parse-labels.ts';
import { benchFor, type Bench } from './support.ts';

const CORPUS = { from: 'corpus', corpus: 'town' } as const;
const AT = '2026-01-02T00:00:00.000Z';

function acceptAll(bench: Bench): void {
  writeFileSync(
    bench.draftsFile,
    readFileSync(bench.draftsFile, 'utf8').replaceAll('"proposed"', '"accepted"'),
  );
}

test('accepted drafts are added to the eval set once, and their passages wait for people', async (t) => {
  const bench = await benchFor(t);
  await bench.build(CORPUS);
  const evalSet = path.join(bench.folder, 'eval/town.parallax.jsonl');
  const params = { drafts: bench.draftsFile, evalSet, corpus: 'town' };
  assert.deepEqual(await bench.ask('acceptDrafts', params), {
    added: 0,
    already: 0,
    waiting: 3,
    queued: 0,
    warnings: [],
  });
  assert.equal(existsSync(evalSet), false);
  acceptAll(bench);
  const first = await bench.ask('acceptDrafts', params);
  assert.deepEqual(first, { added: 3, already: 0, waiting: 0, queued: 12, warnings: [] });
  const { queries, warnings } = parseEvalSet(readFileSync(evalSet, 'utf8'), 'e');
  assert.deepEqual(warnings, []);
  assert.deepEqual(queries.map(({ text }) => text).sort(), [
    'Is topica good?',
    'Is topicb good?',
    'Is topicc good?',
  ]);
  assert.deepEqual(
    queries[0]!.perspectives.map(({ stance, stanceBy }) => [stance, stanceBy]),
    [
      ['support', 'model'],
      ['oppose', 'model'],
    ],
  );
  const queue = await bench.ask('reviewQueue', { by: 'ann' });
  assert.equal(queue.open, 12);
  assert.ok(
    queue.entries.every(({ query, reason }) => /^q-[0-9a-f]{16}$/.test(query.id!) && reason === 'hole'),
  );
  const again = await bench.ask('acceptDrafts', params);
  assert.deepEqual([again.added, again.already, again.queued], [0, 3, 0]);
  assert.equal(parseEvalSet(readFileSync(evalSet, 'utf8'), 'e').queries.length, 3);
});

test('existing lines of the eval set stay unchanged', async (t) => {
  const bench = await benchFor(t, { topics: ['topica'] });
  await bench.build(CORPUS);
  acceptAll(bench);
  const own = '{ "_id":"own",  "text":"Mine?", "weight": 1.50, "perspectives":["Yes."] }';
  const evalSetFile = bench.write('mine.jsonl', own);
  const { accepted } = await acceptDrafts({ draftsFile: bench.draftsFile, evalSetFile, at: AT });
  assert.equal(accepted.length, 1);
  const [first, second] = readFileSync(evalSetFile, 'utf8').split('\n');
  assert.equal(first, own);
  assert.ok(second!.startsWith('{"_id":"q-'));
});

test('labels are imported only into a named file', async (t) => {
  const bench = await benchFor(t, { topics: ['topica'] });
  await bench.build(CORPUS, { judge: 'judge' });
  acceptAll(bench);
  const labelsFile = path.join(bench.folder, 'labels/own.jsonl');
  const evalSetFile = path.join(bench.folder, 'e.jsonl');
  const report = await acceptDrafts({ draftsFile: bench.draftsFile, evalSetFile, labelsFile, at: AT });
  assert.equal(report.labels, 4);
  const { labels, warnings } = parseLabels(readFileSync(labelsFile, 'utf8'));
  assert.deepEqual(warnings, []);
  assert.deepEqual(new Set(labels.map(({ by }) => `${by.kind} ${by.name}`)), new Set(['imported judge']));
  assert.deepEqual(labels.map(({ verdict }) => verdict).sort(), ['no', 'no', 'yes', 'yes']);
});

test('an eval set of another form is not changed, and neither are the labels', async (t) => {
  const bench = await benchFor(t, { topics: ['topica'] });
  await bench.build(CORPUS);
  acceptAll(bench);
  const evalSetFile = bench.write('notes.txt', 'Buy milk.\n');
  const labelsFile = path.join(bench.folder, 'own.jsonl');
  await assert.rejects(
    acceptDrafts({ draftsFile: bench.draftsFile, evalSetFile, labelsFile, at: AT }),
    /Line 1/,
  );
  assert.equal(readFileSync(evalSetFile, 'utf8'), 'Buy milk.\n');
  assert.equal(existsSync(labelsFile), false);
  await assert.rejects(
    acceptDrafts({ draftsFile: evalSetFile, evalSetFile: path.join(bench.folder, 'e.jsonl'), at: AT }),
    /Not a file of drafts/,
  );
});

test('two eval sets never share an id', async (t) => {
  const bench = await benchFor(t);
  await bench.build(CORPUS);
  acceptAll(bench);
  const ids = [];
  for (const name of ['a.parallax.jsonl', 'b.parallax.jsonl']) {
    const evalSetFile = path.join(bench.folder, name);
    const { accepted } = await acceptDrafts({ draftsFile: bench.draftsFile, evalSetFile, at: AT });
    ids.push(...accepted.map(({ id }) => id));
  }
  assert.equal(new Set(ids).size, 6);
});

test('a label set: results of two retrievers wait for people, each pair once', async (t) => {
  const bench = await benchFor(t);
  const queries = ['topica', 'topicb'].map((topic) => ({
    id: topic,
    text: `What of ${topic}?`,
    perspectives: [
      { id: 'p1', text: `${topic} is praised` },
      { id: 'p2', text: `${topic} is cursed` },
    ],
  }));
  const pipelines = [BUILT_IN_PIPELINES.bm25, BUILT_IN_PIPELINES.dense];
  const params = {
    corpus: 'town',
    queries: [...queries, { id: 'bare', text: 'Bare?', perspectives: [] }],
    pipelines,
    k: 2,
  };
  const report = await bench.ask('labelSet', params);
  const { entries } = await bench.ask('reviewQueue', { by: 'ann' });
  assert.equal(report.added, entries.length);
  assert.equal(report.found, report.added);
  const pairs = entries.map(
    ({ query, perspective, documentId }) => `${query.id} ${perspective.id} ${documentId}`,
  );
  assert.equal(new Set(pairs).size, pairs.length);
  for (const topic of ['topica', 'topicb'])
    for (const side of ['for', 'against'])
      for (const id of ['p1', 'p2'])
        assert.ok(pairs.includes(`${topic} ${id} docs/${topic}-${side}.md`), topic);
  assert.deepEqual((await bench.ask('labelSet', params)).added, 0);
});
