/** Questions without an answer, as `parallax eval` shows them. */
import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { evalCommand } from '../../../src/cli/commands/eval-command.ts';
import type { EvalReport } from '../../../src/cli/eval-report.ts';
import { workspace, WORSE } from './gate-support.ts';
import { files, inputs, lines, run, runJson } from './support.ts';

const TOPICS = ['ferry', 'bakery', 'orchard', 'quarry', 'library', 'harbour'];

const SET = {
  corpus: lines(TOPICS.map((topic) => ({ _id: topic, text: `A ${topic} brings visitors to a small town.` }))),
  queries: lines([
    ...TOPICS.map((topic) => ({
      _id: topic,
      text: `What does a ${topic} bring to a small town?`,
      perspectives: [{ id: 'p', text: `A ${topic} brings visitors.` }],
    })),
    ...TOPICS.map((_, place) => ({
      _id: `none${place}`,
      text: `Who owns number ${place}, and a town?`,
      answerable: false,
    })),
    { _id: 'void', text: 'zzz?', answerable: false },
  ]),
  qrels: TOPICS.map((topic) => `${topic} p ${topic} 1\n`).join(''),
};

test('false retrieval, AUROC and a threshold are shown without changing other figures', async (t) => {
  const places = await files(t, SET);
  const args = [...inputs(places), '--pipeline', 'bm25', '--k', '5'];
  const [pipeline] = (await runJson<EvalReport>(evalCommand, ...args)).pipelines;
  assert.equal(pipeline!.metrics['MRecall@5'], 1);
  assert.equal(pipeline!.queries.length, 6);
  const { questions, answerable, falseRetrieval, auroc, threshold } = pipeline!.unanswerable!;
  assert.deepEqual([questions, answerable], [7, 6]);
  assert.equal(falseRetrieval, 6 / 7, 'nothing has the word zzz');
  assert.equal(auroc!.value, 1);
  assert.deepEqual([threshold!.falseRetrieval, threshold!.lost], [0, 0]);
  const { stdout, stderr } = await run(evalCommand, ...args);
  assert.match(stdout, /7 questions without an answer:\npipeline .*AUROC/u);
  assert.match(
    stdout,
    /bm25: With a threshold of [\d.]+ on the score, passages are found for 0\.0% of them/u,
  );
  assert.doesNotMatch(stderr, /left out/u);
});

test('a set without such questions does not show them', async (t) => {
  const places = await files(t, { ...SET, queries: SET.queries.split('\n').slice(0, 6).join('\n') });
  const { stdout } = await run(evalCommand, ...inputs(places), '--pipeline', 'bm25');
  assert.doesNotMatch(stdout, /without an answer/u);
});

test('such questions alone, and one with perspectives, are reported in a sentence', async (t) => {
  const only = await files(t, { ...SET, queries: SET.queries.split('\n').slice(6).join('\n') });
  await assert.rejects(
    run(evalCommand, ...inputs(only), '--pipeline', 'bm25'),
    /share no question|All questions are without an answer/u,
  );
  const wrong = await files(t, {
    ...SET,
    queries: `${SET.queries}{"_id":"x","text":"Why?","answerable":false,"perspectives":["Because."]}\n`,
  });
  const { stderr } = await run(evalCommand, ...inputs(wrong), '--pipeline', 'bm25');
  assert.match(stderr, /answerable: false, but the question has perspectives that an answer would cover/u);
});

test('the gate notes them, and no check includes them', async (t) => {
  const own = await workspace(t, 6, { thresholds: [{ metric: 'MRecall@2', min: 1 }] });
  const file = path.join(own.folder, 'questions.jsonl');
  await appendFile(
    file,
    lines(
      TOPICS.map((_, place) => ({ _id: `none${place}`, text: `second words ${place}?`, answerable: false })),
    ),
  );
  // A step that is given perspectives cannot answer these, which is no false retrieval of 0.
  const coverage = await own.report();
  assert.equal(coverage.datasets[0]!.pipelines[0]!.unanswerable, undefined);
  await own.configure({
    pipelines: { mine: WORSE },
    gate: { pipelines: ['mine'], k: 2, thresholds: [{ metric: 'MRecall@2', min: 0 }] },
  });
  const report = await own.report();
  assert.deepEqual([report.code, report.outcome, report.datasets[0]!.queries], [0, 'passed', 6]);
  const { unanswerable, queries } = report.datasets[0]!.pipelines[0]!;
  assert.deepEqual(
    [unanswerable!.questions, unanswerable!.answerable, unanswerable!.falseRetrieval],
    [6, 6, 1],
  );
  assert.equal(queries.length, 6);
  const note = report.notes.find((text) => text.includes('without an answer'));
  assert.match(
    note ?? '',
    /^6 questions of "questions" without an answer, "mine": 100\.0 in 100 have passages in the top 2; AUROC of the score [\d.]+ \[.*\]\. /u,
  );
});

test('the gate can limit how many of them have passages', async (t) => {
  const own = await workspace(t, 6, {});
  const demand = (max: number, name = 'mine'): Promise<void> =>
    own.configure({
      pipelines: { mine: WORSE, coverage: { ...WORSE, rerank: [{ type: 'coverage', judge: 'labels' }] } },
      gate: { pipelines: [name], k: 2, falseRetrieval: { max } },
    });
  await demand(0.5);
  const none = await own.report();
  assert.equal(none.outcome, 'undecided');
  assert.match(none.checks[0]!.reason, /^No eval set has a question without an answer/u);
  const asked = TOPICS.map((_, place) => ({
    _id: `none${place}`,
    text: place < 2 ? 'Zebras?' : `second words ${place}?`,
    answerable: false,
  }));
  await appendFile(path.join(own.folder, 'questions.jsonl'), lines(asked));
  const missed = await own.report();
  assert.deepEqual([missed.code, missed.outcome], [1, 'missed']);
  assert.equal(
    missed.checks[0]!.reason,
    '4 of 6 questions without an answer have passages in the top 2, which is 66.7%. The gate allows 50.0%.',
  );
  for (const format of ['table', 'junit', 'sarif', 'github', 'html', 'markdown', 'latex'])
    assert.match((await own.gate('--format', format)).stdout, /false retrieval/u, format);
  await demand(0.7);
  assert.equal((await own.report()).outcome, 'passed');
  await demand(0.7, 'coverage');
  assert.match((await own.report()).checks[0]!.reason, /could not be asked/u);
});
