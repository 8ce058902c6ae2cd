/** `parallax eval --view analyses --judge`: every view has its pairs judged, and gives no figure if too few are. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { analysesView } from '../../../src/cli/commands/views/analyses.ts';
import type { DatasetAnalyses } from '../../../src/cli/presentation/describe-analyses.ts';
import { parseQrels } from '../../../src/core/formats/exchange/trec.ts';
import { verdictReply } from '../../fixtures/model-server.ts';
import { readPairPrompt } from '../../fixtures/read-prompts.ts';
import { judgeServer } from './judging-support.ts';
import { DEBATE, files, inputs, lines, needsDebate, run, runJson, topics } from './support.ts';

interface Report {
  readonly datasets: readonly DatasetAnalyses[];
}

const BM25 = ['--pipeline', 'bm25'];
/** So that one round judges everything. */
const K2 = [...BM25, '--k', '2'];

test('with a judge that answers the gold, sycophancy equals that of the gold', async (t) => {
  const places = await files(t, topics(3));
  // Perspectives worded differently from the questions: each side finds passages that the question does not.
  const { judge } = await judgeServer(t);
  const argv = ['--corpus', places.corpus, '--queries', places.queries, ...K2, '--view', 'sycophancy'];
  const { datasets } = await runJson<Report>(analysesView, ...argv, '--judge', judge);
  const { sycophancy } = datasets[0]!.pipelines[0]!;
  assert.deepEqual(sycophancy!.judged, { question: 1, support: 1, oppose: 1 });
  assert.equal(sycophancy!.oppose.supporting, 0);
  assert.ok(sycophancy!.oppose.opposing > 0, 'what only the opposing side retrieves is judged');
});

test('Δ that is not a number is described', async (t) => {
  const places = await files(t, topics(1));
  const { stdout } = await run(analysesView, ...inputs(places), ...K2, '--view', 'sycophancy');
  assert.match(stdout, /^bm25 +\+1\.000 +\+1\.000 +no support +/mu);
  assert.doesNotMatch(stdout, /undefined/u);
});

test('set sizes and the union are judged to the first support, and no deeper', async (t) => {
  const places = await files(t, {
    corpus: lines(
      Array.from({ length: 40 }, (_, i) => ({
        _id: `p${String(i).padStart(2, '0')}`,
        text: `topic ${'other '.repeat(i + 1)}${i === 6 ? 'first' : ''}${i === 8 ? 'second' : ''}`,
      })),
    ),
    queries: lines([
      {
        _id: 'q',
        text: 'topic',
        perspectives: [
          { id: 'pro', text: 'first' },
          { id: 'con', text: 'second' },
        ],
      },
    ]),
  });
  const { judge, server } = await judgeServer(t);
  const argv = ['--corpus', places.corpus, '--queries', places.queries, ...K2, '--view', 'set-size'];
  const { datasets } = await runJson<Report>(analysesView, ...argv, '--judge', judge);
  const { setSize } = datasets[0]!.pipelines[0]!;
  assert.deepEqual([setSize!.average, setSize!.judged], [9, { question: 1 }]);
  assert.ok(server.chatRequests.length < 40, `${server.chatRequests.length} of 80 pairs`);
  const { stderr } = await run(analysesView, ...argv, '--judge', judge);
  assert.match(stderr, /80 of 80 pairs are not judged; at most/u);
});

