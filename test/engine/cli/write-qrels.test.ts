/** `--write-qrels`: judgements of a command as qrels, which it and other commands can read. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { answersView } from '../../../src/features/papers/cli/answers-view.ts';
import { evalCommand } from '../../../src/cli/commands/eval-command.ts';
import { poolView } from '../../../src/features/papers/cli/pool-view.ts';
import { UsageError } from '../../../src/cli/presentation/terminal.ts';
import type { JudgedLine } from '../../../src/core/formats/judged-qrels.ts';
import type { ChatReply, ChatRequest } from '../../fixtures/model-server.ts';
import { readFenced } from '../../fixtures/read-prompts.ts';
import { partIn, repeating } from '../answers/support.ts';
import { serverFor } from '../judges/support.ts';
import { workspace } from './gate-support.ts';
import { byTellingWord, judgeServer } from './judging-support.ts';
import { files, inputs, run, runJson, topics } from './support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const BM25 = ['--pipeline', 'bm25'];

async function written(file: string): Promise<{ qrels: string[]; lines: JudgedLine[] }> {
  const linesOf = async (name: string): Promise<string[]> =>
    (await readFile(name, 'utf8')).split('\n').filter((line) => line !== '');
  const judges = await linesOf(`${file}.judges.jsonl`);
  return { qrels: await linesOf(file), lines: judges.map((line) => JSON.parse(line) as JudgedLine) };
}

/** Numbers as ids, like TREC's. */
function numbered(count: number): ReturnType<typeof topics> {
  const { corpus, queries } = topics(count);
  const own = queries
    .replaceAll(/"q(\d+)"/gu, '"$1"')
    .replaceAll('"pro"', '"1"')
    .replaceAll('"con"', '"2"');
  return { corpus, queries: own, qrels: '1 2 a1 0\n1 1 a1 2\n' };
}

describe('the judgements of eval', () => {
  test('are qrels as ndeval reads them, with each line’s judge beside it', async (t) => {
    const places = await files(t, numbered(1));
    const { judge } = await judgeServer(t);
    const file = path.join(temporaryFolder(t), 'new/filled.txt');
    const argv = [...inputs(places), ...BM25, '--k', '2', '--judge', judge, '--scope', 'everything'];
    const { code } = await run(evalCommand, ...argv, '--write-qrels', file);
    assert.equal(code, 0);
    const { qrels, lines } = await written(file);
    // A topic and a subtopic as natural numbers, a passage, a relevance, and nothing else.
    for (const line of qrels) assert.match(line, /^[1-9]\d* [1-9]\d* \S+ \d+$/u);
    assert.deepEqual(
      lines.map(({ query, perspective, passage, relevance }) =>
        [query, perspective, passage, relevance].join(' '),
      ),
      qrels,
    );
    assert.deepEqual(
      lines.map((line) => [line.perspective, line.passage, line.relevance, line.judge]).sort(),
      [
        // The grade that the qrels gave stays.
        ['1', 'a1', 2, 'qrels'],
        ['1', 'b1', 1, 'openai scripted'],
        ['2', 'a1', 0, 'qrels'],
        ['2', 'b1', 0, 'openai scripted'],
      ],
    );
    const answered = lines.find(({ judge: name }) => name !== 'qrels')!;
    assert.deepEqual([answered.source, answered.model], ['llm', 'scripted']);
    assert.ok(answered.promptVersion);
  });

  test('give the same figures when they are read again', async (t) => {
    const { corpus, queries } = topics(3);
    const places = await files(t, { corpus, queries });
    const { judge } = await judgeServer(t);
    const file = path.join(temporaryFolder(t), 'judged.txt');
    const argv = ['--corpus', places.corpus, '--queries', places.queries, ...BM25, '--k', '3'];
    const asked = ['--judge', judge, '--scope', 'everything', '--write-qrels', file];
    const first = await runJson<Figures>(evalCommand, ...argv, ...asked);
    const again = await runJson<Figures>(evalCommand, ...argv, '--qrels', file);
    for (const measure of ['MRecall@3', 'Precision@3', 'Judged@3'])
      assert.equal(again.pipelines[0]!.metrics[measure], first.pipelines[0]!.metrics[measure], measure);
  });

  test('are a file for each data set, and blanks in ids are reported', async (t) => {
    const { corpus, queries, qrels } = topics(1);
    const places = await files(t, { corpus: corpus.replaceAll('"a1"', '"a 1"'), queries, qrels });
    const folder = temporaryFolder(t);
    const sets = ['--queries', `one=${places.queries}`, '--queries', `two/b=${places.queries}`];
    const argv = ['--corpus', places.corpus, ...sets, '--qrels', places.qrels, ...BM25, '--judge', 'lexical'];
    const both = ['--qrels', `one=${places.qrels}`, '--qrels', `two/b=${places.qrels}`];
    argv.splice(argv.indexOf('--qrels'), 2, ...both);
    const { stderr } = await run(evalCommand, ...argv, '--write-qrels', path.join(folder, 'q.txt'));
    const { qrels: one, lines } = await written(path.join(folder, 'q.one.txt'));
    assert.deepEqual((await written(path.join(folder, 'q.two-b.txt'))).qrels, one);
    assert.ok(lines.some(({ passage }) => passage === 'a 1'));
    assert.match(stderr, /1 id has blanks, which .*q\.one\.txt cannot hold/u);
  });

  test('are the given ones without a judge', async (t) => {
    const places = await files(t, topics(1));
    const file = path.join(temporaryFolder(t), 'same.txt');
    await run(evalCommand, ...inputs(places), ...BM25, '--write-qrels', file);
    const { qrels, lines } = await written(file);
    assert.deepEqual(qrels, ['q1 pro a1 1', 'q1 pro b1 1', 'q1 con c1 1', 'q1 con a1 0']);
    assert.deepEqual(new Set(lines.map(({ judge }) => judge)), new Set(['qrels']));
  });
});

