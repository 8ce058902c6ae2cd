/** BRIDGE with BEIR files, plain qrels, sets of gold answers, and two endpoints. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { answersView } from '../../../src/features/papers/cli/answers-view.ts';
import { evalCommand } from '../../../src/cli/commands/eval-command.ts';
import { judgeCommand } from '../../../src/cli/commands/judging/judge-command.ts';
import { poolView } from '../../../src/features/papers/cli/pool-view.ts';
import { isOfGold } from '../../../src/core/formats/gold-perspective.ts';
import { formatEvalSet, parseEvalSet } from '../../../src/core/formats/queries.ts';
import type { AnswerReport } from '../../../src/shared/answers.ts';
import { poolReportSchema } from '../../../src/shared/pool.ts';
import { argumentReply, type ChatRequest, type ModelServer } from '../../fixtures/model-server.ts';
import { readFenced } from '../../fixtures/read-prompts.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { serverFor } from '../judges/support.ts';
import { lines, run } from './support.ts';

const CORPUS = [
  { _id: 'd1', title: '', text: 'The tower was designed by Gustave Eiffel.' },
  { _id: 'd2', title: '', text: 'Eiffel designed the tower with two engineers, as everybody doubts.' },
  { _id: 'd3', title: '', text: 'Many people like the tower that was designed for Paris.' },
  { _id: 'd4', title: '', text: 'The tower opened in 1889.' },
  { _id: 'd5', title: '', text: 'In 1889 the tower opened to the public.' },
];
const QUERIES = [
  { _id: 'q1', text: 'Who designed the tower?', answers: ['Gustave Eiffel', 'Eiffel'] },
  { _id: 'q2', text: 'When was the tower opened?', answers: ['1889'] },
];
const QRELS = 'q1 0 d1 1\nq2 0 d4 1\n';
const TABLE_17 = {
  name: 'Filter',
  user: 'Enough for QUERY {question}\nDOCUMENT: {passage}\nANSWERS:\n{answers}\n{"is_supported": true/false}',
  answer: 'dream',
};
const TABLE_26 = {
  name: 'RAG',
  user: 'Answer QUERY: {question}\nCONTEXTS: {passages}\n{ "Answer": "your answer" }',
  answer: { field: 'Answer' },
};
const TABLE_25 = {
  name: 'Binary evaluation',
  user: 'QUERY: {question}\nGT ANSWERS:\n{answers}\nPREDICTED ANSWER: {prediction}\nTrue or False',
  answer: { yes: 'True', no: 'False' },
};

interface Bench {
  readonly argv: readonly string[];
  readonly judging: ModelServer;
  readonly writing: ModelServer;
  readonly folder: string;
}

const contentOf = ({ messages }: ChatRequest): string => messages.map(({ content }) => content).join('\n');

async function bridge(t: TestContext): Promise<Bench> {
  const folder = temporaryFolder(t);
  // The filter keeps what has an answer. Agents agree in round 1, except on what is doubted, which the second concedes.
  const judging = await serverFor(t, {
    chat: (request) => {
      const content = contentOf(request);
      if (content.startsWith('Enough for')) {
        const passage = /DOCUMENT: (.*)\n/u.exec(content)![1]!;
        const answers = [...content.matchAll(/^\d+\. (.*)$/gmu)].map(([, answer]) => answer!);
        return { text: JSON.stringify({ is_supported: answers.some((answer) => passage.includes(answer)) }) };
      }
      const { passage, 'own-argument': own } = readFenced(request.messages).texts;
      const isDoubted =
        passage!.includes('doubts') &&
        own === undefined &&
        /does not support the statement\. The other/u.test(content);
      return argumentReply(isDoubted ? 'no' : 'yes');
    },
  });
  const writing = await serverFor(t, {
    chat: (request) => {
      const content = contentOf(request);
      if (content.startsWith('Answer QUERY'))
        return {
          text: JSON.stringify({
            Answer: content.includes('designed the tower?') ? 'A Frenchman of Dijon' : 'It opened in 1889.',
          }),
        };
      return { text: content.includes('PREDICTED ANSWER: A Frenchman') ? 'True' : 'False' };
    },
  });
  const llama = { type: 'openai', baseUrl: judging.url, model: 'llama', maxRetries: 0 };
  const gpt = { type: 'openai', baseUrl: writing.url, model: 'gpt', maxRetries: 0 };
  const config = {
    judges: {
      llama,
      cheap: { ...llama, prompt: TABLE_17 },
      dream: { type: 'debate', preset: 'dream', agents: 'llama' },
      bridge: { type: 'filter', judges: ['cheap'], then: 'dream' },
      rag: { ...gpt, prompt: TABLE_26 },
      binary: { ...gpt, prompt: TABLE_25 },
    },
  };
  const write = (name: string, text: string): Promise<void> => writeFile(path.join(folder, name), text);
  await write('parallax.json', JSON.stringify(config));
  await write('corpus.jsonl', lines(CORPUS));
  await write('queries.jsonl', lines(QUERIES));
  await write('qrels.txt', QRELS);
  const named = (option: string, file: string): string[] => [`--${option}`, path.join(folder, file)];
  return {
    argv: [
      ...[
        ...named('corpus', 'corpus.jsonl'),
        ...named('queries', 'queries.jsonl'),
        ...named('qrels', 'qrels.txt'),
      ],
      ...[...named('config', 'parallax.json'), '--pipeline', 'bm25', '--k', '3', ...named('store', 'store')],
    ],
    judging,
    writing,
    folder,
  };
}

test('the pool is filled by debates on sets of answers, and comes out as plain qrels', async (t) => {
  const { argv, judging, folder } = await bridge(t);
  const filled = path.join(folder, 'filled.txt');
  const judged = [...argv, '--judge', 'bridge', '--write-qrels', filled];
  const { stdout } = await run(poolView, ...judged, '--json', '-');
  const [found] = poolReportSchema.parse(JSON.parse(stdout)).datasets;
  assert.equal(found!.holes, 2);
  // Of six pairs two are in the qrels. The filter keeps d2 for q1 and d5 for q2; the agents part on d2.
  const { candidates, kept, rounds } = found!.stages!;
  assert.ok(kept !== undefined && kept < candidates, `${kept} of ${candidates}`);
  assert.deepEqual([rounds.length, rounds[0]!.open, rounds[1]!.agreed, rounds[1]!.open], [2, 1, 1, 0]);
  assert.equal(rounds[0]!.agreed, kept - 1);
  const debates = judging.chatRequests.filter((request) => !contentOf(request).startsWith('Enough for'));
  for (const request of debates) {
    const { statement, question } = readFenced(request.messages).texts;
    if (question === 'Who designed the tower?')
      assert.equal(
        statement,
        'At least one of these answers to “Who designed the tower?” is right: “Gustave Eiffel”, “Eiffel”.',
      );
  }
  assert.equal(debates.length, 2 * kept + 2, 'one debate for all answers of a question');
  assert.ok(
    judging.chatRequests.some((request) =>
      contentOf(request).includes('ANSWERS:\n1. Gustave Eiffel\n2. Eiffel\n'),
    ),
  );
  const qrels = await readFile(filled, 'utf8');
  assert.match(qrels, /^q1 0 d2 1$/mu);
  assert.match(qrels, /^q2 0 d5 1$/mu);
  const before = judging.chatRequests.length;
  const table = await run(poolView, ...judged);
  assert.equal(judging.chatRequests.length, before, 'nothing is asked twice');
  assert.match(
    table.stdout,
    /pairs judged +kept by the filter +agreed in round 1 +not +agreed in round 2 +not/u,
  );
  // The filled qrels are plain: they need no judge.
  const again = argv.map((each) => (each.endsWith('qrels.txt') ? filled : each));
  const { pipelines } = JSON.parse((await run(evalCommand, ...again, '--json', '-')).stdout) as {
    pipelines: { metrics: Record<string, number> }[];
  };
  assert.equal(pipelines[0]!.metrics['Success@3'], 1);
});

test('prompts of the paper write and compare answers, and a literal gold answer needs no request', async (t) => {
  const { argv, writing } = await bridge(t);
  const asked = ['--generator', 'rag', '--judge', 'binary', '--baseline', 'no'];
  const { stdout, stderr } = await run(answersView, ...argv, ...asked, '--json', '-');
  const { datasets, generator, judge } = JSON.parse(stdout) as AnswerReport;
  assert.deepEqual([generator.prompt, judge.prompt], ['RAG', 'Binary evaluation']);
  const [bm25] = datasets[0]!.sources;
  assert.deepEqual([bm25!.judged, bm25!.byGold, bm25!.success!.value, bm25!.share!.value], [2, 2, 1, 1]);
  const requests = writing.chatRequests.map(contentOf);
  assert.equal(requests.filter((content) => content.startsWith('Answer QUERY')).length, 2);
  const compared = requests.filter((content) => content.startsWith('QUERY'));
  assert.deepEqual(compared, [
    'QUERY: Who designed the tower?\nGT ANSWERS:\n1. Gustave Eiffel\n2. Eiffel\nPREDICTED ANSWER: A Frenchman of Dijon\nTrue or False',
  ]);
  assert.match(stderr, /2 answers, 0 of them known; 4 requests/u);
  assert.ok(requests[0]!.includes('CONTEXTS: [1] '), requests[0]);
});

test('with the pool, gold answers decide without a request about perspectives', async (t) => {
  const { argv, writing, judging } = await bridge(t);
  const asked = ['--judge', 'bridge', '--generator', 'rag', '--answers-judge', 'llama'];
  const { stdout } = await run(poolView, ...argv, ...asked, '--json', '-');
  const [found] = (
    JSON.parse(stdout) as { datasets: { answers: { pipelines: { success: { value: number } }[] } }[] }
  ).datasets;
  assert.equal(found!.answers.pipelines[0]!.success.value, 0.5);
  assert.equal(writing.chatRequests.length, 2);
  assert.ok(judging.chatRequests.every((request) => !contentOf(request).includes('represents')));
});

test('figures are corrected by plain qrels that have a no, and cost nothing without one', async (t) => {
  const { argv, folder, judging } = await bridge(t);
  const places = Array.from({ length: 12 }, (_, place) => place);
  const write = (name: string, text: string): Promise<void> => writeFile(path.join(folder, name), text);
  await write(
    'corpus.jsonl',
    lines(
      places.flatMap((place) => [
        { _id: `right${place}`, title: '', text: `Tower${place} opened in 1889.` },
        { _id: `wrong${place}`, title: '', text: `Tower${place} opened, not in 1889.` },
      ]),
    ),
  );
  await write(
    'queries.jsonl',
    lines(places.map((place) => ({ _id: `q${place}`, text: `tower${place} opened`, answers: ['1889'] }))),
  );
  const corrected = async (qrels: (place: number) => string) => {
    await write('qrels.txt', places.map(qrels).join(''));
    const options = [...argv, '--k', '2', '--judge', 'cheap', '--corrected'];
    const before = judging.requests.length;
    const { stdout } = await run(evalCommand, ...options);
    return { stdout, sent: judging.requests.length - before };
  };
  const oneSided = await corrected((place) => `q${place} 0 right${place} 1\n`);
  assert.match(oneSided.stdout, /bm25: Not corrected for the judge's errors: no label is a no/u);
  assert.equal(oneSided.sent, 12, 'labelled pairs are not asked about in vain');
  const both = await corrected((place) => `q${place} 0 right${place} 1\nq${place} 0 wrong${place} 0\n`);
  assert.equal(both.sent, 12);
  assert.match(both.stdout, /bm25 +Precision@2 +50\.0 +50\.0 +\[50\.0, 50\.0\]/u);
});

test('a prompt about answers judges no passages, and qrels without gold answers name the query', async (t) => {
  const { argv, folder } = await bridge(t);
  await assert.rejects(
    run(poolView, ...argv, '--judge', 'binary'),
    /The prompt of "binary" judges answers \(\{prediction\}\)\. To judge passages, name a judge whose prompt has \{passage\}\./u,
  );
  await writeFile(path.join(folder, 'queries.jsonl'), lines([QUERIES[0]!, { _id: 'q2', text: 'When?' }]));
  await assert.rejects(
    run(poolView, ...argv, '--judge', 'bridge'),
    /qrels\.txt does not tell perspectives apart, and .*queries\.jsonl has no gold answers \("answers"\) for the question "q2": a judge needs either\./u,
  );
});

test('labelled pairs with sets of answers validate a judge', async (t) => {
  const { argv, folder, judging } = await bridge(t);
  const labels = path.join(folder, 'labels.jsonl');
  const { answers, text: question } = QUERIES[0]!;
  const pairs = CORPUS.map(({ text }, place) => ({
    question,
    document: text,
    answers,
    label: place < 2 ? 1 : 0,
  }));
  await writeFile(labels, lines(pairs));
  const config = argv.slice(argv.indexOf('--config'), argv.indexOf('--config') + 2);
  const { stdout } = await run(judgeCommand, 'validate', '--labels', labels, '--judge', 'cheap', ...config);
  assert.match(stdout, /cheap/u);
  assert.ok(
    judging.chatRequests.every((request) => contentOf(request).includes('1. Gustave Eiffel\n2. Eiffel')),
  );
});

test('an eval set with gold answers has one perspective, which is not written back', () => {
  const { queries } = parseEvalSet(lines(QUERIES), 'queries.jsonl');
  assert.ok(queries.every(isOfGold));
  assert.equal(queries[1]!.perspectives[0]!.text, 'The answer to “When was the tower opened?” is “1889”.');
  const written = formatEvalSet(queries);
  assert.doesNotMatch(written, /perspectives/u);
  assert.deepEqual(parseEvalSet(written, 'again').queries, queries);
});
