/** `parallax check --eval-set` on small files with planted defects. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { checkCommand } from '../../../src/cli/commands/check-command.ts';
import { evalCommand } from '../../../src/cli/commands/eval-command.ts';
import type { EvalSetReport } from '../../../src/features/eval-set-check/core/report.ts';
import { sampleWorkspace } from './gate-support.ts';
import { files, lines, run, runJson } from './support.ts';

const TOPICS = ['ferry', 'bakery', 'orchard', 'quarry', 'library', 'harbour', 'windmill', 'market'];

/** Two passages a topic, one for each side, without defects. */
function clean() {
  const corpus = TOPICS.flatMap((topic) => [
    { _id: `${topic}-pro`, text: `A ${topic} brings visitors and money to a small town.` },
    { _id: `${topic}-con`, text: `Noise and lorries come with every ${topic} sooner or later.` },
  ]);
  const queries = TOPICS.map((topic) => ({
    _id: topic,
    text: `Would our town be better off with a ${topic}?`,
    perspectives: [
      { id: 'pro', text: `The ${topic} is good for trade.` },
      { id: 'con', text: `The ${topic} disturbs neighbours.` },
    ],
  }));
  const qrels = TOPICS.flatMap((topic) => [`${topic} pro ${topic}-pro 1`, `${topic} con ${topic}-con 1`]);
  return { corpus, queries, qrels };
}

async function checked(
  t: Parameters<typeof files>[0],
  { corpus, queries, qrels }: ReturnType<typeof clean>,
  ...more: string[]
): Promise<{ report: EvalSetReport; code: number; stdout: string }> {
  const places = await files(t, {
    corpus: lines(corpus),
    queries: lines(queries),
    qrels: `${qrels.join('\n')}\n`,
  });
  const args = ['--eval-set', places.queries, '--corpus', places.corpus, '--qrels', places.qrels, ...more];
  const { code, stdout } = await run(checkCommand, ...args);
  const json = await run(checkCommand, ...args, '--json');
  return { report: JSON.parse(json.stdout) as EvalSetReport, code, stdout };
}

test('a clean set has no findings, and its power is shown', async (t) => {
  const { code, stdout, report } = await checked(t, clean());
  assert.equal(code, 0);
  assert.match(stdout, /: 8 questions with 16 perspectives, k = 5\n/u);
  assert.match(
    stdout,
    /8 questions: differences below 75 points of MRecall@5 cannot be shown; about \d+ more/u,
  );
  assert.match(stdout, /Nothing to fix was found\./u);
  assert.equal(report.showable[0]!.isMeasured, false);
});

test('each planted defect is found in its place', async (t) => {
  const set = clean();
  const [first, second, third] = set.queries as [
    (typeof set.queries)[0],
    (typeof set.queries)[0],
    (typeof set.queries)[0],
  ];
  set.queries.push({ ...first, _id: 'again', text: 'So, would our town be better off with a ferry!' });
  set.qrels.push('again pro ferry-pro 1', 'again con ferry-con 1');
  second.perspectives.push({ id: 'same', text: 'The bakery is really good for trades' });
  set.qrels.push('bakery same bakery-pro 1');
  third.text = 'Do noise and lorries come with every orchard sooner or later?';
  const without = set.qrels.filter((line) => !line.startsWith('quarry con'));
  const { report, code, stdout } = await checked(t, { ...set, qrels: [...without, 'quarry con gone 1'] });
  assert.equal(code, 1);
  assert.deepEqual(report.sameQuestions, [{ query: 'again', as: 'ferry' }]);
  assert.deepEqual(report.samePerspectives, [{ query: 'bakery', perspective: 'same', as: 'pro' }]);
  assert.deepEqual(
    report.sharedWords!.map(({ query, passage }) => [query, passage]),
    [['orchard', 'orchard-con']],
  );
  assert.deepEqual(report.unwinnable, [{ query: 'quarry', perspectives: ['con'] }]);
  assert.deepEqual(report.lostLabels, { labels: 19, lost: 1, examples: [{ document: 'gone', labels: 1 }] });
  assert.match(stdout, /To fix:\n- 1 of 19 labels do not match this corpus/u);
});

test('queries that depend on one document are counted', async (t) => {
  const set = clean();
  set.qrels = TOPICS.flatMap((topic) => [`${topic} pro ferry-pro 1`, `${topic} con ${topic}-con 1`]);
  const { report, stdout } = await checked(t, set);
  assert.equal(report.onOneDocument!.document, 'ferry-pro');
  assert.equal(report.onOneDocument!.queries.length, 8);
  assert.match(stdout, /8 of 8 questions can be won only with ferry-pro\./u);
});

test('with pipelines, questions that all of them win are named and differences are measured', async (t) => {
  const { report } = await checked(
    t,
    clean(),
    '--pipeline',
    'bm25',
    '--pipeline',
    '{"name":"one","retriever":{"type":"bm25"},"k":5,"rerank":[{"type":"mmr"}]}',
  );
  assert.deepEqual(report.pipelines, ['bm25', 'one']);
  assert.ok(report.won!.length > 0);
  assert.deepEqual(
    report.showable.map(({ measure, isMeasured }) => [measure, isMeasured]),
    ['MRecall@5', 'Precision@5', 'StRecall@5', 'alpha_nDCG@5', 'nDCG@5'].map((name) => [name, true]),
  );
});

test('the sample’s labels fit its documents and cover its pipelines’ results', async (t) => {
  const { folder, config } = await sampleWorkspace(t, { pipelines: ['bm25'] });
  const evalSet = path.join(folder, 'eval/questions.parallax.jsonl');
  const check = await run(checkCommand, '--eval-set', evalSet, '--config', config, '--pipeline', 'bm25');
  assert.match(check.stdout, /Nothing to fix was found\./u);

  const { pipelines } = await runJson<{
    pipelines: readonly { name: string; judged: Record<string, number> }[];
  }>(evalCommand, '--config', config, '--k', '5');
  assert.deepEqual(
    pipelines.map(({ name, judged }) => [name, judged['@5']]),
    ['bm25', 'dense', 'hybrid', 'bm25 + MMR', 'bm25 + expansion', 'bm25 + coverage'].map((name) => [name, 1]),
  );
});
