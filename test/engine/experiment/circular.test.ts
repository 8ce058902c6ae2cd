/** If the judge that made a ranking also scores it, no significance is claimed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answersView } from '../../../src/features/papers/cli/answers-view.ts';
import { evalCommand } from '../../../src/cli/commands/eval-command.ts';
import { circularIn, judgeOfBoth } from '../../../src/engine/experiment/circular.ts';
import { JudgementTally } from '../../../src/core/judging/judgement-tally.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import type { AnswerReport } from '../../../src/shared/answers.ts';
import { judgeSchema } from '../../../src/shared/judge-config.ts';
import { byTellingWord, judgeServer } from '../cli/judging-support.ts';
import { files, inputs, run, runJson, topics } from '../cli/support.ts';
import type { ChatReply, ChatRequest } from '../../fixtures/model-server.ts';
import { readFenced } from '../../fixtures/read-prompts.ts';
import { byLastWord, partIn, repeating, type Part } from '../answers/support.ts';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

interface Report {
  readonly pipelines: { name: string; circular?: string }[];
  readonly comparisons: { pipeline: string; metric: string; difference: number; p?: number }[];
}

const COVERAGE = (judge: string): string =>
  JSON.stringify({
    name: `coverage-${judge}`,
    retriever: { type: 'bm25' },
    k: 2,
    rerank: [{ type: 'coverage', judge }],
  });

/** Whether a request is about a passage; otherwise it is about an answer. */
const isOfPair = ({ messages }: ChatRequest): boolean => 'passage' in readFenced(messages).texts;

const ofAnswers = (part: Part): ChatReply => (part.kind === 'write' ? repeating(part) : byLastWord(part));

async function asked(t: Parameters<typeof files>[0], names: readonly string[]) {
  const { corpus, queries, qrels } = topics(4);
  const places = await files(t, { corpus, queries, qrels });
  const { judge } = await judgeServer(t);
  const folder = temporaryFolder(t);
  const config = path.join(folder, 'parallax.json');
  const own = JSON.parse(judge) as object;
  // The same model with another prompt, and another model.
  const judges = { J: own, again: { ...own, shots: 1 }, other: { ...own, model: 'another' } };
  await writeFile(config, JSON.stringify({ judges }));
  const argv = ['--corpus', places.corpus, '--queries', places.queries, '--config', config, '--k', '2'];
  const pipelines = ['--pipeline', 'bm25', ...names.flatMap((name) => ['--pipeline', COVERAGE(name)])];
  return { argv: [...argv, ...pipelines], places };
}

test('a judge that scores its own ranking marks the figure and withholds its p-value', async (t) => {
  const { argv } = await asked(t, ['J', 'again', 'other']);
  const { pipelines, comparisons } = await runJson<Report>(evalCommand, ...argv, '--judge', 'J');
  assert.deepEqual(
    pipelines.map(({ name, circular }) => [name, circular]),
    [
      ['bm25', undefined],
      ['coverage-J', 'J'],
      ['coverage-again', 'again'],
      ['coverage-other', undefined],
    ],
  );
  const headline = comparisons.filter(({ metric }) => metric === 'MRecall@2');
  assert.deepEqual(
    headline.map(({ pipeline, p }) => [pipeline, p !== undefined]),
    [
      ['coverage-J', false],
      ['coverage-again', false],
      ['coverage-other', true],
    ],
  );
  assert.ok(headline[0]!.difference > 0, 'the gain is there, and certifies nothing');
  const { stdout } = await run(evalCommand, ...argv, '--judge', 'J');
  assert.match(stdout, /^coverage-J +MRecall@2 .* circular /mu);
  assert.match(stdout, /^coverage-J is circular: J both ranked and judged these passages/mu);
});

test("people's labels and qrels lift the mark", async (t) => {
  const { argv, places } = await asked(t, ['J']);
  const [corpus, queries, config] = [places.corpus, places.queries, argv[argv.indexOf('--config') + 1]!];
  const pipelines = argv.slice(argv.indexOf('--pipeline'));
  const qrels = inputs({ corpus, queries, qrels: places.qrels });
  const report = await runJson<Report>(evalCommand, ...qrels, '--config', config, '--k', '2', ...pipelines);
  assert.deepEqual(
    report.pipelines.map(({ circular }) => circular),
    [undefined, undefined],
  );
  assert.ok(report.comparisons.every(({ p }) => p !== undefined));
});

test('answers from a ranking made by their judge are marked', async (t) => {
  const places = await files(t, topics(3));
  const { judge } = await judgeServer(t, (request) =>
    isOfPair(request) ? byTellingWord(request) : ofAnswers(partIn(request)),
  );
  const config = path.join(temporaryFolder(t), 'parallax.json');
  const own = JSON.parse(judge) as object;
  await writeFile(config, JSON.stringify({ judges: { J: own, other: { ...own, model: 'another' } } }));
  const pipelines = ['J', 'other'].flatMap((name) => ['--pipeline', COVERAGE(name)]);
  const argv = [...inputs(places), '--config', config, '--k', '2', '--pipeline', 'bm25', ...pipelines];
  const report = await runJson<AnswerReport>(answersView, ...argv, '--judge', 'J');
  assert.deepEqual(
    report.datasets[0]!.sources.map(({ name, circular }) => [name, circular]),
    [
      ['bm25', undefined],
      ['coverage-J', 'J'],
      ['coverage-other', undefined],
      ['none', undefined],
      ['gold', undefined],
    ],
  );
  const { stdout } = await run(answersView, ...argv, '--judge', 'J');
  assert.match(
    stdout,
    /^coverage-J is circular: J both ordered its passages and judges what comes of them/mu,
  );
  assert.doesNotMatch(stdout, /^coverage-other is circular/mu);
});

