/** The output of commands on new documents and questions without judgements. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { analysesView } from '../../../src/cli/commands/views/analyses.ts';
import { evalCommand } from '../../../src/cli/commands/eval-command.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { judgeServer } from './judging-support.ts';
import { files, inputs, lines, run, runJson, topics } from './support.ts';

interface Report {
  readonly pipelines: readonly {
    readonly metrics: Readonly<Record<string, number>>;
    readonly judged: Readonly<Record<string, number>>;
  }[];
  readonly comparisons: readonly { readonly metric: string }[];
}

/** A folder of two long documents, and a question about them. */
async function ownDocuments(t: Parameters<typeof temporaryFolder>[0]): Promise<readonly string[]> {
  const folder = await temporaryFolder(t);
  const documents = path.join(folder, 'docs');
  await mkdir(documents);
  for (const name of ['first', 'second'])
    await writeFile(
      path.join(documents, `${name}.md`),
      `# ${name}\n\n${`Taxes on sugar are discussed in ${name}. `.repeat(60)}\n`,
    );
  const questions = path.join(folder, 'questions.jsonl');
  await writeFile(
    questions,
    lines([{ _id: 'q', text: 'Should sugar be taxed?', perspectives: ['It should.', 'It should not.'] }]),
  );
  return ['--corpus', documents, '--queries', questions];
}

const TWO = ['--pipeline', 'bm25', '--pipeline', 'dense'];

test('without judgements there are no figures of support, and no green', async (t) => {
  const asked = [...(await ownDocuments(t)), ...TWO];
  const { code, stdout } = await run(evalCommand, ...asked);
  assert.equal(code, 1);
  assert.match(stdout, /^Nothing that was retrieved is judged/mu);
  assert.doesNotMatch(stdout, /MRecall/u);
  const { pipelines, comparisons } = await runJson<Report>(evalCommand, ...asked);
  for (const { metrics, judged } of pipelines) {
    assert.equal(judged['@5'], 0);
    assert.ok('Documents@5' in metrics, 'what rests on no judgement is there');
    for (const name of ['MRecall@5', 'Precision@5', 'nDCG@5', 'Success@5'])
      assert.ok(!(name in metrics), name);
  }
  assert.ok(comparisons.every(({ metric }) => !metric.startsWith('MRecall')));
});

test('a figure that verdicts may raise is marked, and a difference names its number of queries', async (t) => {
  const { corpus, queries } = topics(2);
  const places = await files(t, { corpus, queries });
  const folder = path.dirname(places.corpus);
  await mkdir(path.join(folder, '.parallax'));
  const before = process.cwd();
  process.chdir(folder);
  t.after(() => process.chdir(before));
  const pairs = ['pro a 1 yes', 'con a 1 no', 'pro b 1 yes', 'con b 1 no', 'pro a 2 yes', 'con a 2 no'];
  await writeFile(
    path.join(folder, '.parallax', 'judgements.jsonl'),
    lines(
      pairs.map((pair) => {
        const [perspective, letter, n, verdict] = pair.split(' ');
        const perspectiveText = perspective === 'pro' ? 'first or second' : 'third';
        const by = { kind: 'human', name: 'ann' };
        const at = '2026-01-01T00:00:00Z';
        const document = `${letter}${n}`;
        return { v: 1, query: `q${n}`, perspective, perspectiveText, document, verdict, by, at };
      }),
    ),
  );
  const twin = '{"name":"twin","retriever":{"type":"bm25"}}';
  const { stdout } = await run(
    evalCommand,
    ...['--corpus', places.corpus, '--queries', places.queries],
    ...['--pipeline', 'bm25', '--pipeline', twin, '--k', '2'],
  );
  assert.match(stdout, /Unjudged passages count as not supporting: a figure with ≥ can rise\./u);
  assert.match(stdout, /^bm25 +≥ 0\.0 +≥ 75\.0 /mu);
  assert.match(stdout, /^twin +MRecall@2 +\+0\.0 .* 0 +0 +1$/mu);
});

test('missing judgements are not named as used', async (t) => {
  const asked = [...(await ownDocuments(t)), '--pipeline', 'bm25'];
  const alone = await run(evalCommand, ...asked);
  assert.match(
    alone.stdout,
    /^1 question; judgements: none \(there is no \.parallax\/judgements\.jsonl\)\.$/mu,
  );
  const { judge } = await judgeServer(t);
  const judged = await run(evalCommand, ...asked, '--judge', judge);
  assert.match(judged.stdout, /^1 question; judgements: openai scripted\.$/mu);
});

test('qrels without any retrieved passage are read normally', async (t) => {
  const places = await files(t, { ...topics(2), qrels: 'q1 pro a2 1\n' });
  const argv = [...inputs(places), '--pipeline', 'bm25'];
  const { pipelines } = await runJson<Report>(evalCommand, ...argv);
  assert.equal(pipelines[0]!.metrics['MRecall@5'], 0);
  const lost = await run(analysesView, ...argv, '--view', 'lost');
  assert.equal(lost.code, 0);
  assert.match(lost.stdout, / 0\.0$/mu);
  assert.doesNotMatch(lost.stdout, /Nothing that was retrieved/u);
});