interface Figures {
  readonly pipelines: readonly { readonly metrics: Readonly<Record<string, number>> }[];
}

test('a gate writes the labels of people with their names', async (t) => {
  const own = await workspace(t, 2, { thresholds: [{ metric: 'MRecall@2', min: 0.5 }] });
  const file = path.join(own.folder, 'gate.txt');
  assert.equal((await own.gate('--write-qrels', file)).code, 0);
  const { qrels, lines } = await written(file);
  assert.ok(qrels.includes('q1 pro a1 1'));
  assert.deepEqual(new Set(lines.map(({ source }) => source)), new Set(['human']));
  assert.ok(lines.some(({ judge }) => judge !== 'labels'));
});

describe('BRIDGE in one command', () => {
  /** Judges passages and answers by their telling words, and answers with its passages. */
  function everything(request: ChatRequest): ChatReply {
    const { texts } = readFenced(request.messages);
    if ('passage' in texts) return byTellingWord(request);
    const part = partIn(request);
    if (part.kind === 'write') return repeating(part);
    const verdicts = Object.entries(part.statements).map(([letter, statement]) => {
      const said = ['first', 'second', 'third'].some(
        (word) => part.answer.includes(word) && statement.includes(word),
      );
      return [letter, said ? 'yes' : 'no'];
    });
    return { text: JSON.stringify(Object.fromEntries(verdicts)) };
  }

  test('unjudged pairs are filled and written, and RAGAlign is shown before and after', async (t) => {
    const { corpus, queries } = topics(3);
    const qrels = [1, 2, 3].map((n) => `q${n} con a${n} 0\n`).join('');
    const places = await files(t, { corpus, queries, qrels });
    const server = await serverFor(t, { chat: everything });
    const model = { type: 'openai', mode: 'pair', baseUrl: server.url, model: 'scripted', maxRetries: 0 };
    const judge = JSON.stringify(model);
    const file = path.join(temporaryFolder(t), 'filled.txt');
    const argv = [...inputs(places), ...BM25, '--k', '3', '--judge', judge];
    const { stdout, code } = await run(poolView, ...argv, '--generator', judge, '--write-qrels', file);
    assert.equal(code, 0);
    // All three passages are retrieved, and answers repeat them, so retrieval succeeds like answers once holes are
    // filled.
    assert.match(stdout, /^pipeline +answers +success +by Hit@3 +now +by MRecall@3 +now$/mu);
    assert.match(stdout, /^bm25 +3 +100\.0 +0\.00 +1\.00 +0\.00 +1\.00$/mu);
    const chosen = ['--align-measure', 'StRecall@3', '--align-threshold', '0.5'];
    const measured = await run(poolView, ...argv, '--generator', judge, ...chosen);
    assert.match(measured.stdout, /by MRecall@3 +now +by StRecall@3 ≥ 0\.5 +now$/mu);
    assert.match(measured.stdout, /^bm25 +3 +100\.0 +0\.00 +1\.00 +0\.00 +1\.00 +0\.00 +1\.00$/mu);
    await assert.rejects(run(poolView, ...argv, ...chosen), /--align-measure needs a --generator/u);
    const { lines } = await written(file);
    assert.equal(lines.filter(({ relevance }) => relevance > 0).length, 9);
    const filled = inputs({ ...places, qrels: file });
    const report = await runJson<Answered>(answersView, ...filled, ...BM25, '--k', '3', '--judge', judge);
    assert.equal(report.datasets[0]!.sources[0]!.alignment.hit, 1);
  });

  test('a debate, which judges no answers, is refused with advice before any cost', async (t) => {
    const places = await files(t, topics(1));
    const { server, judge } = await judgeServer(t);
    const argv = [...inputs(places), ...BM25, '--judge', 'lexical', '--generator', judge];
    await assert.rejects(run(poolView, ...argv), /"lexical" has no chat model, so it cannot judge answers/u);
    assert.equal(server.chatRequests.length, 0);
    await assert.rejects(
      run(poolView, ...inputs(places), ...BM25, '--judge', judge, '--answers-judge', judge),
      (error) => error instanceof UsageError && /--answers-judge needs a --generator/u.test(error.message),
    );
  });
});

interface Answered {
  readonly datasets: readonly {
    readonly sources: readonly { readonly alignment: { readonly hit: number } }[];
  }[];
}