describe('with too few judgements', () => {
  test('a view is omitted with its judged share', async (t) => {
    const places = await files(t, topics(3));
    const { judge } = await judgeServer(t);
    const argv = ['--corpus', places.corpus, '--queries', places.queries, ...K2, '--judge', judge];
    const views = ['--view', 'sycophancy,leaning,set-size', '--budget', 'requests=2'];
    const { datasets } = await runJson<Report>(analysesView, ...argv, ...views);
    const [{ pipelines, leftOut }] = datasets as [DatasetAnalyses];
    const { sycophancy, leaning, setSize } = pipelines[0]!;
    assert.deepEqual([sycophancy, leaning, setSize], [undefined, undefined, undefined]);
    assert.deepEqual(
      leftOut.map(({ view, pipeline }) => [view, pipeline]),
      [
        ['set-size', 'bm25'],
        ['leaning', 'bm25'],
        ['sycophancy', 'bm25'],
      ],
    );
    assert.match(
      leftOut[2]!.reason,
      /^Of what it rests on, .*% \(oppose\) is judged, and below 90% no figure/u,
    );
  });

  test('the fewest calls of the headline are not enough for views', async (t) => {
    const places = await files(t, topics(3));
    const { judge } = await judgeServer(t);
    const argv = ['--corpus', places.corpus, '--queries', places.queries, ...K2, '--judge', judge];
    const { datasets } = await runJson<Report>(
      analysesView,
      ...[...argv, '--scope', 'figures', '--view', 'sycophancy'],
    );
    assert.equal(datasets[0]!.pipelines[0]!.sycophancy, undefined);
  });

  test('qrels alone count as complete, and the share is still shown', async (t) => {
    const places = await files(t, topics(1));
    const { datasets } = await runJson<Report>(analysesView, ...inputs(places), ...K2, '--view', 'leaning');
    const { leaning } = datasets[0]!.pipelines[0]!;
    assert.deepEqual(leaning!.judged, { question: 0.75 });
  });
});

test('debate: a judge of the gold gives the Δ of the gold, for every asker', needsDebate, async (t) => {
  const { corpus, queries, qrels, worded } = await gold();
  const places = await files(t, { queries: lines(queries), qrels });
  const { judge } = await judgeServer(t, ({ messages }) => {
    const { passage, statement } = readPairPrompt(messages);
    return verdictReply(worded.get(statement)?.has(passage) ? 'yes' : 'no');
  });
  const argv = ['--corpus', corpus, '--queries', places.queries, ...BM25, '--view', 'sycophancy,leaning'];
  const truth = await runJson<Report>(analysesView, ...argv, '--qrels', places.qrels);
  const judged = await runJson<Report>(analysesView, ...argv, '--judge', judge);
  const [want, have] = [truth, judged].map(({ datasets }) => datasets[0]!.pipelines[0]!) as [Own, Own];
  for (const form of ['question', 'support', 'oppose'] as const)
    assert.deepEqual(have.sycophancy![form], want.sycophancy![form], form);
  assert.ok(want.sycophancy!.oppose.delta! < 0, 'asked by an opponent, it leans to the opponent');
  assert.equal(have.leaning!.delta, want.leaning!.delta);
});

type Own = DatasetAnalyses['pipelines'][number];

/**
 * Thirty debates, each side worded like one of its passages, so that it finds others than the question. Also returns
 * what supports each, by wording and text.
 */
async function gold(): Promise<{
  readonly corpus: string;
  readonly queries: object[];
  readonly qrels: string;
  readonly worded: ReadonlyMap<string, ReadonlySet<string>>;
}> {
  const corpus = `${DEBATE}/corpus.jsonl`;
  const texts = new Map(
    (await records<{ _id: string; text: string }>(corpus)).map(({ _id, text }) => [_id, text]),
  );
  const { qrels } = parseQrels(await readFile(`${DEBATE}/qrels.diversity.txt`, 'utf8'));
  const asked = (await records<{ _id: string; text: string }>(`${DEBATE}/queries.jsonl`)).slice(0, 30);
  const worded = new Map<string, ReadonlySet<string>>();
  const queries = asked.map(({ _id, text }) => ({
    _id,
    text,
    perspectives: [...qrels.get(_id)!].map(([id, judged]) => {
      const supporters = [...judged.keys()].map((passage) => texts.get(passage)!.trim());
      const words = supporters[0]!.split(/\s+/u).slice(0, 25).join(' ');
      worded.set(words, new Set(supporters));
      return { id, text: words };
    }),
  }));
  const kept = asked.flatMap(({ _id }) =>
    [...qrels.get(_id)!].flatMap(([id, judged]) =>
      [...judged.keys()].map((passage) => `${_id} ${id} ${passage} 1\n`),
    ),
  );
  return { corpus, queries, qrels: kept.join(''), worded };
}

async function records<T>(file: string): Promise<T[]> {
  const text = await readFile(file, 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}