test('qrels without any passage of the corpus do not apply to it', async (t) => {
  const places = await files(t, { ...topics(1), qrels: 'q1 pro elsewhere 1\nq1 con nowhere 0\n' });
  const argv = [...inputs(places), ...TWO];
  const { code, stdout, stderr } = await run(evalCommand, ...argv);
  assert.equal(code, 1);
  assert.match(stderr, /2 of 2 judged passages .* are not in the corpus/u);
  assert.match(stdout, /^Nothing that was retrieved is judged/mu);
  assert.doesNotMatch(stdout, /MRecall|0\.0/u);
  for (const { metrics } of (await runJson<Report>(evalCommand, ...argv)).pipelines)
    assert.ok(!('MRecall@5' in metrics));
});

test('plain qrels of another corpus do not apply, either', async (t) => {
  const places = await files(t, { ...topics(1), qrels: 'q1 0 elsewhere 1\n' });
  const { code, stdout } = await run(evalCommand, ...inputs(places), '--pipeline', 'bm25');
  assert.equal(code, 1);
  assert.match(stdout, /^Nothing that was retrieved is judged/mu);
});

for (const view of ['lost', 'set-size', 'analyses'])
  test(`--view ${view} says so, too, and is not green`, async (t) => {
    const documents = [...(await ownDocuments(t)), ...TWO];
    const places = await files(t, { ...topics(1), qrels: 'q1 pro elsewhere 1\n' });
    for (const asked of [documents, [...inputs(places), ...TWO]]) {
      const { code, stdout } = await run(evalCommand, ...asked, '--view', view);
      assert.equal(code, 1);
      assert.match(stdout, /^Nothing that was retrieved is judged/mu);
      assert.doesNotMatch(stdout, / 0\.0$/mu);
      const written = await run(evalCommand, ...asked, '--view', view, '--json', '-');
      assert.equal(written.code, 1);
      assert.doesNotMatch(written.stdout, /"mrecall"/u);
    }
  });

test('unreached passages need no judgement', async (t) => {
  const asked = await ownDocuments(t);
  const { code, stdout } = await run(evalCommand, ...asked, '--pipeline', 'bm25', '--view', 'unreached');
  assert.equal(code, 0);
  assert.doesNotMatch(stdout, /Nothing that was retrieved/u);
});

test('a folder is split as in the editor, an index keeps its passages, qrels name documents', async (t) => {
  const documents = await ownDocuments(t);
  const store = path.join(await temporaryFolder(t), 'store');
  const unreached = async (...more: string[]): Promise<number> => {
    const { datasets } = await runJson<{
      datasets: readonly { unreached: { passages: number } }[];
    }>(analysesView, ...documents, '--pipeline', 'bm25', '--view', 'unreached', ...more);
    return datasets[0]!.unreached.passages;
  };
  const cut = await unreached();
  assert.ok(cut > 2, `${cut} passages of two documents of some 400 words`);
  assert.equal(await unreached('--split', 'none', '--store', store), 2);
  assert.equal(await unreached('--store', store), 2);
  const qrels = path.join(await temporaryFolder(t), 'qrels.txt');
  await writeFile(qrels, 'q p1 docs/first.md 1\n');
  assert.equal(await unreached('--qrels', qrels), 2);
});

test('views that do not apply to the questions cost nothing', async (t) => {
  const documents = await ownDocuments(t);
  const { judge, server } = await judgeServer(t);
  const asked = [...documents, '--pipeline', 'bm25', '--judge', judge];
  const { code, stdout, stderr } = await run(
    analysesView,
    ...asked,
    '--view',
    'leaning,sycophancy,groups,union',
  );
  assert.equal(server.chatRequests.length, 0);
  assert.equal(code, 0);
  assert.match(stdout, /^leaning is left out: .*parallax build stances/mu);
  assert.doesNotMatch(stderr, /are not judged/u);
  await run(analysesView, ...asked, '--view', 'lost');
  assert.ok(server.chatRequests.length > 0);
});

test('a pipeline without an embedding model is marked', async (t) => {
  const asked = await ownDocuments(t);
  const { judge } = await judgeServer(t);
  const pipelines = [...TWO, '--pipeline', '{"retriever":{"type":"dense","embedder":"hashing"}}'];
  const { stdout } = await run(evalCommand, ...asked, ...pipelines, '--judge', judge);
  assert.match(stdout, /^\{.*: with hashed words in the place of an embedding model/mu);
  const { stdout: views } = await run(analysesView, ...asked, ...pipelines, '--view', 'lost');
  assert.match(views, /^\{.*: with hashed words in the place of an embedding model/mu);
});