test('the same model behind the same endpoint is the same opinion', () => {
  const openai = (model: string, more: object = {}) =>
    judgeSchema.parse({ type: 'openai', mode: 'pair', model, ...more });
  const judges = {
    a: openai('m'),
    b: openai('m', { shots: 1 }),
    c: openai('n'),
    l: judgeSchema.parse({ type: 'lexical' }),
  };
  const pipeline = parsePipeline({ retriever: { type: 'bm25' }, rerank: [{ type: 'coverage', judge: 'a' }] });
  assert.equal(judgeOfBoth(pipeline, 'a', { judges }), 'a');
  assert.equal(judgeOfBoth(pipeline, 'b', { judges }), 'a');
  assert.equal(judgeOfBoth(pipeline, 'c', { judges }), undefined);
  assert.equal(judgeOfBoth(pipeline, 'l', { judges }), undefined);
  assert.equal(judgeOfBoth(pipeline, undefined, { judges }), undefined);
  assert.equal(judgeOfBoth(pipeline, 'unknown', { judges }), undefined);
  assert.equal(judgeOfBoth(pipeline, 'b', { judges: { b: judges.b } }), undefined);
  const ofWords = parsePipeline({ retriever: { type: 'bm25' }, rerank: [{ type: 'coverage', judge: 'l' }] });
  assert.equal(judgeOfBoth(ofWords, 'l', { judges }), 'l');
});

test('a model in a debate, a filter or LARA is the same opinion as alone', () => {
  const judges = {
    m: judgeSchema.parse({ type: 'openai', mode: 'pair', model: 'm' }),
    n: judgeSchema.parse({ type: 'openai', mode: 'pair', model: 'n' }),
    debate: judgeSchema.parse({ type: 'debate', agents: ['m', 'n'] }),
    decided: judgeSchema.parse({ type: 'debate', agents: 'n', adjudicator: 'm' }),
    filter: judgeSchema.parse({ type: 'filter', judges: ['m'], then: 'n' }),
    nested: judgeSchema.parse({ type: 'filter', judges: ['lexical'], then: 'filter' }),
    lara: judgeSchema.parse({ type: 'lara', judge: 'm', share: 0.1 }),
    others: judgeSchema.parse({ type: 'debate', agents: 'n' }),
    self: judgeSchema.parse({ type: 'filter', judges: ['self'], then: 'n' }),
  };
  const by = (judge: string) =>
    parsePipeline({ retriever: { type: 'bm25' }, rerank: [{ type: 'coverage', judge }] });
  for (const composed of ['debate', 'decided', 'filter', 'nested', 'lara']) {
    assert.equal(judgeOfBoth(by('m'), composed, { judges }), 'm', composed);
    assert.equal(judgeOfBoth(by(composed), 'm', { judges }), composed, composed);
  }
  assert.equal(judgeOfBoth(by('m'), 'others', { judges }), undefined);
  assert.equal(judgeOfBoth(by('m'), 'self', { judges }), undefined);
});

test('a model that writes queries and scores the results is the judge of both', () => {
  const judges = {
    m: judgeSchema.parse({ type: 'openai', mode: 'pair', model: 'm' }),
    n: judgeSchema.parse({ type: 'openai', mode: 'pair', model: 'n' }),
    debate: judgeSchema.parse({ type: 'debate', agents: ['m', 'n'] }),
  };
  const expanded = (expansion: object) => parsePipeline({ retriever: { type: 'bm25' }, expansion });
  const hyde = expanded({ type: 'query2doc', model: 'm' });
  assert.equal(judgeOfBoth(hyde, 'debate', { judges }), 'm');
  assert.equal(judgeOfBoth(hyde, 'n', { judges }), undefined);
  const usual = expanded({ type: 'query2doc' });
  assert.equal(judgeOfBoth(usual, 'm', { judges, generator: 'm' }), 'm');
  assert.equal(judgeOfBoth(usual, 'm', { judges }), undefined);
});

test('other endpoints, editor models without an id and judges of other kinds are separate opinions', () => {
  const judge = (input: object) => judgeSchema.parse({ mode: 'pair', ...input });
  const openai = (more: object) => judge({ type: 'openai', model: 'm', ...more });
  const editor = (more: object) => judge({ type: 'vscode', ...more });
  const own = (made: ReturnType<typeof judge>, scores: ReturnType<typeof judge>) =>
    judgeOfBoth(
      parsePipeline({ retriever: { type: 'bm25' }, rerank: [{ type: 'coverage', judge: 'made' }] }),
      'scores',
      { judges: { made, scores } },
    );
  assert.equal(own(openai({ baseUrl: 'http://a/v1' }), openai({ baseUrl: 'http://b/v1' })), undefined);
  assert.equal(own(openai({ baseUrl: 'http://a/v1' }), openai({ baseUrl: 'http://a/v1' })), 'made');
  assert.equal(own(editor({ id: 'x' }), editor({ id: 'x' })), 'made');
  assert.equal(own(editor({ id: 'x' }), editor({ id: 'y' })), undefined);
  assert.equal(own(editor({}), editor({})), undefined);
  assert.equal(own(editor({ id: 'm' }), openai({})), undefined);
  assert.equal(own(openai({}), editor({ id: 'm' })), undefined);
});

test('a ranking is circular only if not all judgements are from people', () => {
  const tallied = (...sources: readonly ('human' | 'llm')[]) => {
    const tally = new JudgementTally();
    for (const source of sources) tally.count({ source, judge: 'J' });
    return circularIn({ judgeOfBoth: 'J' }, { tally });
  };
  assert.equal(tallied(), undefined);
  assert.equal(tallied('human'), undefined);
  assert.equal(tallied('human', 'llm'), 'J');
});
