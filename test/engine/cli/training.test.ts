/** Exports of judgements for training a judge and a retriever. */
import assert from 'node:assert/strict';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { convertCommand } from '../../../src/cli/commands/convert-command.ts';
import { evalCommand } from '../../../src/cli/commands/eval-command.ts';
import { judgeCommand } from '../../../src/cli/commands/judging/judge-command.ts';
import { readPairPrompt } from '../../fixtures/read-prompts.ts';
import { verdictReply } from '../../fixtures/model-server.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { judgeServer } from './judging-support.ts';
import { files, inputs, run, topics } from './support.ts';

interface Pair {
  readonly question: string;
  readonly document: string;
  readonly perspective: string;
  readonly label: number;
  readonly evidence?: readonly string[];
}

interface Triple {
  readonly root: string;
  readonly perspective: string;
  readonly positive: string;
  readonly negative: string;
}

const parsed = async <T>(file: string): Promise<T[]> =>
  (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

test('what a judge says becomes pairs with evidence, which validate a judge, and triples', async (t) => {
  const places = await files(t, { ...topics(2), qrels: 'q1 con a1 0\nq2 con a2 0\n' });
  const { judge } = await judgeServer(t, ({ messages }) => {
    const { passage, statement } = readPairPrompt(messages);
    const word = ['first', 'second', 'third'].find(
      (each) => passage.includes(each) && statement.includes(each),
    );
    return verdictReply(word ? 'yes' : 'no', word ?? null);
  });
  const folder = temporaryFolder(t);
  const [filled, pairs, triples] = ['filled.txt', 'pairs.jsonl', 'triples.jsonl'].map((name) =>
    path.join(folder, name),
  );
  await run(
    evalCommand,
    ...[...inputs(places), '--pipeline', 'bm25', '--k', '3', '--scope', 'everything', '--judge', judge],
    ...['--write-qrels', filled!],
  );
  // A BEIR folder, as corpus and queries are named in it.
  const beir = path.join(folder, 'beir');

  await mkdir(beir);
  await copyFile(places.corpus, path.join(beir, 'corpus.jsonl'));
  await copyFile(places.queries, path.join(beir, 'queries.jsonl'));
  const { stderr } = await run(
    convertCommand,
    ...['--from', `beir=${beir}`, '--from', `judged=${filled}.judges.jsonl`],
    ...['--to', `pairs=${pairs}`, '--to', `triples=${triples}`],
  );
  assert.doesNotMatch(stderr, /left out/u);
  const found = await parsed<Pair>(pairs!);
  assert.equal(found.length, 12, 'three passages and two perspectives of two questions');
  assert.deepEqual(
    found.find(
      ({ document, perspective }) =>
        document.includes('topic1') && document.includes('second') && perspective === 'first or second',
    ),
    {
      question: 'topic1',
      document: 'topic1 topic1 second other',
      perspective: 'first or second',
      label: 1,
      stance: 'support',
      evidence: ['second'],
    },
  );
  assert.equal(found.filter(({ label }) => label === 1).length, 6);
  const made = await parsed<Triple>(triples!);
  // Two passages support "pro" and one "con": two triples for either.
  assert.equal(made.length, 8);
  assert.deepEqual(
    made.find(({ root, perspective }) => root === 'topic1' && perspective === 'third'),
    {
      root: 'topic1',
      perspective: 'third',
      positive: 'topic1 third other words',
      negative: 'topic1 topic1 topic1 first',
    },
  );
  const validated = await run(judgeCommand, 'validate', '--labels', pairs!, '--judge', 'lexical');
  assert.match(validated.stdout, /12/u);
});

test('nothing to train on is said in a sentence', async (t) => {
  const places = await files(t, topics(1));
  await assert.rejects(
    run(convertCommand, '--from', `eval-set=${places.queries}`, '--to', 'pairs=-'),
    /There is nothing to train on: it needs texts of passages, queries with perspectives, and judgements/u,
  );
});
